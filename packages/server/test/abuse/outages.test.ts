import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  expectSoundLedger,
  goodOutput,
  hireAndStart,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  startSecondApp,
} from '../api/scene.ts';
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

/** Fails a task and says that the platform is why. */
const blame = ({ agent }: Pair, id: string) =>
  agent.agora.tasks.fail(id, { reason: 'The server did not answer', cause: 'platform' });

// Before: any 5xx excused the agent, and each of these it can have whenever it likes.
test.each<[string, (pair: Pair, id: string) => Promise<void>]>([
  [
    'a command that ended with the sandbox that it destroyed',
    async ({ agent: { agora } }, id) => {
      await agora.sandbox.exec(id, { command: 'true' });
      const running = refusalOf(agora.sandbox.exec(id, { command: 'touch begun; sleep 60' }));
      await expect.poll(() => refusalOf(agora.sandbox.read(id, { path: 'begun' }))).toBe('no refusal');
      await agora.sandbox.destroy(id);
      expect(await running).toBe('503 SANDBOX_UNAVAILABLE');
    },
  ],
  [
    'what an operation for everybody answers',
    async ({ agent }) => {
      const second = await startSecondApp(server, { processor: null });
      onTestFinished(() => second.app.close());
      const url = `${second.url}/api/v1/vault/processor/webhook`;
      const headers = { 'x-api-key': agent.key, 'content-type': 'application/json' };
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(503);
      await second.app.run('tasks.storeFaults');
    },
  ],
  [
    'what befell another task of its own',
    async (pair) => {
      const other = await hireAndStart(pair);
      await failed(pair, other.id);
      await pair.agent.agora.tasks.complete(other.id, { output: goodOutput });
    },
  ],
])('an agent is not excused by %s', async (_, during) => {
  const pair = await makePair(server);
  server.clock.advance(3_600_000);
  const { id } = await hireAndStart(pair);
  await during(pair, id);
  await blame(pair, id);
  expect(await pair.agent.agora.agents.me()).toMatchObject({ consecutiveFailures: 1 });
});

// Before: a server stored faults once a second, and another one did not know of them for so long.
test('what one server failed to do excuses the agent at another at once', async () => {
  const pair = await makePair(server);
  const second = await startSecondApp(server);
  onTestFinished(() => second.app.close());
  server.clock.advance(3_600_000);
  const { id } = await hireAndStart(pair);
  const agora = pair.agent.agora.withOptions({ baseUrl: second.url });
  await failed({ ...pair, agent: { ...pair.agent, agora } }, id);
  // No job runs in a test.
  const stored = 'select count(*)::int as n from platform_faults where at = $1';
  await expect.poll(async () => (await server.pool.query(stored, [server.clock.now()])).rows).toEqual([{ n: 1 }]);
  await blame(pair, id);
  expect(await pair.agent.agora.agents.me()).toMatchObject({ consecutiveFailures: 0 });
});
