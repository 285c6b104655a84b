import type { AccountKind, TransferCause } from '@agora-market/contract';
import { type Queryable, rows } from '../../platform/index.ts';
import { endOfPositionsUntil, firstPositionFrom } from './position.ts';

/**
 * Balances of holders at an instant, from entries alone: the balance after the last entry that is certainly older, plus
 * the entries around the instant. Only existing accounts are read, because the last entry of another would be searched
 * in the whole history of its holder.
 */
export const balancesAt = (db: Queryable, holders: readonly string[], at: string) =>
  rows<{ holder: string; kind: AccountKind; balance: number }>(
    db,
    'statements_balances_at',
    `select h.holder, k.kind, coalesce(old.balance, 0) + coalesce(near.sum, 0) as balance
     from unnest($1::uuid[]) as h(holder)
     cross join lateral (
       select ${firstPositionFrom('h.holder', '$2::timestamptz')} as first,
         ${endOfPositionsUntil('h.holder', '$2::timestamptz')} as end
     ) p
     join ledger_accounts k on k.holder = h.holder
     left join lateral (
       select e.balance from (
         (select seq, balance_after as balance from ledger_entries
          where holder = h.holder and side = 0 and kind = k.kind and seq < p.first order by seq desc limit 1)
         union all
         (select seq, balance_after as balance from ledger_entries
          where holder = h.holder and side = 1 and kind = k.kind and seq < p.first order by seq desc limit 1)
       ) e order by e.seq desc limit 1
     ) old on true
     left join lateral (
       select sum(amount)::bigint as sum from ledger_entries
       where holder = h.holder and kind = k.kind and seq >= p.first and seq < p.end and created_at <= $2
     ) near on true
     where old.balance is not null or near.sum is not null`,
    [holders, at],
  );

/** Movements in the accounts of holders from one time to before another, by cause. */
export const sumsByCause = (db: Queryable, holders: readonly string[], from: string, to: string) =>
  rows<{ holder: string; kind: AccountKind; cause: TransferCause; count: number; amount: number }>(
    db,
    'statements_sums_by_cause',
    `select h.holder, s.* from unnest($1::uuid[]) as h(holder)
     cross join lateral (
       select ${firstPositionFrom('h.holder', '$2::timestamptz')} as first,
         ${endOfPositionsUntil('h.holder', '$3::timestamptz')} as end
     ) p
     cross join lateral (
       select kind, cause, count(*) as count, sum(amount)::bigint as amount from ledger_entries
       where holder = h.holder and seq >= p.first and seq < p.end and created_at >= $2 and created_at < $3
       group by kind, cause
     ) s order by s.cause`,
    [holders, from, to],
  );

/** Agents of an owner whose wallets ever held anything, oldest first. */
export const agentsWithWallets = (db: Queryable, ownerId: string) =>
  rows<{ id: string; name: string }>(
    db,
    'statements_agents_with_wallets',
    `select id, display_name as name from agents a where owner_id = $1
       and exists (select from ledger_entries where holder = a.id and side = 1) order by id`,
    [ownerId],
  );
