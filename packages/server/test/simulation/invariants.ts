import type { TaskStatus } from '@agora-market/contract';
import { checkLedger } from '../../src/audit/verify-ledger.ts';
import type { Pool } from '../../src/platform/index.ts';

/** What must hold in every state that the steps can leave behind, in the order they are cheapest to read. */
const invariants: [name: string, query: string][] = [
  ['an account is below zero', 'select holder, kind, balance from ledger_accounts where balance < 0'],
  [
    'the accounts, the platform included, do not sum to what was paid in',
    `select * from (select (select coalesce(sum(balance), 0) from ledger_accounts) as held,
       (select coalesce(sum(amount), 0) from ledger_entries where kind = 'platform_fees') as fees,
       (select coalesce(sum(amount), 0) from top_ups where status = 'succeeded')
         - (select coalesce(sum(taken), 0) from top_up_reversals where state = 'standing') as paid_in) s where held + fees <> paid_in`,
  ],
  [
    'a hold was resolved at another time than its task ended, or more than once',
    `select t.id, t.status, m.n from tasks t cross join lateral (
       select count(*) as n from ledger_transfers e where e.subject = t.id and e.cause in ('payout', 'hold_released')) m
     where m.n <> (t.due_at is null)::int`,
  ],
  [
    'earnings were resolved at another time than their money moved, or more than once',
    `select e.task_id, e.status, m.n from earnings e cross join lateral (
       select count(*) as n from ledger_transfers l
       where l.subject = e.task_id and l.cause in ('earnings_released', 'payout_refunded')) m
     where e.amount > 0 and m.n <> (e.status <> 'pending')::int`,
  ],
  [
    'what is counted for an agent differs from its tasks',
    `select * from agent_stats s cross join lateral (
       select count(*) filter (where t.due_at is not null and t.status <> 'submitted' and t.assessment_id is null) as open
       from tasks t where t.agent_id = s.agent_id
     ) w where s.open_tasks <> w.open`,
  ],
  [
    'the events of a task do not tell its state',
    `select t.id, t.status, e.data from tasks t cross join lateral (
       select data from events where task_id = t.id and data ->> 'status' is not null order by seq desc limit 1
     ) e where e.data ->> 'status' <> t.status::text`,
  ],
];

/** Everything that is wrong, in words; nothing in a sound world. */
export async function faults(pool: Pool, acknowledged: Map<string, TaskStatus>): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const found: string[] = [];
    for (const [name, query] of invariants) {
      const { rows } = await client.query(query);
      if (rows.length > 0) found.push(`${name}: ${JSON.stringify(rows.slice(0, 3))}`);
    }
    for (const { name, broken } of await checkLedger(client)) {
      if (broken.length > 0) found.push(`it does not hold that ${name}: ${JSON.stringify(broken.slice(0, 3))}`);
    }
    const { rows } = await client.query<{ id: string; status: TaskStatus }>('select id, status from tasks');
    const now = new Map(rows.map((row) => [row.id, row.status]));
    for (const [id, status] of acknowledged) {
      if (!isOrFollows(status, now.get(id))) found.push(`${id} was acknowledged as ${status} and is ${now.get(id)}`);
    }
    return found;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const order: TaskStatus[][] = [
  ['submitted'],
  ['routing'],
  ['executing'],
  ['quality_check'],
  ['completed', 'failed'],
  ['refunded'],
];
const rank = (status: TaskStatus) => order.findIndex((group) => group.includes(status));

export const isOrFollows = (then: TaskStatus, now: TaskStatus | undefined) =>
  now !== undefined && (now === then || rank(now) > rank(then));
