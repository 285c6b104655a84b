import { chargedStatuses, openStatuses, terminalStatuses, uncountedStatuses } from '@agora-market/contract';
import { createPool, type Queryable, rows, sqlList } from '../platform/index.ts';
import { disputeRefunds } from '../vault/index.ts';
import { disputeChecks } from './dispute-checks.ts';
import { escrowChecks, escrowsOfAgents } from './escrow-checks.ts';
import { entriesAboutNothing, entriesInWrongAccounts } from './ledger-rules.ts';
import { reversalChecks } from './reversal-checks.ts';
import { walletMoveChecks } from './wallet-move-checks.ts';
import { withdrawalChecks } from './withdrawal-checks.ts';

/** One thing that must hold, and the rows that break it (none, in a sound ledger). */
export interface LedgerCheck {
  name: string;
  broken: Record<string, unknown>[];
}

const platformKinds = `('platform_fees', 'processor_clearing', 'payouts_in_transit', 'dispute_reserve')`;
const ended = sqlList(terminalStatuses);
const open = sqlList(openStatuses);
const charged = sqlList(chargedStatuses);
/** Causes that charge a task. */
const charges = `'payout', 'fee', 'accepted_payout', 'accepted_fee'`;

/**
 * The claims: the entries are legal, and everything else about money agrees with them. Each query returns rows that
 * contradict its claim, at most 20. It reads each table once and groups it, so that it ends on large ledgers beside a
 * running server.
 */
const checks: [name: string, query: string][] = [
  [
    'every transfer moves something, from one account to another',
    `select subject, cause, amount from ledger_transfers
     where amount <= 0 or (from_holder, from_kind) = (to_holder, to_kind)`,
  ],
  [
    'no transfer of a cause happened twice to one subject',
    `select subject, cause from ledger_transfers group by subject, cause having count(*) > 1`,
  ],
  ['every entry is about a task, top-up, withdrawal or move that exists', entriesAboutNothing],
  ['every entry is in the account that its cause moves money out of or into', entriesInWrongAccounts],
  [
    'every balance equals the sum of its entries',
    `select holder, kind, a.balance, e.sum from ledger_accounts a
     full join (
       select holder, kind, sum(amount) as sum from ledger_entries
       where kind not in ${platformKinds} group by holder, kind
     ) e using (holder, kind)
     where coalesce(a.balance, 0) <> coalesce(e.sum, 0)`,
  ],
  [
    'every entry starts where the one before it ended, and none goes below zero',
    `select holder, kind, seq, amount, balance_before, previous, balance_after from (
       select holder, kind, seq, amount, balance_before, balance_after,
         coalesce(lag(balance_after) over (partition by holder, kind order by seq), 0) as previous
       from ledger_entries where kind not in ${platformKinds}
     ) e where balance_before is distinct from previous or balance_after is null or balance_after < 0
       or balance_after <> balance_before + amount`,
  ],
  [
    'credits held equal the budgets of the open tasks of each owner',
    `select holder, held, budgets from (
       select holder, sum(amount) as held from ledger_entries where kind = 'pool_held' group by holder
     ) e full join (
       select owner_id as holder, sum(max_budget) as budgets from tasks where status in ${open} group by owner_id
     ) t using (holder) where coalesce(held, 0) <> coalesce(budgets, 0)`,
  ],
  [
    'credits escrowed equal the pending and frozen earnings of each agent, and the prices of its open agreements',
    `select holder, escrowed, pending from (
       select holder, sum(amount) as escrowed from ledger_entries where kind = 'wallet_escrowed' group by holder
     ) e full join (
       select agent_id as holder, sum(amount) as pending from (
         select agent_id, amount from earnings where status in ('pending', 'frozen') union all ${escrowsOfAgents}
       ) one group by agent_id
     ) p using (holder) where coalesce(escrowed, 0) <> coalesce(pending, 0)`,
  ],
  [
    'all earnings belong to the agent of a task that was charged',
    `select e.task_id, e.agent_id, t.status from earnings e left join tasks t on t.id = e.task_id
     where t.id is null or e.agent_id <> t.agent_id or (t.status not in ${charged} and t.accepted_at is null)`,
  ],
  [
    'what was held for every task is resolved exactly once',
    `select t.id, t.status, t.max_budget, m.held, m.resolved from tasks t left join (
       select subject, sum(amount) filter (where cause = 'hold' and side = 1) as held,
         -sum(amount) filter (where cause in ('payout', 'fee', 'hold_released', 'hold_returned') and side = 0) as resolved,
         count(*) filter (where cause in ('payout', 'hold_released')) as times
       from ledger_entries where kind = 'pool_held' group by subject
     ) m on m.subject = t.id
     where coalesce(m.held, 0) <> t.max_budget
       or coalesce(m.resolved, 0) <> case when t.status in ${ended} then t.max_budget else 0 end
       or coalesce(m.times, 0) <> case when t.status in ${ended} then 1 else 0 end`,
  ],
  [
    'all earnings are the payout of their task, and released is what went out of escrow',
    `select task_id, e.status, e.amount, m.paid, m.released from earnings e full join (
       select subject as task_id, sum(amount) filter (where cause in ('payout', 'accepted_payout')) as paid,
         sum(amount) filter (where cause = 'earnings_released') as released,
         sum(amount) filter (where cause = 'dispute_payout_refunded') as returned
       from ledger_entries
       where side = 1 and cause in ('payout', 'accepted_payout', 'earnings_released', 'dispute_payout_refunded')
       group by subject
     ) m using (task_id)
     where coalesce(e.amount, 0) <> coalesce(m.paid, 0)
       or coalesce(m.released, 0)
         <> case when e.status = 'released' then e.amount - coalesce(m.returned, 0) else 0 end`,
  ],
  [
    // Earnings that were out when their task was disputed stay released; then the wallet and the reserve pay.
    'every charged task has earnings, which are refunded if it was and only then',
    `select t.id, t.status, e.status as earnings, e.amount from tasks t left join earnings e on e.task_id = t.id
     left join disputes d on d.task_id = t.id and d.outcome = 'buyer_wins' and not d.froze
     where t.status in ${charged} and t.price > 0
       and (e.status is null or (e.status = 'refunded') <> (t.status = 'refunded' and d.id is null))`,
  ],
  [
    'fee and payout of every charged task make up its price, which never exceeds the budget',
    `select t.id, t.price, e.charged, e.fee from tasks t left join (
       select subject, sum(amount) as charged, sum(amount) filter (where cause = 'fee') as fee
       from ledger_entries where side = 1 and cause in ('payout', 'fee') group by subject
     ) e on e.subject = t.id
     where t.status in ${charged} and (coalesce(e.charged, 0) <> t.price or t.price > t.max_budget
       or coalesce(e.fee, 0) <> t.price * t.fee_bps / 10000)`,
  ],
  [
    'every ended task says what it was charged and not given back, which is nothing if it was refunded, or failed and not accepted',
    `select t.id, t.status, t.credits_charged, e.charged from tasks t left join (
       select subject, coalesce(sum(amount) filter (where cause in (${charges})), 0)
         - coalesce(sum(amount) filter (where cause not in (${charges})), 0) as charged
       from ledger_entries where side = 1 and cause in (${charges}, 'payout_refunded', 'fee_refunded', ${disputeRefunds})
       group by subject
     ) e on e.subject = t.id
     where t.credits_charged is distinct from case when t.status in ${ended} then coalesce(e.charged, 0) end
       or (t.status in ('failed', 'refunded') and t.accepted_at is null and t.credits_charged <> 0)`,
  ],
  [
    'every accepted task failed and moved its price out of the pool, and no other task did',
    `select t.id, t.status, t.price, e.charged from tasks t full join (
       select subject, sum(amount) as charged from ledger_entries
       where side = 1 and cause in ('accepted_payout', 'accepted_fee') group by subject
     ) e on e.subject = t.id
     where (t.accepted_at is not null or e.subject is not null)
       and (t.status <> 'failed' or t.accepted_at is null or t.price is distinct from coalesce(e.charged, 0))`,
  ],
  [
    'every task refunded by thumbs-down returned its price to the pool, no other task did',
    `select t.id, t.status, e.refunded from tasks t left join (
       select subject, sum(amount) as refunded from ledger_entries
       where side = 1 and cause in ('payout_refunded', 'fee_refunded') group by subject
     ) e on e.subject = t.id
     left join disputes d on d.task_id = t.id and d.outcome = 'buyer_wins'
     where coalesce(e.refunded, 0) <> case when t.status = 'refunded' and d.id is null then t.price else 0 end`,
  ],
  [
    'every top-up that succeeded is one transfer of its amount, no other is any',
    `select u.id, u.status, e.amount from top_ups u
     left join ledger_entries e on e.subject = u.id and e.cause = 'top_up' and e.side = 1
     where coalesce(e.amount, 0) <> case when u.status = 'succeeded' then u.amount else 0 end`,
  ],
  [
    'every agent has as many tasks that were routed to it or that it started as are counted for it',
    `select agent_id, s.open_tasks, t.open from agent_stats s
     full join (
       -- An attempt with its verdict takes none of its agent's places while it waits for the others.
       select agent_id, count(*) as open from tasks
       where status not in ${sqlList(uncountedStatuses)} and assessment_id is null group by agent_id
     ) t using (agent_id)
     where coalesce(s.open_tasks, 0) <> coalesce(t.open, 0)`,
  ],
  ...reversalChecks,
  ...withdrawalChecks,
  ...walletMoveChecks,
  ...disputeChecks,
  ...escrowChecks,
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
  const pool = createPool(databaseUrl, () => {}, { max: 1 });
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // Proving takes as long as the ledger is large.
    await client.query('set local statement_timeout = 0');
    // One check runs at a time: with room for its hashes and sorts a million transfers take three quarters of the time.
    await client.query(`set local work_mem = '64MB'`);
    const results = await checkLedger(client);
    await client.query('commit');
    return results;
  } finally {
    client.release();
    await pool.end();
  }
}
