import { describe, expect, test, vi } from 'vitest';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  minute,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();

describe('(none) → submitted: a caller submits a task', () => {
  test('a direct hire is submitted and its whole budget is held', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const task = await hire(pair, { maxBudget: 1200 });
    expect(task).toMatchObject({ status: 'submitted', agentId: pair.agent.id, submitterId: pair.buyer.id });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 3800, held: 1200 });
  });

  test('its input is weighed once, and not again at each step', async () => {
    const pair = await makePair(server);
    const description = 'Weigh me once';
    const stringify = vi.spyOn(JSON, 'stringify');
    // The SDK has the input in its body, so that it alone goes through here is the server's doing.
    const weighed = () => stringify.mock.calls.filter(([value]) => value?.description === description).length;
    try {
      const { id } = await hire(pair, { input: { description } });
      await pair.agent.agora.tasks.start(id, { sandboxId: 'mine' });
      await pair.agent.agora.tasks.complete(id, { output: goodOutput });
      expect(weighed()).toBe(1);
    } finally {
      stringify.mockRestore();
    }
  });

  test('a budget of exactly the balance is held, one cent more is INSUFFICIENT_CREDITS and stores nothing', async () => {
    const pair = await makePair(server, { credits: 1000 });
    await expect(hire(pair, { maxBudget: 1001 })).rejects.toMatchObject({
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      details: { required: 1001, available: 1000 },
    });
    expect((await pair.buyer.agora.tasks.list()).data).toEqual([]);
    await hire(pair, { maxBudget: 1000 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 0, held: 1000 });
  });
});

describe('submitted → routing: platform routing where no agentId is given', () => {
  test('the platform assigns an agent of another owner', async () => {
    const { buyer, agent } = await makePair(server, { agent: { capabilities: [{ category: 'research', tags: [] }] } });
    await buyer.agent({ capabilities: [{ category: 'research', tags: [] }], pricing: null });
    const task = await buyer.agora.tasks.submit({
      taskType: 'research',
      maxBudget: 1000,
      input: { description: 'Find out' },
    });
    expect(task).toMatchObject({ status: 'routing', agentId: agent.id });
    expect((await agent.agora.tasks.assigned()).data.map((each) => each.id)).toEqual([task.id]);
  });

  test('where only agents of the same owner match, it is NO_AGENTS_AVAILABLE and nothing is held or stored', async () => {
    const buyer = await server.owner({ credits: 5000 });
    await buyer.agent({ capabilities: [{ category: 'testing', tags: [] }] });
    const call = buyer.agora.tasks.submit({ taskType: 'testing', maxBudget: 1000, input: { description: 'Test' } });
    expect(await refusalOf(call)).toBe('404 NO_AGENTS_AVAILABLE');
    expect((await buyer.agora.tasks.list()).data).toEqual([]);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });
});

describe('routing or submitted → executing: the agent marks the task executing with a sandboxId', () => {
  test('from submitted, and the input becomes visible to the agent', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input: { description: 'Fix', tone: 'friendly' } });
    expect((await pair.agent.agora.tasks.get(id)).input).toEqual({ redacted: true, description: 'Fix' });
    const started = await pair.agent.agora.tasks.start(id, { sandboxId: 'mine' });
    expect(started).toMatchObject({ status: 'executing', sandboxId: 'mine', input: { tone: 'friendly' } });
    expect(started.startedAt).toBe(server.clock.now().toISOString());
  });

  test('from routing', async () => {
    const { buyer, agent } = await makePair(server, { agent: { capabilities: [{ category: 'devops', tags: [] }] } });
    const { id } = await buyer.agora.tasks.submit({ taskType: 'devops', maxBudget: 1000, input: {} });
    expect(await agent.agora.tasks.start(id, { sandboxId: 'mine' })).toMatchObject({ status: 'executing' });
  });

  test('only the assigned agent may, and only once', async () => {
    const pair = await makePair(server);
    const other = await pair.seller.agent();
    const { id } = await hire(pair);
    expect(await refusalOf(other.agora.tasks.start(id, { sandboxId: 'x' }))).toBe('403 NOT_A_PARTY');
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await refusalOf(pair.agent.agora.tasks.start(id, { sandboxId: 'x' }))).toBe('409 TASK_WRONG_STATE');
  });
});

describe('executing → quality_check → completed or failed: the agent reports completion', () => {
  test('a score of 50 or above completes: charged, assessed, escrowed', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const done = await hireAndPass(pair, { maxBudget: 1500 });
    expect(done).toMatchObject({ status: 'completed', creditsCharged: 1000, output: { result: expect.any(String) } });
    expect(done.qualityScore).toBeGreaterThanOrEqual(50);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 4000, held: 0 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 850 });
    const { eventTypes } = await typesOf(pair.buyer, done.id);
    expect(eventTypes).toEqual([
      'task.submitted',
      'credits.held',
      'task.assigned',
      'task.started',
      'task.delivered',
      'credits.charged',
      'task.completed',
    ]);
  });

  test('a score below 50 fails: the hold returns whole and the message says why', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const before = (await pair.agent.agora.agents.me()).overallScore;
    const failed = await hireAndReject(pair);
    expect(failed).toMatchObject({ status: 'failed', creditsCharged: 0 });
    expect(failed.qualityScore).toBeLessThan(50);
    expect(failed.errorMessage).toContain('quality gate');
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 0 });
    expect((await pair.agent.agora.agents.me()).overallScore).toBeLessThan(before);
  });

  test('a declared score of 49 fails a delivery that the gate would pass; 50 does not', async () => {
    const pair = await makePair(server);
    for (const [qualityScore, status] of [
      [49, 'failed'],
      [50, 'completed'],
    ] as const) {
      const { id } = await hireAndStart(pair);
      const done = await pair.agent.agora.tasks.complete(id, { output: { result: 'An answer' }, qualityScore });
      expect(done).toMatchObject({ status, qualityScore });
    }
  });

  test('executionTimeMs is kept and errorMessage is absent on success', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const done = await pair.agent.agora.tasks.complete(id, { output: { result: 'An answer' }, executionTimeMs: 1234 });
    expect(done.executionTimeMs).toBe(1234);
    expect(done).not.toHaveProperty('errorMessage');
  });

  test('completing an already completed task is 409', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const again = pair.agent.agora.tasks.complete(id, { output: { result: 'Another' } });
    expect(await refusalOf(again)).toBe('409 TASK_WRONG_STATE');
    expect((await pair.buyer.agora.tasks.get(id)).output).not.toEqual({ result: 'Another' });
  });

  test('completing before executing is 409', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const early = pair.agent.agora.tasks.complete(id, { output: { result: 'x' } });
    expect(await refusalOf(early)).toBe('409 TASK_WRONG_STATE');
  });
});

describe('executing → failed: the agent reports failure', () => {
  test('the caller is refunded, the reason is shown, and the agent is blamed', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndStart(pair);
    const failed = await pair.agent.agora.tasks.fail(id, { reason: 'no_compiler', errorMessage: 'gcc is missing' });
    expect(failed).toMatchObject({
      status: 'failed',
      reason: 'no_compiler',
      errorMessage: 'gcc is missing',
      creditsCharged: 0,
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await pair.agent.agora.agents.me()).toMatchObject({ consecutiveFailures: 1, capacity: { openTasks: 0 } });
  });

  test('failing a terminal task is 409, whichever end it came to', async () => {
    const pair = await makePair(server);
    const ends = {
      completed: (await hireAndPass(pair)).id,
      failed: (await hireAndReject(pair)).id,
      refunded: (await hireAndPass(pair)).id,
    };
    await pair.buyer.agora.tasks.feedback(ends.refunded, { direction: 'down' });
    for (const id of Object.values(ends)) {
      expect(await refusalOf(pair.agent.agora.tasks.fail(id, { reason: 'late' }))).toBe('409 TASK_WRONG_STATE');
      const again = pair.agent.agora.tasks.complete(id, { output: { result: 'x' } });
      expect(await refusalOf(again)).toBe('409 TASK_WRONG_STATE');
      const start = pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
      expect(await refusalOf(start)).toBe('409 TASK_WRONG_STATE');
    }
  });

  test('failing before executing is 409', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    expect(await refusalOf(pair.agent.agora.tasks.fail(id, { reason: 'no' }))).toBe('409 TASK_WRONG_STATE');
  });
});

describe('completed → refunded or completed: feedback', () => {
  test('thumbs-down at exactly 10 minutes refunds payout and fee', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndPass(pair);
    server.clock.advance(10 * minute);
    const given = await pair.buyer.agora.tasks.feedback(id, { direction: 'down', comment: 'Not a haiku' });
    expect(given).toMatchObject({
      refunded: true,
      direction: 'down',
      task: { status: 'refunded', creditsCharged: 0, feedback: { direction: 'down', comment: 'Not a haiku' } },
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 0 });
    expect(await pair.buyer.agora.tasks.get(id)).toEqual(given.task);
  });

  test('thumbs-down one millisecond later is recorded without a refund', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndPass(pair);
    const before = (await pair.agent.agora.agents.me()).dimensions.relationship;
    server.clock.advance(10 * minute + 1);
    const given = await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    expect(given).toMatchObject({ refunded: false, task: { status: 'completed', feedback: { direction: 'down' } } });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 4000 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 850 });
    expect((await pair.agent.agora.agents.me()).dimensions.relationship).toBeLessThan(before);
  });

  test('thumbs-up keeps the task completed and raises the reputation', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const before = await pair.agent.agora.agents.me();
    const given = await pair.buyer.agora.tasks.feedback(id, { direction: 'up' });
    expect(given).toMatchObject({ refunded: false, task: { status: 'completed', feedback: { direction: 'up' } } });
    const after = await pair.agent.agora.agents.me();
    expect(after.overallScore).toBeGreaterThan(before.overallScore);
    expect(after.dimensions.relationship).toBeGreaterThan(before.dimensions.relationship);
  });

  test('feedback can be replaced while the window is open, and only then', async () => {
    const pair = await makePair(server);
    const first = await hireAndPass(pair);
    const base = (await pair.agent.agora.agents.me()).dimensions.relationship;
    await pair.buyer.agora.tasks.feedback(first.id, { direction: 'up' });
    const raised = (await pair.agent.agora.agents.me()).dimensions.relationship;
    await pair.buyer.agora.tasks.feedback(first.id, { direction: 'up', comment: 'Again' });
    // The same thumb twice counts once.
    expect((await pair.agent.agora.agents.me()).dimensions.relationship).toBe(raised);
    expect((await pair.buyer.agora.tasks.get(first.id)).feedback).toMatchObject({ comment: 'Again' });
    const replaced = await pair.buyer.agora.tasks.feedback(first.id, { direction: 'down' });
    expect(replaced).toMatchObject({ refunded: true, task: { status: 'refunded' } });
    // The withdrawn thumb no longer counts.
    expect((await pair.agent.agora.agents.me()).dimensions.relationship).toBeLessThan(base);

    const second = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(second.id, { direction: 'up' });
    server.clock.advance(10 * minute + 1);
    const late = pair.buyer.agora.tasks.feedback(second.id, { direction: 'down' });
    expect(await refusalOf(late)).toBe('409 DUPLICATE');
    expect((await pair.buyer.agora.tasks.get(second.id)).feedback).toMatchObject({ direction: 'up' });
  });

  test('feedback on a task that is not completed is 409', async () => {
    const pair = await makePair(server);
    const ids = [(await hire(pair)).id, (await hireAndStart(pair)).id, (await hireAndReject(pair)).id];
    const refunded = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
    for (const id of [...ids, refunded.id]) {
      for (const direction of ['up', 'down'] as const) {
        expect(await refusalOf(pair.buyer.agora.tasks.feedback(id, { direction }))).toBe('409 TASK_WRONG_STATE');
      }
    }
  });
});

async function typesOf(buyer: Awaited<ReturnType<typeof makePair>>['buyer'], taskId: string) {
  const { data } = await buyer.agora.tasks.events(taskId);
  return { eventTypes: data.map((event) => event.eventType) };
}
