import { createPool, type Queryable, rows } from '../platform/index.ts';

/** One thing that must hold, and the rows that break it (none, in a sound ledger). */
export interface LedgerCheck {
  name: string;
  broken: Record<string, unknown>[];
}

/**
 * What is proved from the entries alone. Each query returns what contradicts the claim; at most 20 rows are shown.
 */
const checks: [name: string, query: string][] = [
  ['all entries sum to zero', `select sum(amount) as sum from ledger_entries having sum(amount) <> 0`],
  [
    'every transfer has two sides of one amount',
    `select subject, cause from ledger_entries group by subject, cause
     having count(*) <> 2 or sum(amount) <> 0 or count(distinct created_at) <> 1`,
  ],
  [
    'every balance equals the sum of its entries',
    `select holder, kind, a.balance, e.sum from ledger_accounts a
     full join (
       select holder, kind, sum(amount) as sum from ledger_entries
       where kind not in ('platform_fees', 'processor_clearing') group by holder, kind
     ) e using (holder, kind)
     where coalesce(a.balance, 0) <> coalesce(e.sum, 0)`,
  ],
  [
    'every entry starts where the one before it ended, and none goes below zero',
    `select holder, kind, seq, balance_before, previous, balance_after from (
       select holder, kind, seq, balance_before, balance_after,
         coalesce(lag(balance_after) over (partition by holder, kind order by seq), 0) as previous
       from ledger_entries where kind not in ('platform_fees', 'processor_clearing')
     ) e where balance_before is distinct from previous or balance_after is null or balance_after < 0`,
  ],
  [
    'credits held equal the pending holds of each owner',
    `select holder, held, pending from (
       select holder, sum(amount) as held from ledger_entries where kind = 'pool_held' group by holder
     ) e full join (
       select holder, sum(amount) as pending from holds where kind = 'task' and status = 'pending' group by holder
     ) h using (holder) where coalesce(held, 0) <> coalesce(pending, 0)`,
  ],
  [
    'credits escrowed equal the pending earnings of each agent',
    `select holder, escrowed, pending from (
       select holder, sum(amount) as escrowed from ledger_entries where kind = 'wallet_escrowed' group by holder
     ) e full join (
       select holder, sum(amount) as pending from holds where kind = 'earnings' and status = 'pending' group by holder
     ) h using (holder) where coalesce(escrowed, 0) <> coalesce(pending, 0)`,
  ],
  [
    'every open task has one pending hold of its budget, every ended task none',
    `select t.id, t.status, h.status as hold from tasks t left join holds h on h.task_id = t.id and h.kind = 'task'
     where h.status is null or h.amount <> t.max_budget or h.holder <> t.owner_id
       or (h.status = 'pending') <> (t.status in ('submitted', 'routing', 'executing', 'quality_check'))
       or (h.status = 'posted') <> (t.status in ('completed', 'refunded'))`,
  ],
  [
    'every hold belongs to a task, and earnings to its agent',
    `select h.task_id, h.kind, h.holder from holds h left join tasks t on t.id = h.task_id
     where t.id is null or (h.kind = 'earnings' and (h.holder <> t.agent_id or t.status not in ('completed', 'refunded')))`,
  ],
  [
    'what was held for every task is resolved exactly once',
    `select t.id, t.status, m.held, m.resolved from tasks t cross join lateral (
       select coalesce(sum(e.amount) filter (where e.cause = 'hold' and e.side = 1), 0) as held,
         coalesce(-sum(e.amount) filter (where e.cause in ('payout', 'fee', 'hold_released') and e.side = 0), 0) as resolved
       from ledger_entries e where e.subject = t.id and e.kind = 'pool_held' and e.holder = t.owner_id
     ) m
     where m.held <> t.max_budget
       or m.resolved <> case when t.status in ('completed', 'failed', 'refunded') then t.max_budget else 0 end`,
  ],
  [
    'every charged task has earnings of its payout, which were released at most once and never after a refund',
    `select t.id, t.status, h.status as earnings, h.amount, m.paid, m.released from tasks t
     left join holds h on h.task_id = t.id and h.kind = 'earnings'
     cross join lateral (
       select coalesce(sum(e.amount) filter (where e.cause = 'payout' and e.kind = 'wallet_escrowed'), 0) as paid,
         coalesce(sum(e.amount) filter (where e.cause = 'earnings_released' and e.kind = 'wallet_available'), 0) as released
       from ledger_entries e where e.subject = t.id and e.holder = t.agent_id and e.side = 1
     ) m
     where t.status in ('completed', 'refunded') and (h.status is null or h.amount <> m.paid
       or m.released <> case when h.status = 'posted' then h.amount else 0 end
       or (h.status = 'voided') <> (t.status = 'refunded'))`,
  ],
  [
    'fee and payout of every charged task make up its price, which never exceeds the budget',
    `select t.id, t.price, sum(e.amount) as charged from tasks t
     left join ledger_entries e on e.subject = t.id and e.cause in ('payout', 'fee') and e.side = 1
     where t.status in ('completed', 'refunded') group by t.id
     having coalesce(sum(e.amount), 0) <> t.price or t.price > t.max_budget
       or coalesce(sum(e.amount) filter (where e.cause = 'fee'), 0) <> t.price * 15 / 100`,
  ],
  [
    'every refunded task returned its price to the pool, no other task did',
    `select t.id, t.status, sum(e.amount) as refunded from tasks t
     left join ledger_entries e on e.subject = t.id and e.cause in ('payout_refunded', 'fee_refunded') and e.side = 1
     group by t.id having coalesce(sum(e.amount), 0) <> case when t.status = 'refunded' then t.price else 0 end`,
  ],
  [
    'every top-up that succeeded is one transfer of its amount, no other is any',
    `select u.id, u.status, e.amount from top_ups u
     left join ledger_entries e on e.subject = u.id and e.cause = 'top_up' and e.side = 1
     where coalesce(e.amount, 0) <> case when u.status = 'succeeded' then u.amount else 0 end`,
  ],
];

/** Runs the checks in a transaction that is open. */
export async function checkLedger(db: Queryable): Promise<LedgerCheck[]> {
  const results: LedgerCheck[] = [];
  for (const [index, [name, query]] of checks.entries()) {
    const broken = await rows<Record<string, unknown>>(db, `verify_ledger_${index}`, `${query} limit 20`);
    results.push({ name, broken });
  }
  return results;
}

/** Proves sums, balances and holds from the entries, all in one snapshot; it only reads and may run at any time. */
export async function verifyLedger(databaseUrl: string): Promise<LedgerCheck[]> {
  const pool = createPool(databaseUrl, () => {}, 1);
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Proving takes as long as the ledger is large.
    await client.query('set local statement_timeout = 0');
    const results = await checkLedger(client);
    await client.query('commit');
    return results;
  } finally {
    client.release();
    await pool.end();
  }
}
