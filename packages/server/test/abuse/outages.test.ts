import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSoundLedger, hireAndStart, makePair, minute, type Pair, pass } from '../api/scene.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** What the platform could not do is no failure of an agent; an agent that only says so is not believed. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectSoundLedger(server);
  await server.close();
});

const report = async (pair: Pair, during: (taskId: string) => Promise<unknown>) => {
  const { id } = await hireAndStart(pair);
  server.clock.advance(1_000);
  await during(id);
  return pair.agent.agora.tasks.fail(id, {
    reason: 'The server did not answer',
    errorMessage: '503',
    cause: 'platform',
  });
};

/** One call that the server answers with a 5xx, because a table of its is away. */
async function failed(pair: Pair, taskId: string): Promise<void> {
  await server.pool.query('alter table task_progress rename to task_progress_away');
  try {
    const refused = pair.agent.agora.tasks.progress(taskId, { percent: 50 });
    await expect(refused).rejects.toMatchObject({ status: 500 });
  } finally {
    await server.pool.query('alter table task_progress_away rename to task_progress');
  }
}

// Before: 17 tasks failed over two trials by 502, 503, lost replies and time-outs, and an outage suspended an agent.
test('three tasks that the platform failed suspend nobody and count nothing', async () => {
  const pair = await makePair(server);
  for (let nth = 0; nth < 3; nth++) {
    const task = await report(pair, (id) => failed(pair, id));
    expect(task).toMatchObject({ status: 'failed', reason: 'The server did not answer', errorMessage: '503' });
  }
  expect(await pair.agent.agora.agents.me()).toMatchObject({ status: 'active', consecutiveFailures: 0 });
  expect((await pair.buyer.agora.agents.reputation(pair.agent.id)).tasks).toMatchObject({ failed: 0 });
  expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 100_000, held: 0 });
});

// Before: the sweep counted each against the agent, though the report of an end is asked for its cause.
test('three deadlines that passed while the platform failed the agent suspend nobody', async () => {
  const pair = await makePair(server);
  for (let nth = 0; nth < 3; nth++) {
    const { id } = await hireAndStart(pair);
    server.clock.advance(1_000);
    await failed(pair, id);
    await pass(server, 24 * 60 * minute);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed', creditsCharged: 0 });
  }
  expect(await pair.agent.agora.agents.me()).toMatchObject({ status: 'active', consecutiveFailures: 0 });
});

test('an agent that blames the platform for nothing is suspended as ever', async () => {
  const pair = await makePair(server);
  // The servers of the test started long ago, and what befell another agent is no excuse.
  const other = await makePair(server);
  server.clock.advance(3_600_000);
  await report(other, (id) => failed(other, id));
  server.clock.advance(1_000);
  for (let nth = 0; nth < 3; nth++) await report(pair, async () => {});
  expect((await pair.seller.agora.agents.get(pair.agent.id)).status).toBe('suspended');
});
