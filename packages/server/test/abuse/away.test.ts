import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  expectSoundLedger,
  goodOutput,
  hire,
  hireAndStart,
  makePair,
  minute,
  pass,
  serverForFile,
} from '../api/scene.ts';
import { bid, goodText, inHours, market, post } from '../exchange/scene.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** While no server is at work, no time runs against an agent. */

const config = { AGORA_ENCRYPTION_KEY: 'the same secret before and after the outage' };
const hours = 3;
let before: TestServer;
let server: TestServer;
let scene: Awaited<ReturnType<typeof prepared>>;

/** Three started tasks, one whose deadline is paused, one that waits for its agent, and an agreement of the legacy exchange. */
async function prepared() {
  const pair = await makePair(before);
  const started = [await hireAndStart(pair), await hireAndStart(pair), await hireAndStart(pair)];
  const paused = await hireAndStart(pair);
  const question = { kind: 'question', text: 'Which colour?', blocking: true } as const;
  const { id: questionId } = await pair.agent.agora.tasks.postMessage(paused.id, question);
  const { waitingUntil } = await pair.agent.agora.tasks.get(paused.id);
  const waiting = await hire(pair);
  const traders = await market(before);
  const times = { biddingClosesAt: inHours(before, 1), deadline: inHours(before, 2) };
  const request = await post(traders, times);
  const { id } = await bid(traders, traders.seller, request.id, { estimatedDelivery: times.deadline });
  const agreement = await traders.buyer.agora.exchange.selectBid(request.id, id);
  return {
    pair,
    started,
    paused: { id: paused.id, questionId, waitingUntil },
    waiting,
    seller: traders.seller,
    agreement,
  };
}

beforeAll(async () => {
  const database = await createTestDatabase();
  before = await startTestServer({ database, config });
  scene = await prepared();
  await before.app.close();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // Heartbeats have the time of the database, which no test moves.
  await client.query(`update hosts set beat_at = beat_at - interval '${hours} hours'`);
  await client.end();
  const at = new Date(before.clock.now().getTime() + hours * 60 * minute).toISOString();
  server = await startTestServer({ database, config, at });
});
afterAll(async () => {
  await expectSoundLedger(server);
  await server.close();
  await rm(before.dataDir, { recursive: true, force: true });
});

// Before: the first sweep after the outage failed each task, and three of them suspended the agent.
test('deadlines that passed in an outage move by its length, and the work can still be delivered', async () => {
  const { pair, started, waiting } = scene;
  const agent = server.client({ agentKey: pair.agent.key });
  await pass(server, 1_000);
  for (const { id, deadline } of started) {
    const task = await agent.tasks.get(id);
    expect(task).toMatchObject({ status: 'executing', waitingFor: null, waitingUntil: null });
    const movedMs = Date.parse(task.deadline ?? '') - Date.parse(deadline ?? '');
    expect(movedMs).toBeGreaterThanOrEqual(hours * 60 * minute);
    expect(await agent.tasks.complete(id, { output: goodOutput })).toMatchObject({ status: 'completed' });
  }
  expect(await agent.tasks.start(waiting.id, { sandboxId: 'mine' })).toMatchObject({ status: 'executing' });
  await agent.tasks.complete(waiting.id, { output: goodOutput });
  expect(await agent.agents.me()).toMatchObject({ status: 'active', consecutiveFailures: 0 });
});

// Before: it gave all other tasks a pause as well, whose answer put their deadlines into the past.
test('so does the time for an answer, where one is awaited', async () => {
  const { pair, paused } = scene;
  const agent = server.client({ agentKey: pair.agent.key });
  const task = await agent.tasks.get(paused.id);
  expect(task.waitingFor).toBe('submitter');
  const movedMs = Date.parse(task.waitingUntil ?? '') - Date.parse(paused.waitingUntil ?? '');
  expect(movedMs).toBeGreaterThanOrEqual(hours * 60 * minute);
  const buyer = server.client({ ownerToken: pair.buyer.token });
  await buyer.tasks.postMessage(paused.id, { kind: 'answer', text: 'Red', answers: paused.questionId });
  expect(await agent.tasks.complete(paused.id, { output: goodOutput })).toMatchObject({ status: 'completed' });
});

test('so does the deadline of an agreement', async () => {
  const { seller, agreement } = scene;
  const { exchange } = server.client({ agentKey: seller.key });
  const found = await exchange.getAgreement(agreement.id);
  expect(found.status).toBe('active');
  expect(Date.parse(found.deadline) - Date.parse(agreement.deadline)).toBeGreaterThanOrEqual(hours * 60 * minute);
  expect(await exchange.deliver(agreement.id, { result: goodText })).toMatchObject({ status: 'delivered' });
});

test('a deadline that passes after the outage counts as ever', async () => {
  const agent = server.client({ agentKey: scene.pair.agent.key });
  const buyer = server.client({ ownerToken: scene.pair.buyer.token });
  const { id } = await hireAndStart({
    buyer: { ...scene.pair.buyer, agora: buyer },
    agent: { ...scene.pair.agent, agora: agent },
  });
  await pass(server, 24 * 60 * minute);
  expect(await agent.tasks.get(id)).toMatchObject({ status: 'failed' });
  expect(await agent.agents.me()).toMatchObject({ consecutiveFailures: 1 });
});

const shaken = serverForFile({ config: { PEER_DEAD_MS: 1_000 } });

test('deadlines move as well when the database was away for every server', async () => {
  const pair = await makePair(shaken);
  const { id, deadline } = await hireAndStart(pair);
  await shaken.pool.query('alter table hosts rename to hosts_away');
  try {
    const silent = `select max(beat_at) < clock_timestamp() - interval '2 seconds' as "isSilent" from hosts_away`;
    await expect.poll(async () => (await shaken.pool.query(silent)).rows).toEqual([{ isSilent: true }]);
  } finally {
    await shaken.pool.query('alter table hosts_away rename to hosts');
  }
  const moved = async () => (await pair.agent.agora.tasks.get(id)).deadline;
  await expect.poll(moved).not.toBe(deadline);
  expect(Date.parse((await moved()) ?? '')).toBeGreaterThan(Date.parse(deadline ?? ''));
});
