import { Agora } from '@agora-market/sdk';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, type Pair, serverForFile, startSecondApp } from './scene.ts';

const mock = new LLMock({ port: 0, logLevel: 'silent' });
await mock.start();
afterAll(() => mock.stop());

const server = serverForFile({
  config: { JUDGE_BASE_URL: `${mock.url}/v1`, JUDGE_API_KEY: 'a-key-of-the-judge', JUDGE_MODEL: 'judge-1' },
});

let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});
beforeEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
});

const verdict = (score: number, reasons: string) =>
  mock.onMessage(/Score this delivery by the rules/, {
    content: JSON.stringify({ reasons, score }),
    usage: { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 },
  });

async function deliver(more: { qualityScore?: number; acceptance?: object; by?: Agora } = {}) {
  const input = {
    description: 'Write a haiku about ledgers',
    acceptance: { rubric: 'Three lines', ...more.acceptance },
  };
  const { id } = await hireAndStart(pair, { input });
  const { qualityScore } = more;
  await (more.by ?? pair.agent.agora).tasks.complete(id, {
    output: goodOutput,
    ...(qualityScore !== undefined && { qualityScore }),
  });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).not.toBe('quality_check');
  const task = await pair.buyer.agora.tasks.get(id);
  return { task, assessment: await pair.agent.agora.courts.getAssessment(task.assessmentId ?? '') };
}

test('a delivery that proves nothing fails on a bad opinion; the buyer is refunded, and the agent reads why', async () => {
  verdict(20, 'It has no third line.');
  const before = (await pair.buyer.agora.vault.getPool()).balance;
  const { task, assessment } = await deliver();
  expect(task).toMatchObject({ status: 'failed', qualityScore: 40, creditsCharged: 0 });
  expect(task.errorMessage).toBe('The quality gate gave 40 of 100. The judge gave 20; the assessment says why.');
  expect(assessment).toMatchObject({
    score: 40,
    passed: false,
    criteria: [{ name: 'output', score: 60 }],
    judge: {
      status: 'judged',
      model: 'judge-1',
      score: 20,
      reasons: 'It has no third line.',
      tokens: { input: 900, output: 40 },
    },
  });
  // The judge may repeat the work.
  const judge = { ...assessment.judge, reasons: 'Withheld, because the work was not paid for.' };
  expect(await pair.buyer.agora.courts.getAssessment(assessment.id)).toEqual({ ...assessment, judge });
  expect((await pair.buyer.agora.vault.getPool()).balance).toBe(before);
});

test('a good opinion is the other half of the score, and what the judge got is the case and nothing else', async () => {
  verdict(91, 'Right and complete.');
  const { task, assessment } = await deliver();
  expect(task).toMatchObject({ status: 'completed', qualityScore: 76 });
  expect(assessment.judge).toMatchObject({ status: 'judged', score: 91 });
  const requests = mock.getRequests();
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'judge-1', temperature: 0, response_format: { type: 'json_schema' } },
  });
  const sent = JSON.stringify(requests[0]?.body);
  expect(sent).toContain('| Three lines');
  for (const private_ of [pair.buyer.email, pair.buyer.id, pair.agent.id, task.id])
    expect(sent).not.toContain(private_);
});

test("the agent's own estimate still only lowers what both gave", async () => {
  verdict(90, 'Good.');
  expect((await deliver({ qualityScore: 58 })).task).toMatchObject({ status: 'completed', qualityScore: 58 });
  expect((await deliver({ qualityScore: 99 })).task).toMatchObject({ status: 'completed', qualityScore: 75 });
});

test('a delivery that evidence decides is not shown to a judge', async () => {
  verdict(0, 'No.');
  const fits = await deliver({ acceptance: { schema: { type: 'string' } } });
  expect(fits.task).toMatchObject({ status: 'completed', qualityScore: 87 });
  const fails = await deliver({ acceptance: { schema: { type: 'number' } } });
  expect(fails.task.status).toBe('failed');
  expect([fits.assessment.judge, fails.assessment.judge]).toEqual([null, null]);
  expect(mock.getRequests()).toEqual([]);
});

test('a judge that cannot be reached leaves the verdict of the rules standing, and the assessment says so', async () => {
  mock.onMessage(/.*/, { error: { message: 'overloaded', type: 'server_error' }, status: 503 });
  const delivered = deliver();
  const asked = () => {
    // The pauses between its tries go by.
    server.clock.advance(20);
    return mock.getRequests().length;
  };
  await expect.poll(asked, { interval: 10 }).toBe(3);
  const { task, assessment } = await delivered;
  expect(task).toMatchObject({ status: 'completed', qualityScore: 60 });
  expect(assessment.judge).toMatchObject({ status: 'unreachable', model: 'judge-1', score: null, tokens: null });
  expect(assessment.judge?.reasons).toMatch(/The deterministic verdict stands\.$/);
  expect(mock.getRequests()).toHaveLength(3);
});

test('an answer that is no verdict counts for nothing', async () => {
  mock.onMessage(/.*/, { content: '{"score": 3000, "reasons": "the best"}' });
  const { task, assessment } = await deliver();
  expect(task).toMatchObject({ status: 'completed', qualityScore: 60 });
  expect(assessment.judge).toMatchObject({ status: 'malformed', score: null });
});

test('servers on one database keep to the budget of a day together', async () => {
  verdict(70, 'Fine.');
  await server.pool.query('delete from judge_tokens');
  await deliver();
  const { rows } = await server.pool.query('select day::text, tokens from judge_tokens');
  // Of the buyer, and of all.
  expect(rows).toEqual(Array(2).fill({ day: '2026-11-21', tokens: 940 }));
  await server.pool.query('update judge_tokens set tokens = 1999000');
  const { app, url } = await startSecondApp(server);
  try {
    mock.clearRequests();
    const elsewhere = new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
    const { assessment } = await deliver({ by: elsewhere });
    expect(assessment.judge).toMatchObject({ status: 'over_budget', score: null });
    expect(mock.getRequests()).toEqual([]);
  } finally {
    await app.close();
    await server.pool.query('delete from judge_tokens');
  }
});
