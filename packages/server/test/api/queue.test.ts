import { toUuid } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { expectUndone, type Market, makeMarket, storyOf } from './assignment-scene.ts';
import { day, goodOutput, minute, pass, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile({ config: { QUEUE_OWNER_TASKS: 5 } });

type Category = Parameters<typeof makeMarket>[1];

/** A market whose agents all have a task in hand. */
async function fullMarket(category: Category, prices: (number | null)[] = [100]): Promise<Market & { held: Task[] }> {
  const market = await makeMarket(server, category, prices);
  const held: Task[] = [];
  for (const _ of prices) held.push(await market.submit());
  return { ...market, held };
}

const submit = ({ agora }: TestOwner, taskType: Category, fields: object = {}): Promise<Task> =>
  agora.tasks.submit({ taskType, maxBudget: 1000, input: { description: 'Do it' }, waitMinutes: 60, ...fields });

/** The agent ends what it has, and the queue moves. */
async function makeRoom(agent: TestAgent, taskId: string): Promise<void> {
  await agent.agora.tasks.start(taskId, { sandboxId: 'x' });
  await agent.agora.tasks.complete(taskId, { output: goodOutput });
  await server.app.run('tasks.assignQueued');
}

/** The agent does one task after the other; tells whose they were, in the order in which they got it. */
async function workOff(agent: TestAgent, owners: TestOwner[]): Promise<number[]> {
  for (let data = await waitingFor(agent); data[0]; data = await waitingFor(agent)) await makeRoom(agent, data[0].id);
  const { rows } = await server.pool.query<{ owner: string }>(
    'select owner_id as owner from tasks where agent_id = $1 and turn is not null order by turn',
    [toUuid('agent', agent.id)],
  );
  return rows.map(({ owner }) => owners.findIndex(({ id }) => toUuid('owner', id) === owner));
}

const waitingFor = async ({ agora }: TestAgent) => (await agora.tasks.assigned()).data;

describe('a task that may wait', () => {
  test('is routed at once where an agent is free', async () => {
    const market = await makeMarket(server, 'testing', [100]);
    const task = await submit(market.buyer, 'testing');
    expect(task).toMatchObject({ status: 'routing', agentId: market.agents[0]?.id, waiting: null });
  });

  test('is held and waits where all that match are busy, and gets the first that becomes free', async () => {
    const { buyer, agents, held } = await fullMarket('research');
    const task = await submit(buyer, 'research');
    const until = new Date(server.clock.now().getTime() + 60 * minute).toISOString();
    const waiting = { place: 1, estimatedMs: null, until };
    expect(task).toMatchObject({ status: 'submitted', agentId: null, price: null, acceptBy: null, waiting });
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({ agentId: null, assignedAt: null, waiting });
    const [first] = (await buyer.agora.tasks.list()).data;
    expect(first).toMatchObject({ id: task.id, waiting });
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 8_000, held: 2_000 });
    expect(await buyer.agora.tasks.routing(task.id)).toMatchObject({ by: 'nobody', candidates: [] });
    expect((await agents[0]!.agora.tasks.assigned()).data).toHaveLength(1);
    expect(await refusalOf(agents[0]!.agora.tasks.get(task.id))).toBe('403 NOT_A_PARTY');

    await makeRoom(agents[0]!, held[0]!.id);
    const taken = await buyer.agora.tasks.get(task.id);
    expect(taken).toMatchObject({ status: 'routing', agentId: agents[0]!.id, price: 100, waiting: null });
    expect(await buyer.agora.tasks.routing(task.id)).toMatchObject({ by: 'newcomers', considered: 1 });
    await makeRoom(agents[0]!, task.id);
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({ status: 'completed', creditsCharged: 100 });
    expect(await storyOf(buyer, task.id)).toEqual([
      'task.submitted',
      'credits.held',
      'task.queued',
      'task.assigned 1',
      'task.started',
      'task.delivered',
      'credits.charged',
      'task.completed pass',
    ]);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 9_800, held: 0 });
  });

  test('without waitMinutes is refused where all are busy', async () => {
    const { buyer } = await fullMarket('design');
    expect(await refusalOf(submit(buyer, 'design', { waitMinutes: 0 }))).toBe('404 NO_AGENTS_AVAILABLE');
    expect(await refusalOf(submit(buyer, 'design', { waitMinutes: undefined }))).toBe('404 NO_AGENTS_AVAILABLE');
  });

  test('is refused where nobody matches even when free, and nothing is held', async () => {
    const { buyer, agents } = await fullMarket('devops');
    expect(await refusalOf(submit(buyer, 'devops', { maxBudget: 99 }))).toBe('404 NO_AGENTS_AVAILABLE');
    await agents[0]!.agora.agents.updateMe({ availability: 'offline' });
    expect(await refusalOf(submit(buyer, 'devops'))).toBe('404 NO_AGENTS_AVAILABLE');
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 9_000, held: 1_000 });
  });

  test('is refused with an agent, with a wait out of range, and with a pool that cannot hold it', async () => {
    const { buyer, agents } = await fullMarket('security');
    const agentId = agents[0]!.id;
    expect(await refusalOf(submit(buyer, 'security', { agentId }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(submit(buyer, 'security', { waitMinutes: 1441 }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(submit(buyer, 'security', { waitMinutes: -1 }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(submit(buyer, 'security', { maxBudget: 9_001 }))).toBe('402 INSUFFICIENT_CREDITS');
    expect(await buyer.agora.tasks.submit({ ...hireOf(agentId), waitMinutes: 0 })).toMatchObject({ agentId });
  });

  const hireOf = (agentId: string) => ({ taskType: 'security' as const, maxBudget: 100, input: {}, agentId });

  test('counts against the limit of its owner, and leaves room when it has ended', async () => {
    const { buyer } = await fullMarket('refactor');
    const tasks = [];
    for (let nth = 0; nth < 5; nth++) tasks.push(await submit(buyer, 'refactor', { maxBudget: 100 }));
    const refused = await submit(buyer, 'refactor', { maxBudget: 100 }).catch((error) => error);
    expect(refused).toMatchObject({ status: 409, code: 'QUEUE_LIMIT_REACHED', details: { limit: 5 } });
    await buyer.agora.tasks.cancel(tasks[2]!.id);
    expect(await submit(buyer, 'refactor', { maxBudget: 100 })).toMatchObject({ waiting: { place: 5 } });
  });
});

describe('a task in the queue', () => {
  test('fails when its time is over, is refunded and blames nobody', async () => {
    const market = await fullMarket('bug_fix');
    const { buyer, agents, held } = market;
    const task = await submit(buyer, 'bug_fix', { waitMinutes: 5 });
    await pass(server, 5 * minute - 1);
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({ status: 'submitted' });
    await pass(server, 1);
    const ended = await buyer.agora.tasks.get(task.id);
    const errorMessage = 'No agent became free in the time that the task was to wait.';
    expect(ended).toMatchObject({ status: 'failed', agentId: null, creditsCharged: 0, waiting: null, errorMessage });
    await buyer.agora.tasks.cancel(held[0]!.id);
    await expectUndone({ ...market, agents });
    expect(await storyOf(buyer, task.id)).toEqual([
      'task.submitted',
      'credits.held',
      'task.queued',
      'credits.released',
      'task.failed expire',
    ]);
    const receipt = await buyer.agora.tasks.receipt(task.id);
    expect(receipt).toBeDefined();
  });

  test('never outlasts its input', async () => {
    const { buyer } = await fullMarket('content_creation');
    const { waiting } = await submit(buyer, 'content_creation', { waitMinutes: 1440 });
    expect(Date.parse(waiting!.until)).toBe(server.clock.now().getTime() + day);
  });

  test('can be cancelled by its submitter alone', async () => {
    const market = await fullMarket('data_analysis');
    const { buyer, agents, held } = market;
    const task = await submit(buyer, 'data_analysis');
    const stranger = await server.owner();
    expect(await refusalOf(stranger.agora.tasks.cancel(task.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(agents[0]!.agora.tasks.decline(task.id))).toBe('403 NOT_A_PARTY');
    expect(await buyer.agora.tasks.cancel(task.id)).toMatchObject({ status: 'failed', waiting: null, agentId: null });
    await buyer.agora.tasks.cancel(held[0]!.id);
    await server.app.sweep();
    expect((await agents[0]!.agora.tasks.assigned()).data).toEqual([]);
    await expectUndone(market);
  });

  test('is refused whatever needs an agent or a delivery, and shows its submitter what there is', async () => {
    const { buyer, agents } = await makeMarket(server, 'data_analysis', [7]);
    const held = await submit(buyer, 'data_analysis', { maxBudget: 7 });
    const { agora } = buyer;
    const { id } = await submit(buyer, 'data_analysis', { maxBudget: 7 });
    expect(await refusalOf(agora.tasks.dispute(id, { reason: 'late' }))).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(agora.tasks.feedback(id, { direction: 'up' }))).toBe('409 TASK_WRONG_STATE');
    expect((await agora.courts.listAssessments({ taskId: id })).data).toEqual([]);
    expect(await refusalOf(agora.artifacts.list(id))).toBe('409 TASK_WRONG_STATE');
    const { agora: theirs } = agents[0]!;
    const refusals: (() => PromiseLike<unknown>)[] = [
      () => theirs.tasks.start(id, { sandboxId: 'x' }),
      () => theirs.tasks.fail(id, { reason: 'no' }),
      () => theirs.sandbox.provision(id),
      () => theirs.courts.listAssessments({ taskId: id }),
    ];
    for (const ask of refusals) expect(await refusalOf(Promise.resolve(ask()))).toBe('403 NOT_A_PARTY');
    for (const task of [held.id, id]) await agora.tasks.cancel(task);
  });

  test('is found by agents that raise no hint: one that comes back, and one that lowers its price', async () => {
    const { buyer, agents, seller } = await makeMarket(server, 'code_generation', [100, 5_000]);
    const held = await submit(buyer, 'code_generation', { waitMinutes: 0 });
    const task = await submit(buyer, 'code_generation');
    await server.app.sweep();
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({ agentId: null });
    await agents[1]!.agora.agents.updateMe({ pricing: { model: 'per_task', baseRate: 400, currency: 'USD' } });
    await server.app.sweep();
    expect(await buyer.agora.tasks.get(task.id)).toMatchObject({ agentId: agents[1]!.id, price: 400 });
    const other = await submit(buyer, 'code_generation');
    await seller.agora.agents.deactivate(agents[0]!.id);
    await buyer.agora.tasks.cancel(held.id);
    await server.app.sweep();
    expect(await buyer.agora.tasks.get(other.id)).toMatchObject({ agentId: null });
    await seller.agora.agents.reactivate(agents[0]!.id);
    await server.app.sweep();
    expect(await buyer.agora.tasks.get(other.id)).toMatchObject({ agentId: agents[0]!.id });
  });
});

describe('in the queue of a category', () => {
  test('owners take turns, and within an owner the oldest task comes first', async () => {
    const { buyer: many, agents, held } = await fullMarket('general');
    const [few, one] = [await server.owner(), await server.owner()];
    const tasks: Task[] = [];
    for (let nth = 0; nth < 4; nth++) tasks.push(await submit(many, 'general'));
    for (let nth = 0; nth < 2; nth++) tasks.push(await submit(few, 'general'));
    tasks.push(await submit(one, 'general'));
    const places = await Promise.all(
      [...[many, many, many, many], few, few, one].map(async ({ agora }, nth) => {
        const { waiting } = await agora.tasks.get(tasks[nth]!.id);
        return waiting?.place;
      }),
    );
    expect(places).toEqual([1, 4, 6, 7, 2, 5, 3]);
    await makeRoom(agents[0]!, held[0]!.id);
    // Who had a turn goes to the end, also where it comes again at once.
    expect(await few.agora.tasks.get(tasks[4]!.id)).toMatchObject({ waiting: { place: 1 } });
    expect(await workOff(agents[0]!, [many, few, one])).toEqual([0, 1, 2, 0, 1, 0, 0]);
    const assigned = await Promise.all(tasks.slice(0, 4).map(({ id }) => many.agora.tasks.get(id)));
    expect(assigned.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
  });

  test('a submission does not overtake: it waits too, or finds nobody', async () => {
    const { buyer, agents, held } = await fullMarket('code_review', [100]);
    const waiting = await submit(buyer, 'code_review');
    const other = await server.owner();
    // The agent is free, and nobody has told the queue yet.
    await server.pool.query('update agent_stats set open_tasks = 0 where agent_id = $1', [
      toUuid('agent', agents[0]!.id),
    ]);
    expect(await refusalOf(submit(other, 'code_review', { waitMinutes: 0 }))).toBe('404 NO_AGENTS_AVAILABLE');
    expect(await other.agora.tasks.quote({ taskType: 'code_review', maxBudget: 1000 })).toMatchObject({
      candidates: [],
      queue: { matching: 1, place: 2 },
    });
    const late = await submit(other, 'code_review');
    expect(late).toMatchObject({ agentId: null, waiting: { place: 2 } });
    await server.app.run('tasks.assignQueued');
    expect(await buyer.agora.tasks.get(waiting.id)).toMatchObject({ agentId: agents[0]!.id });
    expect(await other.agora.tasks.get(late.id)).toMatchObject({ agentId: null, waiting: { place: 1 } });
    await server.pool.query('update agent_stats set open_tasks = 2 where agent_id = $1', [
      toUuid('agent', agents[0]!.id),
    ]);
    await makeRoom(agents[0]!, waiting.id);
    await makeRoom(agents[0]!, held[0]!.id);
    expect(await other.agora.tasks.get(late.id)).toMatchObject({ agentId: agents[0]!.id });
  });
});

test('a server that has just started gives what waited before; of several servers one gives each task', async () => {
  const { buyer, agents, held } = await fullMarket('security', [100, 100, 100]);
  const first = await submit(buyer, 'security');
  const second = await startSecondApp(server);
  try {
    await buyer.agora.tasks.cancel(held[0]!.id);
    // It looks for a few owners at a time, and others of this file wait too.
    for (let sweeps = 0; sweeps < 4; sweeps++) await second.app.sweep();
    expect(await buyer.agora.tasks.get(first.id)).toMatchObject({ agentId: agents[0]!.id });
    const tasks = await Promise.all([1, 2].map(() => submit(buyer, 'security')));
    for (const { id } of held.slice(1)) await buyer.agora.tasks.cancel(id);
    await Promise.all([server.app, second.app, server.app].map((app) => app.sweep()));
    const taken = await Promise.all(tasks.map(({ id }) => buyer.agora.tasks.get(id)));
    expect(new Set(taken.map(({ agentId }) => agentId))).toEqual(new Set(agents.slice(1).map(({ id }) => id)));
  } finally {
    await second.app.close();
  }
});
