import { describe, expect, test } from 'vitest';
import { subHire } from '../support/sub-hire.ts';
import { expectUndone, makeMarket, storyOf } from './assignment-scene.ts';
import {
  goodOutput,
  hire,
  hireAndStart,
  loseReplies,
  makePair,
  minute,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();
const start = { sandboxId: 'mine' };

describe('a routed task that is not accepted in time', () => {
  test('moves to the next best agent, not a millisecond early, with a new time and the price of that agent', async () => {
    const market = await makeMarket(server, 'design', [500, 300]);
    const task = await market.submit();
    expect(task).toMatchObject({ status: 'routing', price: 300 });
    // The cheaper one comes first; put the places right.
    const [second, first] = market.agents as [(typeof market.agents)[0], (typeof market.agents)[0]];
    await pass(server, 15 * minute - 1);
    expect((await market.buyer.agora.tasks.get(task.id)).agentId).toBe(first.id);
    await pass(server, 1);
    const moved = await market.buyer.agora.tasks.get(task.id);
    expect(moved).toMatchObject({
      status: 'routing',
      agentId: second.id,
      price: 500,
      assignedAt: server.clock.now().toISOString(),
      acceptBy: new Date(server.clock.now().getTime() + 15 * minute).toISOString(),
    });
    expect(await market.buyer.agora.vault.getPool()).toMatchObject({ balance: 9000, held: 1000 });
    expect((await first.agora.agents.me()).capacity.openTasks).toBe(0);
    expect((await second.agora.agents.me()).capacity.openTasks).toBe(1);
    // Paid is what was agreed with the one that did it.
    await second.agora.tasks.start(task.id, start);
    expect(await second.agora.tasks.complete(task.id, { output: goodOutput })).toMatchObject({
      status: 'completed',
      creditsCharged: 500,
    });
    expect(await market.buyer.agora.vault.getPool()).toMatchObject({ balance: 9500, held: 0 });
  });

  test('is offered to three agents in all, each once; then it fails, and the hold returns', async () => {
    const market = await makeMarket(server, 'research', [100, 200, 300, 400]);
    const task = await market.submit();
    const holders = [await market.holderOf(task)];
    for (let deadline = 1; deadline <= 2; deadline++) {
      await pass(server, 15 * minute);
      holders.push(await market.holderOf(task));
    }
    expect(holders).toEqual([0, 1, 2]);
    await pass(server, 15 * minute);
    expect(await market.buyer.agora.tasks.get(task.id)).toMatchObject({
      status: 'failed',
      creditsCharged: 0,
      errorMessage: 'The task was offered to 3 agents. None accepted it.',
    });
    await expectUndone(market);
    expect(await storyOf(market.buyer, task.id)).toEqual([
      'task.submitted',
      'credits.held',
      'task.assigned',
      'task.unassigned not_accepted',
      'task.assigned 2',
      'task.unassigned not_accepted',
      'task.assigned 3',
      'credits.released',
      'task.failed expire',
    ]);
  });

  test('fails at once where nobody else fits, and never goes back to who had it', async () => {
    const market = await makeMarket(server, 'refactor', [100]);
    const task = await market.submit();
    await pass(server, 15 * minute);
    expect(await market.buyer.agora.tasks.get(task.id)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('no other agent was available'),
    });
    await expectUndone(market);
  });

  test('never goes to an agent of the submitter, one above the budget, or one without capacity', async () => {
    const market = await makeMarket(server, 'devops', [100, 1001, 150]);
    await market.buyer.agent({ capabilities: [{ category: 'devops', tags: [] }] });
    const task = await market.submit();
    await hireAndStart({ buyer: market.buyer, agent: market.agents[2]! });
    await pass(server, 15 * minute);
    expect((await market.buyer.agora.tasks.get(task.id)).status).toBe('failed');
  });

  test('is one of many: each goes to an agent with room, none twice to the same', async () => {
    const prices = Array.from({ length: 10 }, (_, at) => 100 + at);
    const market = await makeMarket(server, 'testing', prices);
    const tasks = await Promise.all(Array.from({ length: 3 }, () => market.submit()));
    const had = tasks.map(() => new Set<number>());
    for (let round = 1; round <= 3; round++) {
      const holders = await Promise.all(tasks.map((task) => market.holderOf(task)));
      expect(new Set(holders).size).toBe(3);
      for (const [at, holder] of holders.entries()) had[at]?.add(holder);
      expect(had.map(({ size }) => size)).toEqual([round, round, round]);
      await pass(server, 15 * minute);
    }
    await expectUndone(market);
  });
});

describe('the agent that lost a task', () => {
  test('is no party any more: it reads, lists and starts nothing of it, and its stream ends', async () => {
    const market = await makeMarket(server, 'code_review', [100, 200]);
    const task = await market.submit({ input: { description: 'Look at it', code: 'SECRET' } });
    const [first, second] = market.agents as [(typeof market.agents)[0], (typeof market.agents)[0]];
    const stream = first.agora.tasks.stream(task.id)[Symbol.asyncIterator]();
    expect((await stream.next()).value).toMatchObject({ data: { status: 'routing' } });
    const ended = stream.next().catch((error) => ({ value: error.code }));
    await pass(server, 15 * minute);
    for (const call of [
      () => first.agora.tasks.get(task.id),
      () => first.agora.tasks.events(task.id),
      () => first.agora.tasks.start(task.id, start),
      () => first.agora.tasks.decline(task.id),
      () => first.agora.sandbox.provision(task.id),
    ]) {
      expect(await refusalOf(call())).toBe('403 NOT_A_PARTY');
    }
    expect((await first.agora.tasks.list()).data).toEqual([]);
    expect((await first.agora.tasks.assigned()).data).toEqual([]);
    expect((await second.agora.tasks.assigned()).data.map(({ id }) => id)).toEqual([task.id]);
    // The new one sees as little as the old one did before it starts.
    expect(JSON.stringify(await second.agora.tasks.get(task.id))).not.toContain('SECRET');
    await second.agora.tasks.start(task.id, start);
    await second.agora.tasks.complete(task.id, { output: goodOutput });
    expect(JSON.stringify(await ended)).not.toContain('Debits');
    expect((await ended).value).toBe('NOT_A_PARTY');
  });

  test('leaves no sandbox behind: the next agent gets one of its own, under an id of its own', async () => {
    const market = await makeMarket(server, 'bug_fix', [100, 200]);
    const task = await market.submit({ input: { description: 'Fix', code: 'print(1)' } });
    const [first, second] = market.agents as [(typeof market.agents)[0], (typeof market.agents)[0]];
    const { sandboxId } = (await first.agora.sandbox.provision(task.id)).data;
    expect((await market.buyer.agora.tasks.get(task.id)).sandboxId).toBe(sandboxId);
    await first.agora.tasks.decline(task.id);
    expect((await market.buyer.agora.tasks.get(task.id)).sandboxId).toBeNull();
    // As of a task that never had one.
    expect(await refusalOf(second.agora.sandbox.get(task.id))).toBe('404 SANDBOX_NOT_FOUND');
    expect(await refusalOf(second.agora.sandbox.destroy(task.id))).toBe('404 SANDBOX_NOT_FOUND');
    const own = (await second.agora.sandbox.provision(task.id)).data.sandboxId;
    expect(own).not.toBe(sandboxId);
    expect((await second.agora.sandbox.get(task.id)).data).toMatchObject({ sandboxId: own, status: 'ready' });
    await second.agora.tasks.start(task.id, { sandboxId: own });
    expect((await second.agora.sandbox.exec(task.id, { command: 'cat code' })).data.stdout).toBe('print(1)');
    await second.agora.tasks.complete(task.id, { output: goodOutput });
  });
});

describe('decline', () => {
  test('a routed task moves on at once, the next agent is woken, and nobody is blamed', async () => {
    const market = await makeMarket(server, 'data_analysis', [100, 200]);
    const [first, second] = market.agents as [(typeof market.agents)[0], (typeof market.agents)[0]];
    const waiting = second.agora.tasks.assigned({ wait: 30 });
    const task = await market.submit();
    const answer = await first.agora.tasks.decline(task.id, { reason: 'No database here' });
    expect(answer).toEqual({ taskId: task.id, status: 'routing' });
    expect((await waiting).data.map(({ id }) => id)).toEqual([task.id]);
    expect(await market.buyer.agora.tasks.get(task.id)).toMatchObject({ agentId: second.id, price: 200 });
    const { data } = await market.buyer.agora.tasks.events(task.id);
    expect(data.find(({ eventType }) => eventType === 'task.unassigned')?.data).toEqual({
      agentId: first.id,
      because: 'declined',
      reason: 'No database here',
    });
    expect(data.at(-1)?.data).toMatchObject({ agentId: second.id, price: 200, status: 'routing', attempt: 2 });
    expect(await second.agora.tasks.decline(task.id)).toEqual({ taskId: task.id, status: 'failed' });
    await expectUndone(market);
  });

  test('three of them end the task with a refund, though there is a fourth agent', async () => {
    const market = await makeMarket(server, 'content_creation', [100, 200, 300, 400]);
    const task = await market.submit();
    const answers: string[] = [];
    for (const { agora } of market.agents.slice(0, 3)) answers.push((await agora.tasks.decline(task.id)).status);
    expect(answers).toEqual(['routing', 'routing', 'failed']);
    await expectUndone(market);
    expect((await storyOf(market.buyer, task.id)).slice(-2)).toEqual(['credits.released', 'task.failed decline']);
  });

  test('of a direct hire ends it: failed, refunded, with the reason, without blame', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hire(pair, { maxBudget: 1 });
    expect(await pair.agent.agora.tasks.decline(id, { reason: 'Too cheap' })).toEqual({ taskId: id, status: 'failed' });
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({
      status: 'failed',
      creditsCharged: 0,
      reason: 'Too cheap',
      errorMessage: 'The agent declined the task: Too cheap',
    });
    await expectUndone({ ...pair, agents: [pair.agent] } as never, 5000);
    expect(await refusalOf(pair.agent.agora.tasks.decline(id))).toBe('409 TASK_WRONG_STATE');
  });

  test('sent again with its key gives its first answer, not a refusal', async () => {
    const market = await makeMarket(server, 'code_generation', [100, 200]);
    const task = await market.submit();
    const decline = () => market.agents[0]!.agora.tasks.decline(task.id, {}, { idempotencyKey: 'no thanks' });
    const first = await decline();
    expect(await decline()).toEqual(first);
    expect(await market.holderOf(task)).toBe(1);
    // And where the server died between the step and its reply.
    await loseReplies(server);
    expect(await decline()).toEqual(first);
    expect(await market.holderOf(task)).toBe(1);
  });
});

describe('cancel', () => {
  test('by the submitter before executing: failed, refunded, no effect on reputation, nothing left to do', async () => {
    const market = await makeMarket(server, 'security', [100, 200]);
    const routed = await market.submit();
    const hired = await hire({ buyer: market.buyer, agent: market.agents[1]! });
    for (const { id } of [routed, hired]) {
      const cancelled = await market.buyer.agora.tasks.cancel(id);
      expect(cancelled).toMatchObject({
        id,
        status: 'failed',
        creditsCharged: 0,
        errorMessage: 'The submitter cancelled the task.',
      });
      expect(await market.buyer.agora.tasks.get(id)).toEqual(cancelled);
      expect((await storyOf(market.buyer, id)).slice(-2)).toEqual(['credits.released', 'task.failed cancel']);
      expect(await refusalOf(market.buyer.agora.tasks.cancel(id))).toBe('409 TASK_WRONG_STATE');
    }
    for (const { agora } of market.agents) expect((await agora.tasks.assigned()).data).toEqual([]);
    expect(await refusalOf(market.agents[0]!.agora.tasks.start(routed.id, start))).toBe('409 TASK_WRONG_STATE');
    await expectUndone(market);
  });

  test('the submitting agent or the owner whose pool paid can cancel a sub-hire', async () => {
    const pair = await makePair(server);
    const foreman = await pair.buyer.agent();
    for (const agora of [foreman.agora, pair.buyer.agora]) {
      const body = { taskType: 'general' as const, maxBudget: 100, input: {}, agentId: pair.agent.id };
      const { id } = await subHire(foreman.agora, body);
      expect(await agora.tasks.cancel(id)).toMatchObject({ status: 'failed' });
    }
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
  });

  test('is too late once it is executing', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(pair.buyer.agora.tasks.cancel(id))).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(pair.agent.agora.tasks.cancel(id, { as: 'agent' }))).toBe('403 NOT_A_PARTY');
  });
});

describe('capacity', () => {
  test('direct hires for a cent that wait keep no agent from being routed to; started ones do', async () => {
    const pair = await makePair(server, { agent: { capabilities: [{ category: 'general', tags: ['rare'] }] } });
    const hires = [];
    for (let each = 0; each < 5; each++) hires.push(await hire(pair, { maxBudget: 1 }));
    const submit = () =>
      pair.buyer.agora.tasks.submit({ taskType: 'general', maxBudget: 1000, input: { tags: ['rare'] } });
    const routed = await submit();
    expect(routed.agentId).toBe(pair.agent.id);
    await pair.buyer.agora.tasks.cancel(routed.id);
    await pair.agent.agora.tasks.start(hires[0]!.id, start);
    expect((await pair.agent.agora.agents.me()).capacity).toEqual({ openTasks: 1, maxOpenTasks: 1 });
    const elsewhere = await submit().then(
      (task) => task.agentId,
      (error) => error.code,
    );
    expect(elsewhere).not.toBe(pair.agent.id);
  });
});
