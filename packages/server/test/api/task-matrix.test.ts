import { can, type TaskRole, type TaskStatus, taskStatuses } from '@agora/contract';
import type { Agora } from '@agora/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../harness.ts';
import { hire, hireAndPass, hireAndReject, hireAndStart, type Pair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

/** One party of each kind, and what each is to a task of `pair`. */
let pair: Pair;
let others: { agent: TestAgent; owner: TestOwner };
beforeAll(async () => {
  const [buyer, seller, owner] = await Promise.all([
    server.owner({ credits: 1_000_000 }),
    server.owner({ credits: 0 }),
    server.owner({ credits: 0 }),
  ]);
  pair = { buyer, seller, agent: await seller.agent() };
  others = { agent: await seller.agent(), owner };
});

/** Brings a task of the pair into each status. A failure in a row too many would suspend, so a success goes before. */
const reach: Record<TaskStatus, () => Promise<string>> = {
  submitted: async () => (await hire(pair)).id,
  routing: async () => {
    const { id } = await hire(pair);
    await setStatus(id, 'routing');
    return id;
  },
  executing: async () => (await hireAndStart(pair)).id,
  quality_check: async () => {
    const { id } = await hireAndStart(pair);
    await setStatus(id, 'quality_check');
    return id;
  },
  completed: async () => (await hireAndPass(pair)).id,
  failed: async () => (await hireAndReject(pair)).id,
  refunded: async () => {
    const { id } = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    return id;
  },
};

/** The two statuses that no call of ours can hold still. */
async function setStatus(id: string, status: TaskStatus) {
  const before = await pair.buyer.agora.tasks.get(id);
  await server.pool.query('update tasks set status = $1 where status = $2', [status, before.status]);
  await recount();
}

/** The steps keep count of the tasks that were routed or started; what a test sets by hand they cannot know. */
const recount = () =>
  server.pool.query(`update agent_stats s set open_tasks = (select count(*) from tasks t
    where t.agent_id = s.agent_id and t.status in ('routing', 'executing', 'quality_check'))`);

/** Returns such a task to a status from which it cannot disturb the next one. */
const retire = async () => {
  await server.pool.query(
    `update tasks set status = 'executing' where status in ('routing', 'quality_check', 'submitted')`,
  );
  await recount();
  const open = await server.pool.query<{ id: string }>(`select id from tasks where status = 'executing'`);
  if (open.rows.length > 0) {
    await server.pool.query(`update tasks set due_at = $1, deadline = $1 where status = 'executing'`, [
      server.clock.now(),
    ]);
    await server.app.sweep();
  }
  await server.pool.query(`update agents set status = 'active'`);
  await server.pool.query('update agent_stats set consecutive_failures = 0');
};

const verbs = {
  start: (agora: Agora, id: string) => agora.tasks.start(id, { sandboxId: 'x' }, { as: 'agent' }),
  complete: (agora: Agora, id: string) => agora.tasks.complete(id, { output: {} }, { as: 'agent' }),
  fail: (agora: Agora, id: string) => agora.tasks.fail(id, { reason: 'no' }, { as: 'agent' }),
  decline: (agora: Agora, id: string) => agora.tasks.decline(id, {}, { as: 'agent' }),
  cancel: (agora: Agora, id: string) => agora.tasks.cancel(id),
  feedback: (agora: Agora, id: string) => agora.tasks.feedback(id, { direction: 'up' }),
};

const callers: { name: string; role: TaskRole; agora: () => Agora; agent: boolean }[] = [
  { name: 'another agent', role: 'none', agora: () => others.agent.agora, agent: true },
  { name: 'another owner', role: 'none', agora: () => others.owner.agora, agent: false },
  { name: "the agent's owner", role: 'none', agora: () => pair.seller.agora, agent: false },
  { name: 'the submitter', role: 'submitter', agora: () => pair.buyer.agora, agent: false },
  { name: 'the assignee', role: 'assignee', agora: () => pair.agent.agora, agent: true },
];

describe.each(taskStatuses)('a task that is %s', (status) => {
  describe.each(Object.keys(verbs) as (keyof typeof verbs)[])('%s', (verb) => {
    test('answers every caller as the table says', async () => {
      const id = await reach[status]();
      for (const caller of callers) {
        // An owner's token is no credential of an agent operation; only some take both.
        if (!['feedback', 'cancel'].includes(verb) && !caller.agent) continue;
        const verdict = can[verb]({ status }, caller.role);
        const wanted = verdict.ok ? 'no refusal' : `${verdict.code === 'NOT_A_PARTY' ? 403 : 409} ${verdict.code}`;
        expect(`${caller.name}: ${await refusalOf(verbs[verb](caller.agora(), id))}`).toBe(`${caller.name}: ${wanted}`);
      }
      await retire();
    });
  });

  test('can be read by its parties alone', async () => {
    const id = await reach[status]();
    for (const { name, role, agora } of callers) {
      const wanted = role === 'none' ? '403 NOT_A_PARTY' : 'no refusal';
      expect(`${name}: ${await refusalOf(agora().tasks.get(id))}`).toBe(`${name}: ${wanted}`);
      expect(`${name}: ${await refusalOf(agora().tasks.events(id))}`).toBe(`${name}: ${wanted}`);
    }
    await retire();
  });
});
