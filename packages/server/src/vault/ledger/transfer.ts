import type { AccountKind, TransferCause } from '@agora-market/contract';
import { defineFunction, type Queryable, rows } from '../../platform/index.ts';

/** The holder of platform accounts. */
export const platformHolder = '00000000-0000-0000-0000-000000000000';

export interface Account {
  /** Owner (pool_*), agent (wallet_*) or `platformHolder`, as UUID. */
  holder: string;
  kind: AccountKind;
}

export interface Transfer {
  /** The subject of the transfer, as UUID; unique for ever together with `cause`. */
  subject: string;
  cause: TransferCause;
  from: Account;
  to: Account;
  /** Integer cents; transfers of 0 are left out. */
  amount: number;
  at: Date;
}

/**
 * The only writer of transfers and balances. Applies transfers in order: notes both balances before each, creates
 * missing accounts, and updates each other account once. The caller holds `ledgerLock` alone, or has locked the accounts
 * (`vault_lock`), so nobody else changes them. An overdraft or a repeated (subject, cause) violates a constraint and fails the transaction.
 * Platform accounts have no balance row; their balance is the sum of their entries.
 */
defineFunction(
  'vault_transfer',
  `create or replace function vault_transfer(
  p_subject uuid[], p_cause transfer_cause[], p_from uuid[], p_from_kind account_kind[],
  p_to uuid[], p_to_kind account_kind[], p_amount bigint[], p_at timestamptz[]
) returns void language plpgsql as $$
declare
  v_platform constant account_kind[] := array['platform_fees', 'processor_clearing', 'payouts_in_transit', 'dispute_reserve']::account_kind[];
begin
  -- Only what the windows need goes through them; the rest of a transfer is put beside it at the end, by position.
  with leg as (
    select leg.*, a.tid,
      -- An account that was never paid has no row; as 0 it fails the constraint when it is to pay.
      case when leg.kind <> all (v_platform) then coalesce(a.balance, 0) end as balance
    from (
      select ord, 0 as side, holder, kind, -amount as delta
      from unnest(p_from, p_from_kind, p_amount) with ordinality as t(holder, kind, amount, ord)
      union all
      select ord, 1, holder, kind, amount
      from unnest(p_to, p_to_kind, p_amount) with ordinality as t(holder, kind, amount, ord)
    ) leg
    left join lateral (
      select balance, ctid as tid from ledger_accounts where holder = leg.holder and kind = leg.kind limit 1
    ) a on true
  ), running as materialized (
    select s.ord, s.side, s.holder, s.kind, s.tid, s.is_last, s.balance + s.sum as after,
      s.balance + s.sum - s.delta as before
    from (
      select l.*, (sum(l.delta) over account)::bigint as sum, lead(0) over account is null as is_last
      from leg l window account as (partition by l.holder, l.kind order by l.ord, l.side)
    ) s
  ), opened as (
    insert into ledger_accounts (holder, kind, balance)
    select r.holder, r.kind, r.after from running r where r.is_last and r.tid is null and r.after <> 0
  ), changed as (
    -- By ctid, which is safe here: no row changes between the snapshot and the update.
    update ledger_accounts a set balance = r.after from running r where r.is_last and a.ctid = r.tid
  ), befores as (
    select array_agg(r.before order by r.ord) filter (where r.side = 0) as from_before,
      array_agg(r.before order by r.ord) filter (where r.side = 1) as to_before from running r
  )
  insert into ledger_transfers
    (subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at)
  select t.* from befores b cross join lateral
    unnest(p_subject, p_cause, p_from, p_from_kind, b.from_before, p_to, p_to_kind, b.to_before, p_amount, p_at)
      as t(subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, at)
  where t.amount <> 0;
end $$`,
);

/** Applies transfers in one ordinary transaction of mode 'ledger'. */
export const transfer = (tx: Queryable, transfers: Transfer[]) =>
  rows(
    tx,
    'vault_transfer',
    'select vault_transfer($1::uuid[], $2::transfer_cause[], $3::uuid[], $4::account_kind[], $5::uuid[], $6::account_kind[], $7::bigint[], $8::timestamptz[])',
    [
      transfers.map((each) => each.subject),
      transfers.map((each) => each.cause),
      transfers.map((each) => each.from.holder),
      transfers.map((each) => each.from.kind),
      transfers.map((each) => each.to.holder),
      transfers.map((each) => each.to.kind),
      transfers.map((each) => each.amount),
      transfers.map((each) => each.at.toISOString()),
    ],
  );
