import { beforeAll, describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { goodOutput, hire, hireAndStart, makePair, type Pair, serverForFile } from './scene.ts';

/** The rows of the spec's endpoint table, legacy aside, called as the table spells them, with the shape of each reply. */

const server = serverForFile();
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});

type Json = Record<string, unknown>;

async function call(
  line: string,
  options: { owner?: TestOwner; agentKey?: string; body?: unknown } = {},
): Promise<{ status: number; body: Json }> {
  const [method, path] = line.split(' ') as [string, string];
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(options.owner && { authorization: `Bearer ${options.owner.token}` }),
      ...(options.agentKey && { 'x-api-key': options.agentKey }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

const taskFields = [
  'id',
  'taskType',
  'maxBudget',
  'agentId',
  'input',
  'status',
  'output',
  'qualityScore',
  'executionTimeMs',
  'creditsCharged',
];
const agentFields = [
  'id',
  'displayName',
  'framework',
  'model',
  'description',
  'capabilities',
  'pricing',
  'trustTier',
  'overallScore',
  'availability',
  'status',
];
const keys = (value: unknown) => Object.keys(value as Json);

test('POST /api/v1/auth/sign-up', async () => {
  const body = { name: 'Ada', email: 'Ada.Sign-Up@example.com', password: 'correct horse' };
  const reply = await call('POST /api/v1/auth/sign-up', { body });
  expect(reply).toMatchObject({
    status: 201,
    body: { owner: { name: 'Ada', email: 'ada.sign-up@example.com' }, token: expect.stringMatching(/^ac_sess_/) },
  });
  expect(JSON.stringify(reply.body)).not.toContain('correct horse');
});

test('POST /api/v1/auth/sign-in', async () => {
  const body = { email: pair.buyer.email, password: 'correct horse' };
  const { status, body: reply } = await call('POST /api/v1/auth/sign-in', { body });
  expect([status, typeof reply.token]).toEqual([200, 'string']);
  expect((await server.client({ ownerToken: reply.token as string }).auth.session()).owner.id).toBe(pair.buyer.id);
});

test('POST /api/v1/agents', async () => {
  const body = {
    displayName: 'Sorter',
    framework: 'langgraph',
    model: 'any',
    description: 'Sorts',
    capabilities: [{ category: 'testing', tags: ['sort'] }],
    pricing: { model: 'per_task', baseRate: 250, currency: 'USD' },
  };
  const { status, body: reply } = await call('POST /api/v1/agents', { owner: pair.seller, body });
  expect(status).toBe(201);
  expect(reply.agent).toMatchObject({ ...body, trustTier: 'unverified', status: 'active', availability: 'available' });
  expect(keys(reply.agent)).toEqual(expect.arrayContaining(agentFields));
  expect(reply.apiKey).toMatch(/^ac_live_/);
});

test('GET /api/v1/agents/me', async () => {
  const { status, body } = await call('GET /api/v1/agents/me', { agentKey: pair.agent.key });
  expect([status, body.id]).toEqual([200, pair.agent.id]);
  expect(keys(body)).toEqual(expect.arrayContaining([...agentFields, 'ownerId', 'dimensions', 'capacity']));
  expect(JSON.stringify(body)).not.toContain(pair.agent.key);
});

describe('GET /api/v1/agents/search', () => {
  test('is public, and shows no owner, key or wallet', async () => {
    const { status, body } = await call('GET /api/v1/agents/search?availability=available');
    expect([status, keys(body)]).toEqual([200, ['data', 'pagination']]);
    const [first] = body.data as Json[];
    expect(keys(first)).toEqual(expect.arrayContaining(agentFields));
    for (const secret of ['ownerId', 'apiKeyPrefix', 'dimensions', 'capacity'])
      expect(keys(first)).not.toContain(secret);
  });

  test('answers with credentials as well', async () => {
    const reply = await call('GET /api/v1/agents/search', { owner: pair.buyer, agentKey: pair.agent.key });
    expect(reply.status).toBe(200);
  });
});

describe('POST /api/v1/tasks', () => {
  const body = () => ({ taskType: 'general', maxBudget: 500, input: { description: 'x' }, agentId: pair.agent.id });

  test('answers 201 with the task and charges the owner pool', async () => {
    const { balance } = await pair.buyer.agora.vault.getPool();
    const reply = await call('POST /api/v1/tasks', { owner: pair.buyer, body: body() });
    expect(reply).toMatchObject({ status: 201, body: { status: 'submitted', maxBudget: 500, output: null } });
    expect(keys(reply.body)).toEqual(expect.arrayContaining(taskFields));
    expect(keys(reply.body)).not.toContain('errorMessage');
    expect((await pair.buyer.agora.vault.getPool()).balance).toBe(balance - 500);
  });

  test('POST /api/v1/tasks/agent takes the same body from an agent', async () => {
    const boss = await pair.buyer.agent();
    const reply = await call('POST /api/v1/tasks/agent', { agentKey: boss.key, body: body() });
    expect(reply).toMatchObject({ status: 201, body: { submitterId: boss.id, agentId: pair.agent.id } });
  });
});

test('POST /api/v1/tasks/:taskId/executing', async () => {
  const { id } = await hire(pair);
  const reply = await call(`POST /api/v1/tasks/${id}/executing`, {
    agentKey: pair.agent.key,
    body: { sandboxId: 'mine' },
  });
  expect(reply).toMatchObject({ status: 200, body: { id, status: 'executing', sandboxId: 'mine' } });
});

test('GET /api/v1/tasks/:taskId/sandbox/files, …/files/read and …/sandbox/exec', async () => {
  const { id } = await hireAndStart(pair, { input: { code: 'print(1)\n', files: { 'src/a.txt': 'hello' } } });
  const agentKey = pair.agent.key;
  const listed = await call(`GET /api/v1/tasks/${id}/sandbox/files?path=/workspace/src`, { agentKey });
  expect(listed).toMatchObject({
    status: 200,
    body: { data: { entries: [{ name: 'a.txt', path: '/workspace/src/a.txt', type: 'file', sizeBytes: 5 }] } },
  });
  const read = await call(`GET /api/v1/tasks/${id}/sandbox/files/read?path=/workspace/code`, { agentKey });
  expect(read).toMatchObject({ status: 200, body: { data: { content: 'print(1)\n', encoding: 'utf8' } } });
  const command = 'echo "$PWD" && cat src/a.txt';
  const replies = await Promise.all([
    ...['POST', 'PUT', 'PATCH'].map((method) =>
      call(`${method} /api/v1/tasks/${id}/sandbox/exec`, { agentKey, body: { command } }),
    ),
    ...['GET', 'DELETE'].map((method) =>
      call(`${method} /api/v1/tasks/${id}/sandbox/exec?command=${encodeURIComponent(command)}`, { agentKey }),
    ),
  ]);
  for (const reply of replies) {
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { exitCode: 0, stdout: '/workspace\nhello', stderr: '', timedOut: false, truncated: false } },
    });
    expect(keys(reply.body.data)).toContain('durationMs');
  }
});

test('POST /api/v1/tasks/:taskId/complete', async () => {
  const { id } = await hireAndStart(pair);
  const output = { ...goodOutput, model: 'm', turns: 3, toolCallCount: 4, actualApiCostCents: 12 };
  const reply = await call(`POST /api/v1/tasks/${id}/complete`, {
    agentKey: pair.agent.key,
    body: { output, executionTimeMs: 1500, qualityScore: 90 },
  });
  expect(reply).toMatchObject({ status: 200, body: { status: 'completed', output, executionTimeMs: 1500 } });
  expect(reply.body.assessmentId).toMatch(/^asm_/);
});

test('GET /api/v1/vault/wallet', async () => {
  const { status, body } = await call('GET /api/v1/vault/wallet', { agentKey: pair.agent.key });
  expect(status).toBe(200);
  expect(body).toMatchObject({ agentId: pair.agent.id, available: expect.any(Number), escrowed: expect.any(Number) });
});

test('GET /api/v1/health', async () => {
  const reply = await call('GET /api/v1/health');
  expect(reply).toEqual({ status: 200, body: { status: 'ok', timestamp: server.clock.now().toISOString() } });
});

describe('operations whose path the spec gives by prefix', () => {
  test('fail task answers the updated task', async () => {
    const { id } = await hireAndStart(pair);
    const body = { reason: 'no_tool', errorMessage: 'gcc is missing' };
    const reply = await call(`POST /api/v1/tasks/${id}/fail`, { agentKey: pair.agent.key, body });
    expect(reply).toMatchObject({ status: 200, body: { status: 'failed', ...body } });
    await pair.seller.agora.agents.reactivate(pair.agent.id).catch(() => undefined);
  });

  test('assessments: by task and by id, with evidence for each criterion, for buyer and seller only', async () => {
    const { id } = await hireAndStart(pair);
    const done = await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    const listed = (await pair.buyer.agora.courts.listAssessments({ taskId: id })).data;
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ id: done.assessmentId, taskId: id, score: done.qualityScore, passed: true });
    for (const criterion of listed[0]?.criteria ?? []) expect(criterion.evidence).not.toBe('');
    const one = await pair.agent.agora.courts.getAssessment(done.assessmentId as string);
    expect(one).toEqual(listed[0]);
    const stranger = await server.owner({ credits: 0 });
    for (const look of [
      () => stranger.agora.courts.getAssessment(one.id),
      () => stranger.agora.courts.listAssessments({ taskId: id }),
    ]) {
      await expect(look()).rejects.toMatchObject({ status: 403, code: 'NOT_A_PARTY' });
    }
  });

  test("an own agent's wallet, and nobody else's", async () => {
    const { agentId } = await pair.seller.agora.vault.getAgentWallet(pair.agent.id);
    expect(agentId).toBe(pair.agent.id);
    const other = pair.buyer.agora.vault.getAgentWallet(pair.agent.id);
    await expect(other).rejects.toMatchObject({ status: 403, code: 'NOT_AGENT_OWNER' });
  });

  test('top up owner pool: newBalance and amountCharged', async () => {
    const owner = await server.owner({ credits: 500 });
    expect(await owner.agora.vault.topUp({ amount: 700 })).toEqual({ newBalance: 1200, amountCharged: 700 });
  });
});
