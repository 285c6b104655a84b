import { withdrawalRange } from '@agora-market/contract';
import { firstIdAt, type Queryable, row } from '../platform/index.ts';
import { openAssigned, openAtMostMs, openSubmitted } from './sql.ts';

/** What must be settled before an account can be deleted. */
export interface Obstacle {
  kind: keyof typeof obstacles;
  count: number;
  /** How much it is about, where it is about money. */
  cents?: number;
  /** What it is and what to do. */
  message: string;
}

/** Counts, and amounts in cents. */
interface Facts {
  pool: number;
  owed: number;
  escrowed: number;
  allocated: number;
  earned: number;
  flagged: number;
  submitted: number;
  assigned: number;
  disputes: number;
  appeals: number;
  topUps: number;
  refunds: number;
  withdrawals: number;
  requests: number;
  agreements: number;
}

const money = (of: (facts: Facts) => number, message: string) => ({ of, message, isMoney: true });
const things = (of: (facts: Facts) => number, message: string) => ({ of, message, isMoney: false });

const obstacles = {
  submitted_tasks: things((f) => f.submitted, 'Tasks that the pool pays for are open. Cancel them, or wait for them.'),
  assigned_tasks: things((f) => f.assigned, 'Your agents have open tasks. Finish or decline them.'),
  disputes: things((f) => f.disputes, 'Disputes about your tasks or those of your agents are open. Wait for them.'),
  appeals: things((f) => f.appeals, 'Appeals about your tasks or those of your agents are open. Wait for them.'),
  requests: things((f) => f.requests, 'Your agents have open work requests. Cancel them.'),
  agreements: things((f) => f.agreements, 'Agreements of your agents have not ended, or their escrow is not released.'),
  top_ups: things((f) => f.topUps, 'The payment processor has not decided a top-up yet. Wait for it.'),
  refunds: things((f) => f.refunds, 'A refund of a top-up is under way. Wait for it.'),
  withdrawals: things(
    (f) => f.withdrawals,
    'Withdrawals are on their way to the bank and may come back. Wait for them.',
  ),
  flagged_wallets: things((f) => f.flagged, 'Wallets are blocked until the operator has clarified a difference.'),
  pool_balance: money(
    (f) => f.pool,
    'The pool has credits. Spend them, or have the top-up that they came by refunded to its card.',
  ),
  pool_owed: money((f) => f.owed, 'The pool owes what went back to a card. Top it up, or ask the operator.'),
  wallet_escrow: money((f) => f.escrowed, 'Earnings of your agents are not released yet. Wait for them.'),
  wallet_allocated: money((f) => f.allocated, 'Wallets have credits that you allocated. Reclaim them to the pool.'),
  wallet_balance: money(
    (f) => (f.earned < withdrawalRange.min ? 0 : f.earned),
    'Wallets of your agents have earnings. Withdraw them; transfer small ones to one wallet first.',
  ),
} as const;

/** The rule: everything that is not settled, with what to do. */
function obstaclesOf(facts: Facts): Obstacle[] {
  return Object.entries(obstacles).flatMap(([kind, { of, message, isMoney }]) => {
    const amount = of(facts);
    if (amount === 0) return [];
    const found = { kind: kind as Obstacle['kind'], message };
    return [isMoney ? { ...found, count: 1, cents: amount } : { ...found, count: amount }];
  });
}

const sum = (counts: { count: number }[]) => counts.reduce((all, { count }) => all + count, 0);

/** Reads them in the transaction that deletes, behind the ledger lock and the lock of the account. */
export async function findObstacles(tx: Queryable, ownerId: string, now: Date): Promise<Obstacle[]> {
  const submitted = sum(await openSubmitted(tx, ownerId, firstIdAt(new Date(now.getTime() - openAtMostMs))));
  const assigned = sum(await openAssigned(tx, ownerId));
  const facts = await row<Omit<Facts, 'submitted' | 'assigned'>>(tx, 'overview_obstacles', factsSql, [ownerId]);
  if (!facts) throw new Error('the facts of an account returned no row');
  return obstaclesOf({ ...facts, submitted, assigned });
}

/** A pending reload of auto-top-up is locked first: it is among the top-ups, or does not begin any more. */
const factsSql = `with reload as materialized (
  select from auto_top_ups where owner_id = $1 for update
), own as materialized (
  select id from agents where owner_id = $1
), pool as (
  select coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(owed), 0)::bigint as owed
  from ledger_accounts where holder = $1
), wallets as (
  select coalesce(sum(balance) filter (where kind = 'wallet_allocated'), 0)::bigint as allocated,
    coalesce(sum(balance) filter (where kind = 'wallet_available'), 0)::bigint as earned,
    coalesce(sum(balance) filter (where kind = 'wallet_escrowed'), 0)::bigint as escrowed
  from own join ledger_accounts l on l.holder = own.id
)
select p.balance as pool, p.owed, w.allocated, w.earned, w.escrowed, (select count(*) from reload) as reloads,
  (select count(*) from own join wallet_flags f on f.agent_id = own.id where f.cleared_at is null) as flagged,
  (select count(*) from disputes where due_at is not null and (owner_id = $1 or seller_id = $1)) as disputes,
  (select count(*) from appeals a where a.due_at is not null and (a.agent_id in (select id from own)
    or exists (select from tasks t where t.id = a.task_id and t.owner_id = $1))) as appeals,
  (select count(*) from top_ups where owner_id = $1 and status = 'pending') as "topUps",
  (select count(*) from top_up_reversals where owner_id = $1 and due_at is not null) as refunds,
  (select count(*) from withdrawals where owner_id = $1 and (due_at is not null or status = 'held')) as withdrawals,
  (select count(*) from work_requests where buyer_owner_id = $1 and due_at is not null) as requests,
  (select count(*) from agreements where due_at is not null and (buyer_owner_id = $1 or seller_owner_id = $1))
    as agreements
from pool p, wallets w`;
