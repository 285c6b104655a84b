import { errorsOf, type Operation, operations, toUuid } from '@agora-market/contract';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../../server/test/support/harness.ts';
import { tools } from '../src/tools/index.ts';
import { bearer, call, mcpClient } from './clients.ts';

// Each tool is called by a real client on a real server, and once so that the service refuses.

const worked = new Set<string>();
const refused = new Set<string>();
const codesOf = Object.fromEntries(
  tools.map(({ name, uses }) => [name, uses.flatMap((id) => errorsOf(operations[id] as Operation) as string[])]),
);
const unknown = { agent: 'agt_00000000000000000000000000', task: 'tsk_00000000000000000000000000' };

let server: TestServer;
let buyer: TestOwner;
let sellerOwner: TestOwner;
let seller: TestAgent;
let hirer: TestAgent;

beforeAll(async () => {
  server = await startTestServer({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
  buyer = await server.owner();
  sellerOwner = await server.owner();
  seller = await sellerOwner.agent();
  hirer = await buyer.agent();
  await server.pool.query(`update owners set plan = 'pro' where id = $1`, [toUuid('owner', buyer.id)]);
});
afterAll(() => server?.close());

async function works(client: Client, name: string, args: object = {}) {
  const told = await call(client, name, args);
  expect([name, told.isError ? told.text : null]).toEqual([name, null]);
  expect(told.text.length).toBeGreaterThan(0);
  worked.add(name);
  return told.data;
}

/** The error is one that an operation of the tool declares; all of it is text that begins with the code. */
async function refuses(client: Client, name: string, args: object, code: string) {
  const told = await call(client, name, args);
  expect([name, told.isError, told.text.split(':')[0]]).toEqual([name, true, code]);
  // Clients compare structured content with the output schema, and an error is not of its shape.
  expect(told.data).toBeUndefined();
  expect(codesOf[name]).toContain(code);
  refused.add(name);
  return told;
}

const ownerClient = (owner: TestOwner) => mcpClient(server, bearer(owner.token));
const agentClient = (agent: TestAgent) => mcpClient(server, bearer(agent.key));
const work = { taskType: 'general', maxBudget: 1500, input: { description: 'Say something kind' } };

test('finding agents', async () => {
  const anyone = await mcpClient(server);
  const found = await works(anyone, 'search_agents', { category: 'general', pageSize: 1 });
  expect(found.pagination.nextCursor).toEqual(expect.any(String));
  expect((await works(anyone, 'search_agents', { cursor: found.pagination.nextCursor })).data).toHaveLength(1);
  await refuses(anyone, 'search_agents', { cursor: 'of nobody' }, 'VALIDATION_ERROR');
  expect(await works(anyone, 'get_agent', { agentId: seller.id })).toMatchObject({
    id: seller.id,
    trustTier: 'unverified',
  });
  await refuses(anyone, 'get_agent', { agentId: unknown.agent }, 'AGENT_NOT_FOUND');
  expect((await works(anyone, 'get_agent_reputation', { agentId: seller.id })).tasks.completed).toBe(0);
  await refuses(anyone, 'get_agent_reputation', { agentId: unknown.agent }, 'AGENT_NOT_FOUND');
  const { key } = await buyer.agora.trust.createKey({ name: 'for a test' });
  for (const headers of [bearer(key), { 'x-trust-api-key': key }]) {
    const told = await works(await mcpClient(server, headers), 'get_agent_reputation', { agentId: seller.id });
    expect(told.recommendation).toBe('not_yet_rated');
  }
});

test('buying, cancelling, rating and disputing', async () => {
  const owner = await ownerClient(buyer);
  const stranger = await ownerClient(await server.owner());
  await works(owner, 'quote_task', work);
  await refuses(owner, 'quote_task', { ...work, agentId: unknown.agent }, 'AGENT_NOT_FOUND');
  const { id: cancelled } = await works(owner, 'submit_task', { ...work, agentId: seller.id });
  await refuses(owner, 'submit_task', { ...work, maxBudget: 900_000 }, 'INSUFFICIENT_CREDITS');
  expect((await works(owner, 'list_tasks', { status: 'submitted' })).data).toHaveLength(1);
  await refuses(owner, 'list_tasks', { cursor: 'of nobody' }, 'VALIDATION_ERROR');
  expect((await works(owner, 'get_task', { taskId: cancelled })).status).toBe('submitted');
  await refuses(stranger, 'get_task', { taskId: cancelled }, 'NOT_A_PARTY');
  // Nothing happens in that second, which is no error: the model may wait again.
  expect((await works(owner, 'wait_for_task', { taskId: cancelled, timeoutSeconds: 1 })).status).toBe('submitted');
  await refuses(owner, 'wait_for_task', { taskId: unknown.task }, 'TASK_NOT_FOUND');
  expect((await works(owner, 'cancel_task', { taskId: cancelled })).status).toBe('failed');
  await refuses(owner, 'cancel_task', { taskId: cancelled }, 'TASK_WRONG_STATE');
  await refuses(owner, 'give_feedback', { taskId: cancelled, direction: 'up' }, 'TASK_WRONG_STATE');

  const taskId = await delivered(owner, await agentClient(seller));
  expect((await works(owner, 'give_feedback', { taskId, direction: 'up' })).refunded).toBe(false);
  await refuses(owner, 'open_dispute', { taskId, reason: 'too early' }, 'TASK_WRONG_STATE');
  server.clock.advance(11 * 60_000);
  expect((await works(owner, 'open_dispute', { taskId, reason: 'It was not kind' })).taskId).toBe(taskId);
  const { assessmentId, changes } = await works(owner, 'get_task', { taskId, include: ['changes'] });
  expect(changes).toMatchObject({
    total: { files: 1 },
    files: [{ path: 'kind.txt', change: 'added' }],
    patchIsCut: false,
  });
  expect(changes.patch).toContain('+You are kind');
  expect((await works(owner, 'get_task', { taskId: cancelled, include: ['changes'] })).changes).toBeUndefined();
  expect((await works(owner, 'get_assessment', { assessmentId })).passed).toBe(true);
  await refuses(stranger, 'get_assessment', { assessmentId }, 'NOT_A_PARTY');
});

/** A task that the seller delivered. */
async function delivered(owner: Client, agent: Client): Promise<string> {
  const { id: taskId } = await works(owner, 'submit_task', { ...work, agentId: seller.id });
  await works(agent, 'start_task', { taskId });
  await works(agent, 'write_sandbox_file', { taskId, path: '/workspace/kind.txt', content: 'You are kind\n' });
  await works(agent, 'complete_task', { taskId, output: { result: 'You are a joy to work with.' } });
  return taskId;
}

test('working as an agent', async () => {
  const owner = await ownerClient(buyer);
  const agent = await agentClient(seller);
  const { id: taskId } = await works(owner, 'submit_task', { ...work, agentId: seller.id });
  expect((await works(agent, 'list_assigned_tasks')).data.map(({ id }: { id: string }) => id)).toContain(taskId);
  await refuses(agent, 'list_assigned_tasks', { cursor: 'of nobody' }, 'VALIDATION_ERROR');
  await refuses(agent, 'start_task', { taskId: unknown.task }, 'TASK_NOT_FOUND');
  await works(agent, 'start_task', { taskId });
  await works(agent, 'write_sandbox_file', { taskId, path: '/workspace/a.txt', content: 'a' });
  await refuses(agent, 'write_sandbox_file', { taskId, path: '/etc/passwd', content: 'a' }, 'INVALID_PATH');
  expect((await works(agent, 'read_sandbox_file', { taskId, path: '/workspace/a.txt' })).content).toBe('a');
  await refuses(agent, 'read_sandbox_file', { taskId, path: '/workspace/b.txt' }, 'FILE_NOT_FOUND');
  // A command that fails is a reply, which the model has to read.
  expect((await works(agent, 'run_in_sandbox', { taskId, command: 'exit 3' })).exitCode).toBe(3);
  expect((await works(agent, 'fail_task', { taskId, reason: 'too hard' })).status).toBe('failed');
  await refuses(agent, 'fail_task', { taskId, reason: 'again' }, 'TASK_WRONG_STATE');
  await refuses(agent, 'complete_task', { taskId, output: { result: 'late' } }, 'TASK_WRONG_STATE');
  await refuses(agent, 'run_in_sandbox', { taskId, command: 'true' }, 'TASK_WRONG_STATE');
});

test('an agent hires another, which its owner approves or denies', async () => {
  const owner = await ownerClient(buyer);
  const agent = await agentClient(hirer);
  expect((await works(agent, 'hire_agent', { ...work, agentId: seller.id })).status).toBe('submitted');
  await refuses(agent, 'hire_agent', { ...work, agentId: hirer.id }, 'SAME_OWNER');

  const before = await works(owner, 'set_policy', { perTransactionMax: 5000 });
  const after = await works(owner, 'set_policy', { agentId: hirer.id, approvalThreshold: 100 });
  expect([before, after]).toMatchObject([
    { agentId: null, version: 1 },
    { agentId: hirer.id, approvalThreshold: 100 },
  ]);
  // A call that sets nothing shows what is set, and rules that are left out stay.
  expect(await works(owner, 'set_policy')).toMatchObject({ version: 1, perTransactionMax: 5000 });
  expect(await works(owner, 'set_policy', { allowedCategories: ['general'] })).toMatchObject({
    version: 2,
    perTransactionMax: 5000,
    allowedCategories: ['general'],
  });
  await refuses(owner, 'set_policy', { perTransactionMax: 1, version: 1 }, 'VERSION_CONFLICT');

  const asked = async () => (await works(agent, 'hire_agent', { ...work, agentId: seller.id })).approval.id;
  const [approvalId, denied] = [await asked(), await asked()];
  expect((await works(owner, 'list_approvals', { status: 'pending' })).data).toHaveLength(2);
  await refuses(owner, 'list_approvals', { cursor: 'of nobody' }, 'VALIDATION_ERROR');
  const decided = await works(owner, 'decide_approval', { approvalId, action: 'approve' });
  expect(decided).toMatchObject({ approval: { status: 'approved' }, task: { status: 'submitted' } });
  const refusal = await works(owner, 'decide_approval', { approvalId: denied, action: 'deny', note: 'not now' });
  expect(refusal).toMatchObject({ approval: { status: 'denied', note: 'not now' } });
  await refuses(owner, 'decide_approval', { approvalId, action: 'deny' }, 'ALREADY_DECIDED');
});

test('looking after money and agents', async () => {
  const owner = await ownerClient(buyer);
  const poor = await ownerClient(await server.owner({ credits: 0 }));
  const agent = await agentClient(seller);
  expect(await works(owner, 'get_balance')).toMatchObject({ currency: 'USD', balance: expect.any(Number) });
  expect(await works(owner, 'get_balance', { agentId: hirer.id })).toMatchObject({ agentId: hirer.id, available: 0 });
  expect(await works(agent, 'get_balance')).toMatchObject({ agentId: seller.id });
  await refuses(owner, 'get_balance', { agentId: seller.id }, 'NOT_AGENT_OWNER');
  expect((await works(owner, 'list_transactions', { account: 'pool_held' })).data.length).toBeGreaterThan(0);
  expect((await works(agent, 'list_transactions')).data.length).toBeGreaterThan(0);
  await works(owner, 'list_transactions', { agentId: hirer.id });
  await refuses(owner, 'list_transactions', { account: 'wallet_escrowed' }, 'VALIDATION_ERROR');
  expect((await works(owner, 'top_up_pool', { amount: 500 })).amountCharged).toBe(500);
  await refuses(poor, 'top_up_pool', { amount: 500 }, 'NO_PAYMENT_METHOD');

  const fields = {
    displayName: 'Made by a model',
    framework: 'custom',
    capabilities: [{ category: 'general', tags: [] }],
  };
  const made = await works(owner, 'register_agent', fields);
  const agentId = made.agent.id;
  await refuses(owner, 'register_agent', { ...fields, framework: 'none' }, 'VALIDATION_ERROR');
  expect((await works(owner, 'update_agent', { agentId, availability: 'busy' })).availability).toBe('busy');
  expect((await works(agent, 'update_agent', { description: 'Mine' })).id).toBe(seller.id);
  await refuses(owner, 'update_agent', { agentId: seller.id, availability: 'busy' }, 'NOT_AGENT_OWNER');
  await refuses(owner, 'update_agent', { availability: 'busy' }, 'VALIDATION_ERROR');
  expect((await works(owner, 'set_agent_status', { agentId, status: 'deactivated' })).status).toBe('deactivated');
  expect((await works(owner, 'set_agent_status', { agentId, status: 'active' })).status).toBe('active');
  await refuses(owner, 'set_agent_status', { agentId, status: 'active' }, 'ALREADY_ACTIVE');
  const rotated = await works(owner, 'rotate_agent_key', { agentId });
  expect(rotated.apiKey).not.toBe(made.apiKey);
  await refuses(owner, 'rotate_agent_key', { agentId: unknown.agent }, 'AGENT_NOT_FOUND');
});

test.each(['owner', 'agent'] as const)('webhooks, managed by the %s', async (side) => {
  const client = side === 'owner' ? await ownerClient(sellerOwner) : await agentClient(seller);
  const act = (action: string, args: object = {}) =>
    works(client, 'manage_webhooks', { action, ...(side === 'owner' && { agentId: seller.id }), ...args });
  const { webhook } = await act('create', { url: 'http://127.0.0.1:9/hook', events: ['task_assigned'] });
  expect(webhook.secret).toMatch(/^whsec_/);
  const { webhooks } = await act('list');
  expect([webhooks[0].id, webhooks[0].secret]).toEqual([webhook.id, undefined]);
  const { delivery } = await act('test', { webhookId: webhook.id });
  expect((await act('list_deliveries', { webhookId: webhook.id })).deliveries[0].id).toBe(delivery.id);
  expect((await act('redeliver', { webhookId: webhook.id, deliveryId: delivery.id })).delivery.id).toBe(delivery.id);
  expect((await act('rotate_secret', { webhookId: webhook.id })).webhook.secret).not.toBe(webhook.secret);
  expect((await act('enable', { webhookId: webhook.id })).webhook.enabled).toBe(true);
  expect(await act('delete', { webhookId: webhook.id })).toEqual({ deleted: true });
  const gone = { action: 'enable', webhookId: webhook.id, ...(side === 'owner' && { agentId: seller.id }) };
  await refuses(client, 'manage_webhooks', gone, 'WEBHOOK_NOT_FOUND');
  const told = await refuses(client, 'manage_webhooks', { ...gone, webhookId: undefined }, 'VALIDATION_ERROR');
  expect(told.text).toContain('webhookId: is needed for the action enable');
});

test('who has both credentials is a party by either', async () => {
  const both = await mcpClient(server, { ...bearer(sellerOwner.token), 'x-api-key': seller.key });
  const owner = await ownerClient(buyer);
  const taskId = await delivered(owner, await agentClient(seller));
  expect((await works(both, 'get_task', { taskId })).status).toBe('completed');
  expect((await works(both, 'wait_for_task', { taskId })).status).toBe('completed');
  expect((await works(both, 'list_tasks', { role: 'assigned' })).data[0].id).toBe(taskId);
});

test('no tool was left out', () => {
  const names = tools.map(({ name }) => name).toSorted();
  expect([...worked].toSorted()).toEqual(names);
  expect([...refused].toSorted()).toEqual(names);
});
