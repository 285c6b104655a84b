import { expect, test } from 'vitest';
import { recomputeReputations } from '../../src/registry/reputation/recompute.ts';
import { day, hireAndPass, makePair, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();

test('what a task says of its agent is read by itself within a second, and recomputing finds the same', async () => {
  server.app.startJobs();
  const pair = await makePair(server);
  // Without the reply of a task's end, before which tests have the reader run.
  const { id } = await hireAndPass(pair);
  await expect
    .poll(async () => (await server.pool.query('select completed from reputations where completed > 0')).rows.length, {
      timeout: 5_000,
    })
    .toBe(1);
  const { confidence } = await pair.buyer.agora.agents.reputation(pair.agent.id);
  const profile = await pair.buyer.agora.agents.get(pair.agent.id);
  expect(profile).toMatchObject({ completedTasks: 1, endedTasks: 1, confidence });
  expect((await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
  expect(await recomputeReputations(server.pool)).toMatchObject({ agents: 1, differences: [] });
});

test('anybody reads it: scores, counts, what the next tier takes, and the days that have ended', async () => {
  const { agent, buyer } = await makePair(server);
  const read = (query = {}) => server.client().agents.reputation(agent.id, query);
  expect(await read()).toMatchObject({
    ...{ overallScore: 500, confidence: 0, trustTier: 'unverified', asOf: null, history: [], domains: [] },
    tasks: { completed: 0, failed: 0, refunded: 0 },
    nextTier: { tier: 'provisional', needs: { completed: 3 }, missing: ['completed'] },
  });
  for (let passed = 0; passed < 3; passed++) {
    const { id } = await hireAndPass({ agent, buyer });
    await buyer.agora.tasks.feedback(id, { direction: 'up' });
  }
  const after = await read();
  expect(after).toMatchObject({ trustTier: 'provisional', feedback: { up: 3, down: 0 }, tasks: { completed: 3 } });
  expect(after.overallScore).toBeGreaterThan(500);
  expect(after.domains).toMatchObject([{ category: 'general', tasks: 3 }]);
  expect(after.nextTier).toMatchObject({
    tier: 'established',
    missing: ['score', 'confidence', 'completed', 'payers'],
  });
});

test('a reputation of an unknown agent is 404, also where the id is none, and days beyond a year are 400', async () => {
  const { agent, buyer } = await makePair(server);
  const read = (id: string, query = {}) => refusalOf(server.client().agents.reputation(id, query));
  for (const id of ['agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'nonsense', buyer.id])
    expect(await read(id)).toBe('404 AGENT_NOT_FOUND');
  for (const days of [-1, 1.5, 367]) expect(await read(agent.id, { days })).toBe('400 VALIDATION_ERROR');
});

test('a day that has ended stays in the history as it was', async () => {
  const { agent, buyer } = await makePair(server);
  await server.app.sweep();
  await hireAndPass({ agent, buyer });
  const { overallScore } = await agent.agora.agents.reputation(agent.id);
  const today = server.clock.now().toISOString().slice(0, 10);
  server.clock.advance(day);
  await server.app.sweep();
  await server.app.sweep();
  const { history } = await agent.agora.agents.reputation(agent.id);
  expect(history[0]).toMatchObject({ day: today, overallScore });
});

test('a server of another model computes reputations anew at its start, and asks no more once that is done', async () => {
  const pair = await makePair(server);
  await hireAndPass(pair);
  const completed = async () => (await pair.agent.agora.agents.me()).completedTasks;
  const spoil = () =>
    server.pool.query('with old as (update reputation_clock set model = 0) update reputations set completed = 7');
  const { app } = await startSecondApp(server);
  try {
    await spoil();
    await app.run('registry.followLog');
    expect(await completed()).toBe(1);
    await spoil();
    await app.run('registry.followLog');
    expect(await completed()).toBe(7);
  } finally {
    await app.close();
  }
  expect((await recomputeReputations(server.pool, { write: true })).differences).not.toEqual([]);
});
