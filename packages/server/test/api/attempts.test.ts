import type { Task } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import {
  type Contest,
  deliver,
  type Entry,
  entriesOf,
  makeContest,
  outcomesOf,
  rival,
  settle,
} from './attempts-scene.ts';
import { loseReplies, minute, pass, refusalOf, serverForFile } from './scene.ts';

/** Several agents of different owners do the same task, and the best delivery is paid. */

const server = serverForFile();

/** A contest that has begun. */
async function begin(category: Parameters<typeof makeContest>[1], prices: number[], attempts = prices.length) {
  const contest = await makeContest(server, category, prices);
  const task = await contest.submit(attempts);
  const entries = (await entriesOf(contest, task)) as [Entry, Entry, ...Entry[]];
  const get = ({ id }: Entry): Promise<Task> => contest.buyer.agora.tasks.get(id);
  return { ...contest, task, entries, get, pool: () => contest.buyer.agora.vault.getPool() };
}

describe('a submission with attempts', () => {
  test('makes as many tasks for agents of different owners, each with its hold, and returns the first', async () => {
    const { buyer, rivals, task, pool } = await begin('design', [300, 300, 300]);
    expect(task).toMatchObject({ status: 'routing', maxBudget: 1000, group: { attempt: 1, attempts: 3 } });
    const { groupId, taskIds = [] } = task.group as NonNullable<Task['group']>;
    expect([taskIds.length, taskIds[0]]).toEqual([3, task.id]);
    expect(await pool()).toMatchObject({ balance: 7000, held: 3000 });
    const group = await buyer.agora.tasks.getGroup(groupId);
    expect(group).toMatchObject({
      id: groupId,
      taskType: 'design',
      status: 'open',
      selectedTaskId: null,
      decidedAt: null,
    });
    expect(group.attempts.map(({ taskId, attempt, outcome }) => [taskId, attempt, outcome])).toEqual(
      taskIds.map((id, at) => [id, at + 1, 'pending']),
    );
    expect(new Set(group.attempts.map(({ agentId }) => agentId))).toEqual(new Set(rivals.map(({ id }) => id)));
    expect((await buyer.agora.tasks.list()).data.map(({ id }) => id).sort()).toEqual(taskIds.toSorted());
  });

  test('tells agents before they accept how many compete, and not who', async () => {
    const { entries } = await begin('devops', [300, 300]);
    for (const [at, { id, agent }] of entries.entries()) {
      const [seen] = (await agent.agora.tasks.assigned()).data;
      expect(seen).toMatchObject({ id, group: { attempts: 2 } });
      expect(Object.keys(seen?.group ?? {}).sort()).toEqual(['attempt', 'attempts', 'groupId']);
      expect(await refusalOf(agent.agora.tasks.getGroup(seen?.group?.groupId as string))).toBe('403 NOT_A_PARTY');
      expect(await refusalOf(agent.agora.tasks.get(entries[1 - at]?.id as string))).toBe('403 NOT_A_PARTY');
    }
  });

  test('of one attempt is an ordinary task', async () => {
    const { buyer, submit } = await makeContest(server, 'testing', [300]);
    const task = await submit(1);
    expect(task.group).toBeNull();
    const groupId = task.id.replace('tsk_', 'grp_');
    expect(await refusalOf(buyer.agora.tasks.getGroup(groupId))).toBe('404 GROUP_NOT_FOUND');
  });

  test('is sent again under its key without a second group, with the same reply', async () => {
    const contest = await makeContest(server, 'security', [300, 300]);
    const key = { idempotencyKey: 'once' };
    const first = await contest.submit(2, {}, key);
    expect(await contest.submit(2, {}, key)).toEqual(first);
    await loseReplies(server);
    expect(await contest.submit(2, {}, key)).toEqual(first);
    expect((await contest.buyer.agora.tasks.list()).data).toHaveLength(2);
  });
});

describe('the decision', () => {
  test('charges the best delivery and returns the other holds, when the last verdict is there', async () => {
    const { task, entries, get, pool, ...contest } = await begin('research', [300, 400, 500]);
    const [cheap, middle, dear] = entries as [Entry, Entry, Entry];
    expect(await deliver(cheap, 55)).toMatchObject({ status: 'quality_check', qualityScore: 55, finishedAt: null });
    await deliver(dear, 60);
    await settle(server);
    expect(await pool()).toMatchObject({ held: 3000 });
    expect(await get(dear)).toMatchObject({ status: 'quality_check', qualityScore: 60, creditsCharged: null });
    await deliver(middle, 58);
    await settle(server);
    expect(await get(dear)).toMatchObject({ status: 'completed', creditsCharged: 500, qualityScore: 60 });
    for (const lost of [cheap, middle]) {
      const { errorMessage, ...ended } = await get(lost);
      expect(ended).toMatchObject({ status: 'failed', creditsCharged: 0 });
      expect(errorMessage).toMatch(/^not_selected: /);
    }
    expect(await pool()).toMatchObject({ balance: 9500, held: 0 });
    expect(await dear.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 425 });
    expect(await cheap.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 0, available: 0 });
    const group = await contest.buyer.agora.tasks.getGroup(task.group?.groupId as string);
    expect(group).toMatchObject({ status: 'decided', selectedTaskId: dear.id, decidedAt: expect.any(String) });
    expect((await outcomesOf(contest, task)).sort()).toEqual(['not_selected', 'not_selected', 'selected']);
  });

  test('prefers the cheaper of equally good deliveries, and of equally dear ones the earlier', async () => {
    const priced = await begin('refactor', [500, 300]);
    for (const entry of priced.entries) await deliver(entry, 60);
    await settle(server);
    expect(await priced.get(priced.entries[1])).toMatchObject({ status: 'completed', creditsCharged: 300 });
    const alike = await begin('bug_fix', [300, 300]);
    const [late, early] = alike.entries;
    await deliver(early, 60);
    server.clock.advance(1);
    await deliver(late, 60);
    await settle(server);
    expect(await alike.get(early)).toMatchObject({ status: 'completed' });
  });

  test('blames nobody who was not selected, and those whom the gate rejected as ever', async () => {
    const { entries } = await begin('code_review', [300, 300, 300]);
    const [best, lost, bad] = entries as [Entry, Entry, Entry];
    const standing = async ({ agent }: Entry) => {
      const { overallScore, consecutiveFailures, capacity } = await agent.agora.agents.me();
      return {
        overallScore,
        consecutiveFailures,
        capacity,
        reputation: await agent.agora.agents.reputation(agent.id),
      };
    };
    const before = await standing(lost);
    await deliver(best, 60);
    await deliver(lost, 55);
    await deliver(bad, 0);
    await settle(server);
    await server.app.run('registry.followLog');
    expect(await standing(lost)).toMatchObject({ ...before, capacity: { openTasks: 0 } });
    expect(await standing(bad)).toMatchObject({ consecutiveFailures: 1 });
    expect((await standing(best)).overallScore).toBeGreaterThan((await standing(bad)).overallScore);
  });

  test('charges nothing where no delivery passes', async () => {
    const { task, entries, pool, ...contest } = await begin('data_analysis', [300, 300]);
    for (const entry of entries) expect(await deliver(entry, 0)).toMatchObject({ status: 'failed', qualityScore: 0 });
    expect(await outcomesOf(contest, task)).toEqual(['rejected', 'rejected']);
    expect(await pool()).toMatchObject({ balance: 10_000, held: 0 });
    const group = await contest.buyer.agora.tasks.getGroup(task.group?.groupId as string);
    expect(group).toMatchObject({ status: 'decided', selectedTaskId: null });
  });

  test('is taken back and disputed like any other payment, and what was not selected cannot be', async () => {
    const { buyer, entries, pool, get } = await begin('content_creation', [300, 400]);
    const [best, lost] = entries;
    await deliver(best, 60);
    const { assessmentId } = await deliver(lost, 55);
    await settle(server);
    expect(await refusalOf(buyer.agora.tasks.feedback(lost.id, { direction: 'down' }))).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(buyer.agora.tasks.dispute(lost.id, { reason: 'r' }))).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(lost.agent.agora.courts.appealAssessment(assessmentId as string))).toBe(
      '409 TASK_WRONG_STATE',
    );
    expect((await buyer.agora.tasks.feedback(best.id, { direction: 'down' })).refunded).toBe(true);
    expect(await pool()).toMatchObject({ balance: 10_000, held: 0 });
    expect(await get(lost)).toMatchObject({ status: 'failed' });
  });
});

/** How an attempt may end without a delivery, and what time passes for it. */
describe.each<[string, (entry: Entry, contest: Contest) => Promise<unknown>, number]>([
  ['is cancelled', ({ id }, { buyer }) => buyer.agora.tasks.cancel(id), 0],
  ['is declined and nobody else takes it', ({ id, agent }) => agent.agora.tasks.decline(id), 0],
  ['is not accepted', async () => {}, 15 * minute],
  [
    'is given up',
    async ({ id, agent }) => {
      await agent.agora.tasks.start(id, { sandboxId: 'x' });
      await agent.agora.tasks.fail(id, { reason: 'no' });
    },
    0,
  ],
  ['runs out of time', ({ id, agent }) => agent.agora.tasks.start(id, { sandboxId: 'x' }), 60 * minute],
])('an attempt that %s', (_, end, ms) => {
  test('ends alone, and the others are decided', async () => {
    const contest = await begin('general', [300, 300]);
    const [ending, delivered] = contest.entries;
    try {
      await deliver(delivered, 60);
      // The sweep has looked, and does not look again before there is something to see.
      await settle(server);
      expect(await contest.get(delivered)).toMatchObject({ status: 'quality_check' });
      await end(ending, contest);
      await pass(server, ms);
      expect(await contest.get(delivered)).toMatchObject({ status: 'completed', creditsCharged: 300 });
      expect(await contest.get(ending)).toMatchObject({ status: 'failed', creditsCharged: 0 });
      expect((await outcomesOf(contest, contest.task)).sort()).toEqual(['failed', 'selected']);
      expect(await contest.pool()).toMatchObject({ balance: 9700, held: 0 });
    } finally {
      for (const { agora } of contest.rivals) await agora.agents.updateMe({ availability: 'offline' });
    }
  });
});

describe('an attempt that its agent declines', () => {
  test('goes to an agent of an owner who has none, and to nobody who had one', async () => {
    const contest = await begin('general', [300, 300, 300], 2);
    const { rivals, entries, get } = contest;
    const [first, second] = entries;
    const third = rivals.find(({ id }) => !entries.some(({ agent }) => agent.id === id));
    // Of the same owner as the agent with the second attempt, so that it may not have the first.
    const sibling = await second.agent.owner.agent(rival('general', 100));
    expect(await first.agent.agora.tasks.decline(first.id)).toMatchObject({ status: 'routing' });
    expect((await get(first)).agentId).toBe(third?.id);
    expect(await second.agent.agora.tasks.decline(second.id)).toMatchObject({ status: 'routing' });
    expect((await get(second)).agentId).toBe(sibling.id);
    // The one who declined the first attempt is not asked for the second.
    expect(await sibling.agora.tasks.decline(second.id)).toMatchObject({ status: 'failed' });
    for (const { agora } of [...rivals, sibling]) await agora.agents.updateMe({ availability: 'offline' });
  });

  test('never meets another of the group at one owner, whoever declines at the same moment', async () => {
    const contest = await makeContest(server, 'security', []);
    const owners = await Promise.all([1, 2, 3].map(() => server.owner({ credits: 0 })));
    const agents = await Promise.all(owners.map((owner) => owner.agent(rival('security', 300))));
    const { group } = await contest.submit(2);
    const { attempts } = await contest.buyer.agora.tasks.getGroup(group?.groupId as string);
    // The owner that is left has two agents, one for each.
    const left = owners[agents.findIndex(({ id }) => !attempts.some(({ agentId }) => agentId === id))];
    await left?.agent(rival('security', 300));
    const declined = await Promise.all(
      attempts.map(({ taskId, agentId }) => agents.find(({ id }) => id === agentId)?.agora.tasks.decline(taskId)),
    );
    expect(declined.map((each) => each?.status).sort()).toEqual(['failed', 'routing']);
  });
});
