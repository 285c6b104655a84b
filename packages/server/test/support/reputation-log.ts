import { randomUUID } from 'node:crypto';
import { toId } from '@agora-market/contract';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { LoggedRow } from '../../src/events/index.ts';
import type { Queryable } from '../../src/platform/index.ts';
import { emptyState, type State } from '../../src/registry/reputation/fold.ts';
import { emptyRecord } from '../../src/registry/reputation/record.ts';

/** Random logs of what happens to agents. They also say what no marketplace logs, for nothing may break a score. */

const uuid = (kind: string, nth: number) => `00000000-0000-7000-8${kind}00-${String(nth).padStart(12, '0')}`;

export interface Parties {
  agents: { id: string; ownerId: string }[];
  /** Owners. */
  buyers: string[];
}

/** Each agent has an owner of its own. These owners buy too, and so do two that have no agent. */
export const partiesOf = (agents: number): Parties => ({
  agents: Array.from({ length: agents }, (_, nth) => ({ id: uuid('a', nth), ownerId: uuid('b', nth) })),
  buyers: Array.from({ length: agents + 2 }, (_, nth) => uuid('b', nth)),
});

/** Who takes part in random logs. */
export const parties = partiesOf(4);
/** An agent that the log names and the database does not have. */
const stranger = { id: uuid('a', 999_999), ownerId: uuid('b', 999_999) };

/** An event as it is stored, without its number. */
export type Logged = Pick<LoggedRow, 'type' | 'at' | 'correlationId' | 'taskId' | 'agentId' | 'ownerId' | 'data'>;

const dayMs = 86_400_000;
const begin = Date.parse('2026-01-10T09:00:00.000Z');

const taskTypes = ['testing', 'bug_fix', 'security_audit'] as const;
const price = fc.oneof(fc.constant(0), fc.nat(1_000), fc.nat(1_000_000));

const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('ended' as const),
      agent: fc.nat(4),
      buyer: fc.nat(5),
      how: fc.constantFrom('pass', 'pass', 'pass', 'reject', 'fail', 'expire'),
      answerable: fc.constantFrom('agent', 'agent', 'buyer', 'platform'),
      quality: fc.option(fc.nat(100)),
      isMeasured: fc.constantFrom(true, true, false, null),
      isDirect: fc.boolean(),
      taskType: fc.constantFrom(...taskTypes),
      price,
      waited: fc.option(fc.double({ min: -1, max: 2, noNaN: true })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom('up', 'down', 'refunded', 'ruled', 'split', 'struck'),
      /** So many tasks ago. */
      task: fc.nat(12),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      replaced: fc.constantFrom(null, 'up', 'down'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('unanswered', 'dispute_lost', 'reactivated'),
      agent: fc.nat(4),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('instrument' as const),
      buyer: fc.nat(5),
      instrument: fc.constantFrom('ins_a', 'ins_b', 'ins_c', null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('midnight' as const), days: fc.integer({ min: 1, max: 200 }) }),
  },
);

type Happening = { afterMs: number } & (typeof happening extends fc.Arbitrary<infer H> ? H : never);

/** A log. Times mostly go on, and now and then a moment back, as they do where several servers log. */
export const anyLog = (maxLength = 60): fc.Arbitrary<Logged[]> =>
  fc
    .array(
      fc.tuple(
        happening,
        fc.oneof(fc.constant(0), fc.integer({ min: -2_000, max: 60_000 }), fc.integer({ min: 0, max: 30 * dayMs })),
      ),
      { maxLength, size: 'max' },
    )
    .map((all) => written(all.map(([each, afterMs]) => ({ ...each, afterMs }))));

function written(happenings: Happening[]): Logged[] {
  let now = begin;
  const tasks: { taskId: string; agentId: string; ownerId: string; price: number }[] = [];
  return happenings.flatMap((each, nth): Logged[] => {
    now += each.afterMs;
    const at = new Date(now).toISOString();
    const event = (type: Logged['type'], about: Partial<Logged>, data: Logged['data']): Logged => ({
      ...{ type, at, correlationId: `c${nth}`, taskId: null, agentId: null, ownerId: null, data },
      ...about,
    });
    const agentOf = (place: number) => parties.agents[place] ?? stranger;
    if (each.what === 'midnight') {
      const day = new Date(now + (each.days - 1) * dayMs).toISOString().slice(0, 10);
      now = Date.parse(day) + dayMs;
      return [event('reputation.day_closed', { at: new Date(now).toISOString() }, { day })];
    }
    if (each.what === 'instrument') {
      const { instrument, buyer } = each;
      const ownerId = parties.buyers[buyer] as string;
      return [event('pool.topped_up', { ownerId }, { amount: 500, ...(instrument !== null && { instrument }) })];
    }
    if (each.what === 'ended') {
      const { how, answerable, quality, isMeasured, isDirect, taskType, waited } = each;
      const ownerId = parties.buyers[each.buyer] as string;
      const task = { taskId: uuid('c', nth), agentId: agentOf(each.agent).id, ownerId };
      tasks.push({ ...task, price: each.price });
      const told = { verb: how, qualityScore: quality, isMeasured, isDirect, taskType, waited, price: each.price };
      const fee = Math.floor(each.price * 0.15);
      return how === 'pass'
        ? [event('task.completed', task, { ...told, fee, payout: each.price - fee })]
        : [event('task.failed', task, { ...told, answerable, from: 'executing', amount: each.price })];
    }
    if (!('task' in each)) {
      const about = { agentId: agentOf(each.agent).id };
      if (each.what === 'reactivated') return [event('agent.reactivated', about, {})];
      if (each.what === 'unanswered') return [event('task.unassigned', about, { because: 'not_accepted' })];
      return [event('dispute.resolved', about, { outcome: 'seller_wins', loser: toId('agent', about.agentId) })];
    }
    const found = tasks.at(-1 - each.task);
    if (found === undefined) return [];
    return ofTask(each, found, event);
  });
}

type OfTask = Extract<Happening, { task: number }>;
type MakeEvent = (type: Logged['type'], about: Partial<Logged>, data: Logged['data']) => Logged;

/** What happens to a task after its end. */
function ofTask(
  each: OfTask,
  { price: paid, ...task }: Partial<Logged> & { price: number },
  event: MakeEvent,
): Logged[] {
  const payout = paid - Math.floor(paid * 0.15);
  if (each.what === 'struck') return [event('assessment.appeal_decided', task, { status: 'upheld' })];
  if (each.what === 'refunded' || each.what === 'ruled') {
    const because = each.what === 'ruled' ? { because: 'dispute' } : {};
    return [event('task.refunded', task, { status: 'refunded', amount: paid, payout, ...because })];
  }
  if (each.what === 'split') {
    const back = Math.floor(paid * each.share);
    return [
      event('credits.refunded', task, { amount: back, payout: Math.floor(back * 0.85) }),
      event('dispute.resolved', task, { outcome: 'split', price: paid, refunded: back }),
    ];
  }
  return [event('feedback.received', task, { direction: each.what, replaced: each.replaced })];
}

/** The log as a reader of the events gets it. */
export const readerSees = (log: Logged[]): LoggedRow[] =>
  log.map((each, nth) => ({ seq: nth + 1, district: 'tasks', ...each }));

/** The state of agents before anything is logged. */
export const freshState = (agents: readonly { id: string; ownerId: string }[]): State => ({
  ...emptyState(0),
  agents: new Map(agents.map(({ id, ownerId }) => [id, { ownerId, record: emptyRecord(), tier: 'unverified' }])),
});

/** Puts the parties into a database that has none of them. */
export async function registerParties(db: Queryable, { agents, buyers } = parties): Promise<void> {
  await db.query(
    `insert into owners (id, name, email, password_hash, plan, created_at)
     select id, 'Ada', id || '@example.com', '', 'free', now() from unnest($1::uuid[]) as o(id)`,
    [buyers],
  );
  await db.query(
    `with made as (
       insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories, key_hash,
         key_prefix, created_at, updated_at)
       select id, owner_id, 'A', 'custom', 'm', '', '[]', '{}', uuid_send(id), 'k', now(), now()
       from unnest($1::uuid[], $2::uuid[]) as a(id, owner_id) returning id
     ), stats as (insert into agent_stats (agent_id) select id from made)
     insert into reputations (agent_id) select id from made`,
    [agents.map(({ id }) => id), agents.map(({ ownerId }) => ownerId)],
  );
}

/** Logs events as the server does, which numbers them. */
export const store = (db: Queryable, log: Logged[]) =>
  db.query(
    `insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
     select type, 'tasks', at, "taskId", "agentId", "ownerId", "correlationId", data
     from json_to_recordset($1) as e(type text, at timestamptz, "taskId" uuid, "agentId" uuid, "ownerId" uuid,
       "correlationId" text, data json)`,
    [JSON.stringify(log)],
  );

let serial = 0;
/** So many tasks that ended, of each agent in turn. */
export const endedTasks = (count: number, who = parties): Logged[] =>
  Array.from({ length: count }, () => endedTask(who));

function endedTask({ agents, buyers }: Parties): Logged {
  const nth = serial++;
  const { id: agentId } = agents[nth % agents.length] as Parties['agents'][number];
  const about = { taskId: randomUUID(), agentId, ownerId: buyers[agents.length + (nth % 2)] as string };
  const at = new Date(Date.parse('2026-02-01') + nth * 60_000).toISOString();
  const data = { verb: 'pass', qualityScore: nth % 101, taskType: 'testing', waited: 0.1, price: nth % 900 };
  return nth % 5 === 0
    ? {
        ...about,
        type: 'task.failed',
        at,
        correlationId: 'c',
        data: { ...data, verb: 'reject', from: 'quality_check' },
      }
    : { ...about, type: 'task.completed', at, correlationId: 'c', data: { ...data, fee: 0, payout: data.price } };
}

/** Compares what is stored of each agent with what the log says, which is counted without any code of the reader. */
export async function expectEachCountedOnce(db: Queryable): Promise<void> {
  const { rows } = await db.query(
    `select r.completed, r.failed, (select count(*)::int from events where agent_id = r.agent_id
       and type = 'task.completed') as "saidCompleted", (select count(*)::int from events where agent_id = r.agent_id
       and type = 'task.failed') as "saidFailed" from reputations r`,
  );
  expect(rows).toHaveLength(4);
  for (const { completed, failed, saidCompleted, saidFailed } of rows) {
    expect(saidCompleted).toBeGreaterThan(0);
    expect({ completed, failed }).toEqual({ completed: saidCompleted, failed: saidFailed });
  }
}
