import { randomUUID } from 'node:crypto';
import { ownedAtMost } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import { type ApprovalItem, requestApprovalStep } from '../../src/embassy/index.ts';
import type { StepWriter } from '../../src/platform/index.ts';
import { finishStep, reassignStep, submitStep, submitTogetherStep } from '../../src/tasks/steps/index.ts';
import {
  connect,
  createWorld,
  finishItem,
  iso,
  reassignItem,
  startedAt,
  submitItem,
  until,
  type World,
} from './world.ts';

/**
 * Writers of several servers decide at the same time on the same facts, of which only some can become true: each test
 * holds a row until all have decided and wait for it.
 */

let world: World;
let writers: [StepWriter, StepWriter, StepWriter];
beforeAll(async () => {
  world = await createWorld();
  writers = [world.writer, world.openWriter(), world.openWriter()];
});
afterAll(async () => {
  expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
  await world.close();
});

/** What the writers answer that have decided while this row was locked. */
async function atOnce<R extends { outcome: string }>(
  locked: { table: string; where: string },
  write: (writer: StepWriter, nth: number) => Promise<R>,
  meanwhile = 'select',
): Promise<string[]> {
  const other = await connect(world.url);
  try {
    await other.query('begin');
    await other.query(`select from ${locked.table} where ${locked.where} for update`);
    const answers = Promise.all(writers.map(write));
    await until('all writers wait', async () => {
      const waiting = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database() and query like '%steps_lock%'`;
      return (await world.pool.query(waiting)).rows[0].n === writers.length;
    });
    await other.query(meanwhile);
    await other.query('commit');
    return (await answers).map(({ outcome }) => outcome).toSorted();
  } finally {
    await other.end();
  }
}

const poolOf = (owner: string) => ({
  table: 'ledger_accounts',
  where: `holder = '${owner}' and kind = 'pool_available'`,
});
const statsOf = (agent: string) => ({ table: 'agent_stats', where: `agent_id = '${agent}'` });

test('a pool pays for as many tasks as it has credits for', async () => {
  const [owner, agent] = [await world.owner(2500), await world.agent()];
  const answers = await atOnce(poolOf(owner), (writer) =>
    writer.write(submitStep, submitItem(owner, agent, { maxBudget: 1000 })),
  );
  expect(answers).toEqual(['ok', 'ok', 'short']);
});

test('an agent gets as many routed tasks as it has room for', async () => {
  const [owner, agent] = [await world.owner(10_000), await world.agent()];
  const answers = await atOnce(statsOf(agent), (writer) =>
    writer.write(submitStep, submitItem(owner, agent, { routed: true })),
  );
  expect(answers).toEqual(['agent_full', 'agent_full', 'ok']);
});

test('an agent that is suspended meanwhile, or asks another price, gets none', async () => {
  const owner = await world.owner(10_000);
  for (const [change, answer] of [
    [`status = 'suspended'`, 'agent_gone'],
    ['base_rate_cents = 7', 'agent_changed'],
  ] as const) {
    const agent = await world.agent();
    const answers = await atOnce(
      poolOf(owner),
      (writer) => writer.write(submitStep, submitItem(owner, agent)),
      `update agents set ${change} where id = '${agent}'`,
    );
    expect(answers).toEqual([answer, answer, answer]);
  }
});

test('an agent spends no more than its budget of a day', async () => {
  const [owner, hirer, agent] = [await world.owner(100_000), await world.agent(), await world.agent()];
  await world.pool.query('insert into agent_budgets (agent_id, daily_limit, updated_at) values ($1, 2500, now())', [
    hirer,
  ]);
  const answers = await atOnce(poolOf(owner), (writer) =>
    writer.write(submitStep, submitItem(owner, agent, { submitterAgentId: hirer, maxBudget: 1000 })),
  );
  expect(answers).toEqual(['ok', 'ok', 'over_budget']);
});

test('an owner has no more tasks in the queue than it may', async () => {
  const owner = await world.owner(100_000);
  const answers = await atOnce(poolOf(owner), (writer) =>
    writer.write(submitStep, submitItem(owner, null, { mostQueued: 1 })),
  );
  expect(answers).toEqual(['ok', 'queue_full', 'queue_full']);
});

const request = (ownerId: string, agentId: string): ApprovalItem => {
  const id = randomUUID();
  return {
    id,
    shownId: `apr_${id}`,
    ownerId,
    agentId,
    submission: { taskType: 'general', maxBudget: 1000, input: { description: 'do it' } },
    description: 'do it',
    threshold: 500,
    correlationId: 'test',
    at: iso(startedAt),
    expiresAt: iso(startedAt + 86_400_000),
  };
};

test('a request is approved by one task only', async () => {
  const [owner, hirer, agent] = [await world.owner(100_000), await world.agent(), await world.agent()];
  const asked = request(owner, hirer);
  expect(await world.writer.write(requestApprovalStep, asked)).toMatchObject({ outcome: 'ok' });
  const fields = { submitterAgentId: hirer, approvalId: asked.id, decision: { approvalId: asked.shownId } };
  const answers = await atOnce(poolOf(owner), (writer) => writer.write(submitStep, submitItem(owner, agent, fields)));
  expect(answers).toEqual(['already_decided', 'already_decided', 'ok']);
  const tasks = await world.pool.query('select id from tasks where owner_id = $1', [owner]);
  const approved = await world.pool.query('select status, task_id from approvals where id = $1', [asked.id]);
  expect(approved.rows).toEqual([{ status: 'approved', task_id: tasks.rows[0].id }]);
  const events = await world.pool.query(`select data from events where type = 'approval.approved' and owner_id = $1`, [
    owner,
  ]);
  expect(events.rows).toEqual([{ data: { approvalId: asked.shownId } }]);
});

test('no more requests wait for an owner than may', async () => {
  const [owner, hirer] = [await world.owner(0), await world.agent()];
  const most = ownedAtMost.pendingApprovals;
  const before = Array.from({ length: most - 1 }, () => world.writer.write(requestApprovalStep, request(owner, hirer)));
  expect(new Set((await Promise.all(before)).map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
  const answers = await atOnce(poolOf(owner), (writer) => writer.write(requestApprovalStep, request(owner, hirer)));
  expect(answers).toEqual(['ok', 'too_many', 'too_many']);
});

test('a task is handed on to one agent only, and an agent gets no more than it has room for', async () => {
  const [owner, first] = [await world.owner(10_000), await world.agent({ seasoned: true })];
  const [second, third] = [await world.agent(), await world.agent()];
  const items = Array.from({ length: 4 }, () => submitItem(owner, first, { routed: true }));
  for (const item of items) expect(await world.writer.write(submitStep, item)).toMatchObject({ outcome: 'ok' });
  const [one] = items as [(typeof items)[0]];
  const handed = await atOnce({ table: 'tasks', where: `id = '${one.id}'` }, (writer, nth) =>
    writer.write(reassignStep, reassignItem(one.id, first, [second, third, third][nth] as string)),
  );
  expect(handed).toEqual(['not_party', 'not_party', 'ok']);
  const fourth = await world.agent();
  const filled = await atOnce(statsOf(fourth), (writer, nth) => {
    const item = items[nth + 1] as (typeof items)[0];
    return writer.write(reassignStep, reassignItem(item.id, first, fourth));
  });
  expect(filled).toEqual(['agent_full', 'agent_full', 'ok']);
});

test('attempts at a task are submitted whole or not at all', async () => {
  const owner = await world.owner(5000);
  const busy = await world.agent();
  const lists = await Promise.all(
    writers.map(async () => {
      const ids = [randomUUID(), randomUUID()];
      const agents = [busy, await world.agent()];
      return ids.map((id, nth) => submitItem(owner, agents[nth] as string, { id, groupTasks: ids, routed: true }));
    }),
  );
  const answers = await atOnce(statsOf(busy), (writer, nth) =>
    writer.write(submitTogetherStep, lists[nth] as (typeof lists)[0]),
  );
  expect(answers).toEqual(['agent_full', 'agent_full', 'ok']);
  const stored = await world.pool.query('select count(*)::int as n from tasks where owner_id = $1', [owner]);
  expect(stored.rows).toEqual([{ n: 2 }]);
});

test('a task and a list of attempts that meet at the last place in one batch do not fail each other', async () => {
  const owner = await world.owner(5000);
  const [busy, other] = [await world.agent(), await world.agent()];
  const ids = [randomUUID(), randomUUID()];
  const list = [busy, other].map((agent, nth) =>
    submitItem(owner, agent, { id: ids[nth] as string, groupTasks: ids, routed: true }),
  );
  const answers = await Promise.all([
    world.writer.write(submitStep, submitItem(owner, busy, { routed: true })),
    world.writer.write(submitTogetherStep, list),
    world.writer.write(submitStep, submitItem(owner, other)),
  ]);
  expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual(['agent_full', 'ok', 'ok']);
});

test('the first tasks of an agent that was never paid are settled side by side', async () => {
  const agent = await world.agent({ seasoned: true });
  const items = await Promise.all(writers.map(async () => submitItem(await world.owner(1000), agent)));
  for (const item of items) expect(await world.writer.write(submitStep, item)).toMatchObject({ outcome: 'ok' });
  const answers = await atOnce(statsOf(agent), (writer, nth) =>
    writer.write(finishStep, finishItem((items[nth] as (typeof items)[0]).id, 'cancel', 1000)),
  );
  expect(answers).toEqual(['ok', 'ok', 'ok']);
});
