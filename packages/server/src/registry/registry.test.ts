import { createHash } from 'node:crypto';
import { agentsByPlan, toId } from '@agora-market/contract';
import { describe, expect, test, vi } from 'vitest';
import { codeOf, type Invoke } from '../../test/support/invoke.ts';
import { profile, type Registration, registryScene } from '../../test/support/registry-scene.ts';
import { newUuid, type OwnerCaller } from '../platform/index.ts';

const { clock, scene, newOwner, suspendAgent, eventsOf } = registryScene();
const invoke: Invoke = (...args) => scene.invoke(...args);
const authenticate = (key: string) => scene.authenticate(key);

const register = (caller: OwnerCaller, body: Partial<Registration> = {}) =>
  invoke('agents.register', { caller, body: { ...profile, ...body } });

describe('register', () => {
  test('answers with the profile at its defaults and a key that works at once', async () => {
    const caller = await newOwner();
    const { agent, apiKey } = await register(caller);
    expect(agent).toMatchObject({ ...profile, status: 'active', availability: 'available', trustTier: 'unverified' });
    expect(agent).toMatchObject({
      overallScore: 500,
      confidence: 0,
      completedTasks: 0,
      endedTasks: 0,
      ownerId: toId('owner', caller.ownerId),
    });
    expect(agent.dimensions).toEqual({ outcome: 500, relationship: 500, economic: 500, reliability: 500 });
    expect(agent.capacity).toEqual({ openTasks: 0, maxOpenTasks: 1 });
    expect(apiKey).toMatch(/^ac_live_[\w-]{43}$/);
    expect(apiKey.startsWith(agent.apiKeyPrefix)).toBe(true);
    const agentCaller = await authenticate(apiKey);
    expect(agentCaller).toMatchObject({ kind: 'agent', ownerId: caller.ownerId });
    expect(await invoke('agents.me', { caller: agentCaller })).toEqual(agent);
  });

  test('writes its event and never the key', async () => {
    const { apiKey } = await register(await newOwner());
    const { agentId } = await authenticate(apiKey);
    expect(await eventsOf(agentId)).toMatchObject([{ type: 'agent.registered' }]);
    const { rows } = await scene.pool.query('select a::text as text from agents a where id = $1', [agentId]);
    expect(rows[0].text).not.toContain(apiKey);
  });

  test('stores of a key its SHA-256 hash and its beginning alone', async () => {
    const { apiKey } = await register(await newOwner());
    const { agentId } = await authenticate(apiKey);
    const { rows } = await scene.pool.query('select key_hash, key_prefix from agents where id = $1', [agentId]);
    expect(rows[0].key_hash).toEqual(createHash('sha256').update(apiKey).digest());
    expect(apiKey.startsWith(rows[0].key_prefix)).toBe(true);
    expect(rows[0].key_prefix.length).toBeLessThan(20);
  });

  test('defaults stand in for what is left out', async () => {
    const { displayName, framework, capabilities } = profile;
    const { agent } = await invoke('agents.register', {
      caller: await newOwner(),
      body: { displayName, framework, capabilities },
    });
    expect(agent).toMatchObject({ model: 'unspecified', description: '', pricing: null });
  });

  test('two registrations at once cannot both take the last place of the plan', async () => {
    const caller = await newOwner();
    for (let i = 1; i < agentsByPlan.free; i++) await register(caller);
    const codes = await Promise.all([register(caller), register(caller), register(caller)].map(codeOf));
    expect(codes.sort()).toEqual(['AGENT_LIMIT_REACHED', 'AGENT_LIMIT_REACHED', 'none']);
  });

  test('the limit is that of the plan the owner has now, and deactivated agents do not count', async () => {
    const caller = await newOwner();
    const { agent } = await register(caller);
    for (let i = 1; i < agentsByPlan.free; i++) await register(caller);
    expect(await codeOf(register(caller))).toBe('AGENT_LIMIT_REACHED');
    await invoke('agents.deactivate', { caller, params: { agentId: agent.id } });
    expect(await codeOf(register(caller))).toBe('none');
    expect(await codeOf(invoke('agents.reactivate', { caller, params: { agentId: agent.id } }))).toBe(
      'AGENT_LIMIT_REACHED',
    );
    await scene.pool.query(`update owners set plan = 'pro' where id = $1`, [caller.ownerId]);
    expect(await codeOf(invoke('agents.reactivate', { caller, params: { agentId: agent.id } }))).toBe('none');
  });
});

describe('agent authentication', () => {
  test.each(['', 'ac_live_', `ac_live_${'x'.repeat(43)}`, `ac_sess_${'x'.repeat(43)}`, 'Bearer x'])(
    '"%s" is INVALID_API_KEY',
    async (key) => {
      expect(await codeOf(authenticate(key))).toBe('INVALID_API_KEY');
    },
  );

  test("a deactivated agent's key is INVALID_API_KEY and works again after reactivation", async () => {
    const caller = await newOwner();
    const { agent, apiKey } = await register(caller);
    await invoke('agents.deactivate', { caller, params: { agentId: agent.id } });
    expect(await codeOf(authenticate(apiKey))).toBe('INVALID_API_KEY');
    await invoke('agents.reactivate', { caller, params: { agentId: agent.id } });
    expect(await codeOf(authenticate(apiKey))).toBe('none');
  });

  test('a suspended agent is known as that, an agent of a suspended owner is OWNER_SUSPENDED', async () => {
    const caller = await newOwner();
    const { apiKey } = await register(caller);
    const { agentId } = await authenticate(apiKey);
    await suspendAgent(agentId);
    expect(await authenticate(apiKey)).toMatchObject({ isSuspended: true });
    await scene.pool.query(`update owners set status = 'suspended' where id = $1`, [caller.ownerId]);
    expect(await codeOf(authenticate(apiKey))).toBe('OWNER_SUSPENDED');
  });

  test('many keys of one turn share a statement and each gets its own agent', async () => {
    const caller = await newOwner();
    const made = [await register(caller), await register(caller), await register(caller)];
    const query = vi.spyOn(scene.pool, 'query');
    const callers = await Promise.all(made.map(({ apiKey }) => authenticate(apiKey)));
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    expect(callers.map(({ agentId }) => toId('agent', agentId))).toEqual(made.map(({ agent }) => agent.id));
  });
});

describe('reading', () => {
  test('the public profile shows neither owner nor key, and deactivated agents stay visible', async () => {
    const caller = await newOwner();
    const { agent, apiKey } = await register(caller);
    await invoke('agents.deactivate', { caller, params: { agentId: agent.id } });
    const shown = await invoke('agents.get', { params: { agentId: agent.id } });
    expect(shown).toMatchObject({ id: agent.id, displayName: 'Fixer', status: 'deactivated' });
    const text = JSON.stringify(shown);
    for (const secret of ['ownerId', agent.ownerId, apiKey, agent.apiKeyPrefix, 'example.com']) {
      expect(text).not.toContain(secret);
    }
  });

  test("own agents are listed newest first, page by page, and nobody else's", async () => {
    const caller = await newOwner();
    await register(await newOwner());
    for (const displayName of ['a', 'b', 'c']) {
      clock.advance(1);
      await register(caller, { displayName });
    }
    const first = await invoke('agents.listOwn', { caller, query: { pageSize: 2 } });
    expect(first.data.map((agent) => agent.displayName)).toEqual(['c', 'b']);
    const second = await invoke('agents.listOwn', { caller, query: { cursor: first.pagination.nextCursor } });
    expect(second).toMatchObject({ data: [{ displayName: 'a' }], pagination: { nextCursor: null } });
    expect(await codeOf(invoke('agents.listOwn', { caller, query: { cursor: 'x' } }))).toBe('VALIDATION_ERROR');
  });
});

test('names of many agents come at once, also of those that are gone from search; of no agent there is none', async () => {
  const caller = await newOwner();
  const [one, two] = [await register(caller, { displayName: 'One' }), await register(caller, { displayName: 'Two' })];
  await invoke('agents.deactivate', { caller, params: { agentId: two.agent.id } });
  const nobody = toId('agent', newUuid(clock));
  const ids = [one.agent.id, two.agent.id, nobody, one.agent.id].join();
  const { data } = await invoke('agents.names', { query: { ids } });
  expect(data.toSorted((a, b) => a.displayName.localeCompare(b.displayName))).toEqual([
    { id: one.agent.id, displayName: 'One' },
    { id: two.agent.id, displayName: 'Two' },
  ]);
  const tooMany = Array.from({ length: 101 }, () => nobody).join();
  for (const wrong of ['', 'agt_x', `${nobody},`, tooMany])
    await expect(invoke('agents.names', { query: { ids: wrong } })).rejects.toThrow('must be 1 to 100 ids');
});

describe('whose agent it is', () => {
  const byOwner = ['agents.update', 'agents.deactivate', 'agents.reactivate', 'agents.rotateKey'] as const;

  test.each(byOwner)('%s: an unknown or malformed id is AGENT_NOT_FOUND', async (operation) => {
    const caller = await newOwner();
    for (const agentId of [toId('agent', newUuid(clock)), 'agt_x', toId('task', newUuid(clock)), '%00']) {
      expect(await codeOf(invoke(operation, { caller, params: { agentId }, body: {} as never }))).toBe(
        'AGENT_NOT_FOUND',
      );
      expect(await codeOf(invoke('agents.get', { params: { agentId } }))).toBe('AGENT_NOT_FOUND');
    }
  });

  test.each(byOwner)("%s: another owner's agent is NOT_AGENT_OWNER and stays as it is", async (operation) => {
    const { agent } = await register(await newOwner());
    const params = { agentId: agent.id };
    const call = invoke(operation, { caller: await newOwner(), params, body: { displayName: 'Mine' } as never });
    expect(await codeOf(call)).toBe('NOT_AGENT_OWNER');
    expect(await invoke('agents.get', { params })).toMatchObject({ displayName: 'Fixer', status: 'active' });
  });
});

describe('update', () => {
  test('changes the named fields and no others, and says in its event which', async () => {
    const caller = await newOwner();
    const { agent, apiKey } = await register(caller);
    clock.advance(1000);
    const changed = await invoke('agents.update', {
      caller,
      params: { agentId: agent.id },
      body: { description: 'New', capabilities: [{ category: 'design', tags: [] }] },
    });
    expect(changed).toEqual({
      ...agent,
      description: 'New',
      capabilities: [{ category: 'design', tags: [] }],
      updatedAt: clock.now().toISOString(),
    });
    const { agentId } = await authenticate(apiKey);
    expect((await eventsOf(agentId))[1]).toMatchObject({
      type: 'agent.updated',
      data: { fields: ['description', 'capabilities'] },
    });
    const found = await invoke('agents.search', { query: { category: 'design' } });
    expect(found.data.map((one) => one.id)).toContain(agent.id);
  });

  test('pricing null takes the price away, an empty text stays a text, no field changes nothing', async () => {
    const caller = await newOwner();
    const { agent, apiKey } = await register(caller);
    const params = { agentId: agent.id };
    expect(await invoke('agents.update', { caller, params, body: { pricing: null } })).toMatchObject({ pricing: null });
    expect(await invoke('agents.update', { caller, params, body: { description: '' } })).toMatchObject({
      description: '',
    });
    const before = (await eventsOf((await authenticate(apiKey)).agentId)).length;
    const same = await invoke('agents.update', { caller, params, body: {} });
    expect(same).toMatchObject({ pricing: null, description: '' });
    expect(await eventsOf((await authenticate(apiKey)).agentId)).toHaveLength(before);
  });

  test('an agent sets its own availability', async () => {
    const { apiKey } = await register(await newOwner());
    const caller = await authenticate(apiKey);
    expect(await invoke('agents.updateMe', { caller, body: { availability: 'busy' } })).toMatchObject({
      availability: 'busy',
    });
    expect((await eventsOf(caller.agentId))[1]).toMatchObject({ type: 'agent.updated' });
  });
});
