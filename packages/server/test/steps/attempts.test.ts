import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import {
  deliverStep,
  finishStep,
  settleStep,
  shortlistStep,
  startStep,
  submitTogetherStep,
} from '../../src/tasks/steps/index.ts';
import {
  createWorld,
  deliverItem,
  finishItem,
  iso,
  shortlistItem,
  startedAt,
  startItem,
  submitItem,
  type World,
} from './world.ts';

/** Several attempts at a task, step by step. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
  await world.close();
});

interface Attempt {
  id: string;
  agent: string;
}

/** Items of one submission; they share nothing but the owner and the list of their ids. */
async function submission(owner: string, attempts: number, fields: Parameters<typeof submitItem>[2] = {}) {
  const ids = Array.from({ length: attempts }, () => randomUUID());
  const agents = await Promise.all(ids.map(() => world.agent()));
  return ids.map((id, nth) =>
    submitItem(owner, agents[nth] as string, {
      id,
      groupTasks: ids,
      routed: true,
      maxBudget: 1000,
      price: 900,
      ...fields,
    }),
  );
}

async function submitted(attempts: number): Promise<Attempt[]> {
  const items = await submission(await world.owner(attempts * 1000), attempts);
  expect(await world.writer.write(submitTogetherStep, items)).toMatchObject({ outcome: 'ok' });
  return items.map(({ id, agentId: agent }) => ({ id, agent }));
}

async function deliver({ id, agent }: Attempt) {
  await world.writer.write(startStep, startItem(id, agent));
  await world.writer.write(deliverStep, deliverItem(id, agent));
}

const shortlist = async (attempt: Attempt, score: number) => {
  await deliver(attempt);
  return world.writer.write(shortlistStep, shortlistItem(attempt.id, score));
};

const stored = async ({ id }: Attempt) =>
  (
    await world.pool.query(
      `select t.status, t.due_at::text as due, t.quality_score as score, t.credits_charged as charged, s.open_tasks as open
       from tasks t join agent_stats s on s.agent_id = t.agent_id where t.id = $1`,
      [id],
    )
  ).rows[0];

const poolOf = async (owner: string) =>
  (
    await world.pool.query(
      `select sum(balance) filter (where kind = 'pool_available')::int as available,
         coalesce(sum(balance) filter (where kind = 'pool_held'), 0)::int as held
       from ledger_accounts where holder = $1`,
      [owner],
    )
  ).rows[0];

/** How the decision is written: the first one passes. */
const decision = ([best, ...others]: Attempt[]) => [
  finishItem(best?.id as string, 'pass', 900, { assessment: null }),
  ...others.map(({ id }) => finishItem(id, 'passOver', 900)),
];

test('the attempts of a submission are stored and held for together', async () => {
  const owner = await world.owner(3000);
  const items = await submission(owner, 3);
  await world.writer.write(submitTogetherStep, items);
  expect(await poolOf(owner)).toEqual({ available: 0, held: 3000 });
});

test.each([
  ['the pool lacks a cent for the last of them', 2999, {}, 'short'],
  ['one of the agents has gone', 3000, { status: 'deactivated' }, 'agent_gone'],
])('none is stored where %s', async (_, cents, agent, outcome) => {
  const owner = await world.owner(cents);
  const items = await submission(owner, 3);
  const last = items.at(-1) as (typeof items)[number];
  if ('status' in agent) last.agentId = await world.agent(agent);
  expect(await world.writer.write(submitTogetherStep, items)).toMatchObject({ outcome });
  expect(await poolOf(owner)).toEqual({ available: cents, held: 0 });
  const { rows } = await world.pool.query('select id from tasks where id = any($1)', [items.map(({ id }) => id)]);
  expect(rows).toEqual([]);
});

test('of two submissions in one batch the pool pays the one that it can pay whole', async () => {
  const owner = await world.owner(3999);
  const lists = await Promise.all([submission(owner, 2), submission(owner, 2)]);
  const outcomes = await Promise.all(lists.map((items) => world.writer.write(submitTogetherStep, items)));
  expect(outcomes).toEqual([{ outcome: 'ok' }, { outcome: 'short', available: 1999 }]);
  expect(await poolOf(owner)).toEqual({ available: 1999, held: 2000 });
});

test('a shortlisted delivery keeps its hold and frees its agent', async () => {
  const [attempt] = (await submitted(2)) as [Attempt, Attempt];
  expect((await stored(attempt)).open).toBe(1);
  expect(await shortlist(attempt, 80)).toMatchObject({ outcome: 'ok' });
  expect(await stored(attempt)).toMatchObject({ status: 'quality_check', score: 80, charged: null, open: 0 });
});

test('a shortlisted delivery has its verdict: no second one, and no platform that gives up, changes it', async () => {
  const [attempt] = (await submitted(2)) as [Attempt, Attempt];
  await shortlist(attempt, 80);
  const before = await stored(attempt);
  for (const verb of ['pass', 'reject', 'abandon'] as const) {
    const answer = await world.writer.write(finishStep, finishItem(attempt.id, verb, 900));
    expect(answer).toMatchObject({ outcome: 'wrong_state', status: 'quality_check' });
  }
  expect(await world.writer.write(shortlistStep, shortlistItem(attempt.id, 99))).toMatchObject({
    outcome: 'wrong_state',
  });
  expect(await stored(attempt)).toEqual(before);
});

test('a delivery without a verdict is not decided on, and a task that is alone is not shortlisted', async () => {
  const [attempt] = (await submitted(2)) as [Attempt, Attempt];
  await deliver(attempt);
  for (const item of decision([attempt, attempt])) {
    expect(await world.writer.write(finishStep, item)).toMatchObject({ outcome: 'wrong_state' });
  }
  const alone = submitItem(await world.owner(1000), await world.agent());
  await world.writer.write(submitTogetherStep, [alone]);
  expect(await shortlist({ id: alone.id, agent: alone.agentId }, 80)).toMatchObject({ outcome: 'wrong_state' });
});

test('the decision charges one attempt and returns the holds of the others, once', async () => {
  const attempts = await submitted(3);
  for (const attempt of attempts) await shortlist(attempt, 80);
  const { owner_id: owner } = (await world.pool.query('select owner_id from tasks where id = $1', [attempts[0]?.id]))
    .rows[0];
  const twice = [0, 1].map(() => world.openWriter().write(settleStep, decision(attempts)));
  expect((await Promise.all(twice)).map(({ outcome }) => outcome).sort()).toEqual(['ok', 'wrong_state']);
  expect(await poolOf(owner)).toEqual({ available: 2100, held: 0 });
  expect(await Promise.all(attempts.map(stored))).toMatchObject([
    { status: 'completed', score: 80, charged: 900, due: null, open: 0 },
    { status: 'failed', score: 80, charged: 0, due: null, open: 0 },
    { status: 'failed', score: 80, charged: 0, due: null, open: 0 },
  ]);
});

test('a decision that only a part of the attempts allows is not written at all', async () => {
  const [ready, running] = (await submitted(2)) as [Attempt, Attempt];
  await shortlist(ready, 80);
  await deliver(running);
  await expect(world.writer.write(settleStep, decision([ready, running]))).rejects.toThrow('only 1 of 2');
  expect(await stored(ready)).toMatchObject({ status: 'quality_check', charged: null });
});

test.each(['fail', 'reject', 'expire', 'cancel'] as const)(
  'where another attempt ends by %s, the shortlisted one is due for a decision',
  async (verb) => {
    const [waiting, other] = (await submitted(2)) as [Attempt, Attempt];
    await shortlist(waiting, 80);
    await world.pool.query(`update tasks set due_at = 'infinity' where id = $1`, [waiting.id]);
    if (verb === 'fail') await world.writer.write(startStep, startItem(other.id, other.agent));
    if (verb === 'reject') await deliver(other);
    const at = iso(startedAt + 1_000_000);
    expect(await world.writer.write(finishStep, finishItem(other.id, verb, 900, { at }))).toMatchObject({
      outcome: 'ok',
    });
    const { rows } = await world.pool.query('select due_at from tasks where id = $1', [waiting.id]);
    expect(rows).toEqual([{ due_at: at }]);
  },
);
