import type { AccountKind, TransferCause } from '@agora/contract';
import { defineFunction, type Queryable, rows } from '../../platform/index.ts';

/** The holder of platform accounts. */
export const platformHolder = '00000000-0000-0000-0000-000000000000';

export interface Account {
  /** Owner (pool_*), agent (wallet_*) or `platformHolder`, as UUID. */
  holder: string;
  kind: AccountKind;
}

export interface Transfer {
  /** What the transfer is about, as UUID; with `cause` it is unique for ever. */
  subject: string;
  cause: TransferCause;
  from: Account;
  to: Account;
  /** Integer cents; transfers of 0 are left out. */
  amount: number;
  taskId: string | null;
  at: Date;
}

/**
 * The only writer of ledger entries and balances. Applies transfers in their order: makes missing accounts, writes two
 * entries each with the balance before and after, and updates each account once, in id order. The caller holds
 * `ledgerLock`, so nobody else moves money meanwhile. An overdraft or a repeated (subject, cause) fails the
 * transaction by constraint. Accounts of the platform have no balance row; theirs is the sum of their entries.
 */
defineFunction(
  'vault_transfer',
  `create or replace function vault_transfer(
  p_subject uuid[], p_cause transfer_cause[], p_from uuid[], p_from_kind account_kind[],
  p_to uuid[], p_to_kind account_kind[], p_amount bigint[], p_task uuid[], p_at timestamptz[]
) returns void language plpgsql as $$
declare
  v_platform constant account_kind[] := array['platform_fees', 'processor_clearing', 'payouts_in_transit']::account_kind[];
begin
  insert into ledger_accounts (holder, kind)
  select distinct t.holder, t.kind from unnest(p_to, p_to_kind, p_amount) as t(holder, kind, amount)
  where t.amount > 0 and t.kind <> all (v_platform)
    and not exists (select from ledger_accounts a where a.holder = t.holder and a.kind = t.kind)
  order by 1, 2;

  with legs as materialized (
    select t.ord, leg.side, t.subject, t.cause, leg.holder, leg.kind, leg.counterparty, leg.amount, t.task_id, t.at
    from unnest(p_subject, p_cause, p_from, p_from_kind, p_to, p_to_kind, p_amount, p_task, p_at) with ordinality
      as t(subject, cause, from_holder, from_kind, to_holder, to_kind, amount, task_id, at, ord)
    cross join lateral (values
      (0::smallint, t.from_holder, t.from_kind, t.to_kind, -t.amount),
      (1::smallint, t.to_holder, t.to_kind, t.from_kind, t.amount)
    ) as leg(side, holder, kind, counterparty, amount)
    where t.amount <> 0
  ), logged as (
    insert into ledger_entries
      (subject, cause, side, holder, kind, amount, balance_before, balance_after, task_id, counterparty, created_at)
    select l.subject, l.cause, l.side, l.holder, l.kind, l.amount,
      a.balance + sum(l.amount) over account - l.amount, a.balance + sum(l.amount) over account,
      l.task_id, l.counterparty, l.at
    from legs l
    left join lateral (
      -- An account that was never paid has no row; as 0 it fails the constraint when it is to pay.
      select coalesce((select balance from ledger_accounts where holder = l.holder and kind = l.kind), 0) as balance
    ) a on l.kind <> all (v_platform)
    window account as (partition by l.holder, l.kind order by l.ord, l.side)
    order by l.ord, l.side
  ), touched as materialized (
    select holder, kind, sum(amount)::bigint as delta from legs
    where kind <> all (v_platform) group by holder, kind order by holder, kind
  ), located as materialized (
    select t.delta, a.tid from touched t
    cross join lateral (
      select ctid as tid from ledger_accounts where holder = t.holder and kind = t.kind for update
    ) a
  )
  -- By ctid, which is safe here: under the ledger lock no row changes between the snapshot and the lock.
  update ledger_accounts a set balance = a.balance + l.delta from located l where a.ctid = l.tid;
end $$`,
);

/** Applies transfers in one ordinary transaction of mode 'ledger'. */
export const transfer = (tx: Queryable, transfers: Transfer[]) =>
  rows(
    tx,
    'vault_transfer',
    'select vault_transfer($1::uuid[], $2::transfer_cause[], $3::uuid[], $4::account_kind[], $5::uuid[], $6::account_kind[], $7::bigint[], $8::uuid[], $9::timestamptz[])',
    [
      transfers.map((each) => each.subject),
      transfers.map((each) => each.cause),
      transfers.map((each) => each.from.holder),
      transfers.map((each) => each.from.kind),
      transfers.map((each) => each.to.holder),
      transfers.map((each) => each.to.kind),
      transfers.map((each) => each.amount),
      transfers.map((each) => each.taskId),
      transfers.map((each) => each.at.toISOString()),
    ],
  );
