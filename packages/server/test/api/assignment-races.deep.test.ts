import type { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestAgent } from '../support/harness.ts';
import { expectUndone, makeMarket, storyOf } from './assignment-scene.ts';
import {
  goodOutput,
  hire,
  makePair,
  minute,
  pass,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();
let other: SecondApp;
beforeAll(async () => {
  other = await startSecondApp(server);
});
afterAll(() => other.app.close());

const start = { sandboxId: 'mine' };
/** The same caller at the other process. */
const there = ({ agora }: { agora: Agora }) => agora.withOptions({ baseUrl: other.url });
const two = (agents: TestAgent[]) => agents as [TestAgent, TestAgent];

describe('races, each tried in both orders and between two processes', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    'accept against the sweep at the deadline: one of them has it (try %i)',
    async (nth) => {
      const market = await makeMarket(server, 'design', [100, 200]);
      const [first, second] = two(market.agents);
      const task = await market.submit();
      server.clock.advance(15 * minute);
      const agora = nth % 2 === 0 ? first.agora : there(first);
      const calls = [
        () => refusalOf(agora.tasks.start(task.id, start)),
        () => server.app.sweep(),
        () => other.app.sweep(),
      ];
      if (nth % 3 === 0) calls.reverse();
      const answers = await Promise.all(calls.map((call) => call()));
      const started = answers.find((answer) => typeof answer === 'string');
      const now = await market.buyer.agora.tasks.get(task.id);
      if (started === 'no refusal') {
        expect(now).toMatchObject({ status: 'executing', agentId: first.id, price: 100 });
        await first.agora.tasks.complete(task.id, { output: goodOutput });
        expect(await market.buyer.agora.vault.getPool()).toMatchObject({ balance: 9900, held: 0 });
      } else {
        expect([started, now.status, now.agentId]).toEqual(['403 NOT_A_PARTY', 'routing', second.id]);
        // Two sweeps at once move it once.
        expect((await storyOf(market.buyer, task.id)).filter((each) => each.startsWith('task.assigned'))).toHaveLength(
          2,
        );
        await second.agora.tasks.decline(task.id);
        await expectUndone(market);
      }
      for (const { id } of market.agents) await market.seller.agora.agents.deactivate(id);
    },
  );

  test.each([0, 1, 2, 3])('decline against start by the same agent: one is taken (try %i)', async (nth) => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hire(pair);
    const calls = [
      () => refusalOf(there(pair.agent).tasks.decline(id)),
      () => refusalOf(pair.agent.agora.tasks.start(id, start)),
    ];
    const answers = await Promise.all((nth % 2 ? calls.reverse() : calls).map((call) => call()));
    expect(answers.sort()).toEqual(['409 TASK_WRONG_STATE', 'no refusal']);
    const { status } = await pair.buyer.agora.tasks.get(id);
    if (status === 'executing') await pair.agent.agora.tasks.fail(id, { reason: 'enough' });
    else expect(status).toBe('failed');
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test.each([0, 1, 2, 3])('cancel against start: one is taken (try %i)', async (nth) => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hire(pair);
    const calls = [
      () => refusalOf(there(pair.buyer).tasks.cancel(id)),
      () => refusalOf(pair.agent.agora.tasks.start(id, start)),
    ];
    const answers = await Promise.all((nth % 2 ? calls.reverse() : calls).map((call) => call()));
    expect(answers.sort()).toEqual(['409 TASK_WRONG_STATE', 'no refusal']);
    const { status } = await pair.buyer.agora.tasks.get(id);
    if (status === 'executing') await pair.agent.agora.tasks.fail(id, { reason: 'enough' });
    else expect(status).toBe('failed');
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test('of ten declines at once one is taken, and the task moves one agent further and no more', async () => {
    const market = await makeMarket(server, 'research', [100, 200, 300]);
    const task = await market.submit();
    const [first] = two(market.agents);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => refusalOf((at % 2 ? first.agora : there(first)).tasks.decline(task.id))),
    );
    expect(answers.sort()).toEqual([...Array(9).fill('403 NOT_A_PARTY'), 'no refusal']);
    expect(await market.holderOf(task)).toBe(1);
    await market.buyer.agora.tasks.cancel(task.id);
    await expectUndone(market);
  });

  test('cancel against decline of a routed task: it ends once, with one refund', async () => {
    const market = await makeMarket(server, 'refactor', [100, 200]);
    for (let nth = 0; nth < 4; nth++) {
      const task = await market.submit();
      const calls = [
        () => refusalOf(there(market.agents[0]!).tasks.decline(task.id)),
        () => refusalOf(market.buyer.agora.tasks.cancel(task.id)),
      ];
      const answers = await Promise.all((nth % 2 ? calls.reverse() : calls).map((call) => call()));
      expect(answers).toContain('no refusal');
      expect(await market.buyer.agora.tasks.get(task.id)).toMatchObject({ status: 'failed' });
      expect((await storyOf(market.buyer, task.id)).filter((each) => each === 'credits.released')).toHaveLength(1);
      await expectUndone(market);
    }
  });

  test('two processes that move many tasks in one moment give no agent more than it has room for', async () => {
    const prices = Array.from({ length: 10 }, (_, at) => 100 + at);
    const market = await makeMarket(server, 'bug_fix', prices, 100_000);
    const tasks = await Promise.all(Array.from({ length: 5 }, () => market.submit()));
    server.clock.advance(15 * minute);
    await Promise.all([server.app.sweep(), other.app.sweep(), server.app.sweep(), other.app.sweep()]);
    const open = await Promise.all(
      market.agents.map(async ({ agora }) => (await agora.agents.me()).capacity.openTasks),
    );
    expect(open.sort()).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    for (const { id } of tasks) await market.buyer.agora.tasks.cancel(id);
    await expectUndone(market, 100_000);
  });
});

describe('a hint that one process remembers after another has changed the task', () => {
  test('lets neither the agent that lost it start it, nor keeps the new one from it, nor is the old price paid', async () => {
    const market = await makeMarket(server, 'code_review', [100, 200]);
    const [first, second] = two(market.agents);
    // Remembered here, with the first agent and its price.
    const task = await market.submit();
    await there(first).tasks.decline(task.id);
    expect(await refusalOf(first.agora.tasks.start(task.id, start))).toBe('403 NOT_A_PARTY');
    const started = await second.agora.tasks.start(task.id, start);
    expect(started).toMatchObject({ status: 'executing', price: 200, agentId: second.id });
    expect(await second.agora.tasks.complete(task.id, { output: goodOutput })).toMatchObject({ creditsCharged: 200 });
    expect(await market.buyer.agora.vault.getPool()).toMatchObject({ balance: 9800, held: 0 });
  });

  test('starts no task that was cancelled or declined elsewhere, and ends none twice', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const [cancelled, declined] = [await hire(pair), await hire(pair)];
    await there(pair.buyer).tasks.cancel(cancelled.id);
    await there(pair.agent).tasks.decline(declined.id);
    for (const { id } of [cancelled, declined]) {
      for (const call of [
        () => pair.agent.agora.tasks.start(id, start),
        () => pair.agent.agora.tasks.decline(id),
        () => pair.agent.agora.tasks.complete(id, { output: goodOutput }),
        () => pair.buyer.agora.tasks.cancel(id),
      ]) {
        expect(await refusalOf(call())).toBe('409 TASK_WRONG_STATE');
      }
    }
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test('moves no task on that its agent has started elsewhere', async () => {
    const market = await makeMarket(server, 'devops', [100, 200]);
    const [first] = two(market.agents);
    const task = await market.submit();
    await there(first).tasks.start(task.id, start);
    expect(await refusalOf(first.agora.tasks.decline(task.id))).toBe('409 TASK_WRONG_STATE');
    await pass(server, 15 * minute);
    expect(await market.buyer.agora.tasks.get(task.id)).toMatchObject({ status: 'executing', agentId: first.id });
    await first.agora.tasks.complete(task.id, { output: goodOutput });
  });

  test('keeps no sandbox of the agent that lost the task, which the other process still holds', async () => {
    const market = await makeMarket(server, 'security', [100, 200]);
    const [first, second] = two(market.agents);
    const task = await market.submit();
    await there(first).sandbox.provision(task.id);
    await first.agora.tasks.decline(task.id);
    // The place of the task's one sandbox is free once its process has swept.
    await other.app.sweep();
    const { sandboxId } = (await second.agora.sandbox.provision(task.id)).data;
    await second.agora.tasks.start(task.id, { sandboxId });
    expect((await second.agora.sandbox.exec(task.id, { command: 'echo here' })).data.stdout).toBe('here\n');
    await second.agora.tasks.complete(task.id, { output: goodOutput });
  });
});
