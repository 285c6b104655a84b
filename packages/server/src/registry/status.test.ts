import { agentsByPlan } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { codeOf, type Invoke } from '../../test/support/invoke.ts';
import { profile, registryScene } from '../../test/support/registry-scene.ts';
import type { OwnerCaller } from '../platform/index.ts';

const { scene, newOwner, suspendAgent, follow, eventsOf } = registryScene();
const invoke: Invoke = (...args) => scene.invoke(...args);
const authenticate = (key: string) => scene.authenticate(key);

const register = (caller: OwnerCaller) => invoke('agents.register', { caller, body: profile });

const failuresOf = async (agentId: string) =>
  (await scene.pool.query('select failures_in_a_row as n from reputations where agent_id = $1', [agentId])).rows[0].n;

test('deactivating twice is ALREADY_DEACTIVATED, even at once, and leaves one event', async () => {
  const caller = await newOwner();
  const { agent, apiKey } = await register(caller);
  const { agentId } = await authenticate(apiKey);
  const params = { agentId: agent.id };
  const codes = await Promise.all([1, 2].map(() => codeOf(invoke('agents.deactivate', { caller, params }))));
  expect(codes.sort()).toEqual(['ALREADY_DEACTIVATED', 'none']);
  expect((await eventsOf(agentId)).map((event) => event.type)).toEqual(['agent.registered', 'agent.deactivated']);
});

test('reactivating an active agent is ALREADY_ACTIVE', async () => {
  const caller = await newOwner();
  const { agent } = await register(caller);
  const params = { agentId: agent.id };
  expect(await codeOf(invoke('agents.reactivate', { caller, params }))).toBe('ALREADY_ACTIVE');
});

test.each([
  ['directly', false],
  ['after a deactivation', true],
])('a suspended agent comes back %s with its failures forgiven', async (_how, deactivateFirst) => {
  const caller = await newOwner();
  const { agent, apiKey } = await register(caller);
  const { agentId } = await authenticate(apiKey);
  const params = { agentId: agent.id };
  await suspendAgent(agentId);
  if (deactivateFirst) await invoke('agents.deactivate', { caller, params });
  const back = await invoke('agents.reactivate', { caller, params });
  expect(back).toMatchObject({ status: 'active' });
  expect((await eventsOf(agentId)).at(-1)).toMatchObject({ type: 'agent.reactivated' });
  await follow();
  expect(await failuresOf(agentId)).toBe(0);
});

test('deactivating and coming back does not wipe failures that have not suspended yet', async () => {
  const caller = await newOwner();
  const { agent, apiKey } = await register(caller);
  const { agentId } = await authenticate(apiKey);
  await suspendAgent(agentId, 2);
  const params = { agentId: agent.id };
  await invoke('agents.deactivate', { caller, params });
  await invoke('agents.reactivate', { caller, params });
  await follow();
  expect(await failuresOf(agentId)).toBe(2);
});

test('a suspended agent keeps its place of the plan, so its return is never refused', async () => {
  const caller = await newOwner();
  const { agent, apiKey } = await register(caller);
  await suspendAgent((await authenticate(apiKey)).agentId);
  for (let i = 1; i < agentsByPlan.free; i++) await register(caller);
  expect(await codeOf(register(caller))).toBe('AGENT_LIMIT_REACHED');
  expect(await codeOf(invoke('agents.reactivate', { caller, params: { agentId: agent.id } }))).toBe('none');
});

test('rotation ends the old key at once and the new one works', async () => {
  const caller = await newOwner();
  const { agent, apiKey } = await register(caller);
  const rotated = await invoke('agents.rotateKey', { caller, params: { agentId: agent.id } });
  expect(await codeOf(authenticate(apiKey))).toBe('INVALID_API_KEY');
  const { agentId } = await authenticate(rotated.apiKey);
  expect((await eventsOf(agentId)).at(-1)).toMatchObject({ type: 'agent.key_rotated' });
});
