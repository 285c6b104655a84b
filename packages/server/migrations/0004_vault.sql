create type account_kind as enum (
  'pool_available', 'pool_held', 'wallet_available', 'wallet_escrowed', 'platform_fees', 'processor_clearing',
  'payouts_in_transit', 'dispute_reserve'
);
create type transfer_cause as enum (
  'top_up', 'hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'payout_refunded', 'fee_refunded', 'earnings_released',
  'top_up_refunded', 'top_up_reinstated', 'reversal_collected',
  'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned',
  'allocation', 'reclaim', 'wallet_transfer',
  'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered'
);

-- Balances of owners (pool_*) and agents (wallet_*). Platform accounts have no row, so that no row is hot:
-- their balance is the sum of their entries.
create table ledger_accounts (
  holder uuid not null,
  kind account_kind not null,
  balance bigint not null default 0,
  -- Of a pool: what went back to its owner's cards while the credits were away, and is still to be collected from it. It
  -- is the sum over the reversals that say so, and what may be spent is the balance without it.
  owed bigint not null default 0,
  primary key (holder, kind),
  constraint ledger_accounts_not_negative check (balance >= 0),
  constraint ledger_accounts_owed check (owed >= 0 and (owed = 0 or kind = 'pool_available')),
  constraint ledger_accounts_held check (
    kind not in ('platform_fees', 'processor_clearing', 'payouts_in_transit', 'dispute_reserve')
  )
) with (fillfactor = 50);

-- Double entry: a row is one transfer, an amount that leaves one account and enters another, with what each had before.
-- (subject, cause) makes it unique, so that no retry moves money twice. Rows are never changed.
create table ledger_transfers (
  seq bigint generated always as identity,
  subject uuid not null,
  cause transfer_cause not null,
  from_holder uuid not null,
  from_kind account_kind not null,
  -- Null for accounts of the platform.
  from_before bigint,
  to_holder uuid not null,
  to_kind account_kind not null,
  to_before bigint,
  amount bigint not null,
  created_at timestamptz(3) not null,
  primary key (subject, cause),
  constraint ledger_transfers_amount check (amount > 0),
  constraint ledger_transfers_sides check ((from_holder, from_kind) <> (to_holder, to_kind)),
  constraint ledger_transfers_not_overdrawn check (from_before >= amount and to_before >= 0)
);
create index ledger_transfers_from on ledger_transfers (from_holder, seq);
create index ledger_transfers_to on ledger_transfers (to_holder, seq);
-- A task's hold is resolved once: by a charge, or by giving all of it back.
create unique index ledger_transfers_hold_resolved_once on ledger_transfers (subject)
  where cause in ('payout', 'hold_released');

create function ledger_transfers_are_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'ledger transfers are append-only';
end $$;
create trigger ledger_transfers_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function ledger_transfers_are_immutable();

create function task_of(p_subject uuid, p_cause transfer_cause) returns uuid language sql immutable as $$
  select case when p_cause in ('hold', 'hold_released', 'hold_returned', 'payout', 'fee', 'payout_refunded',
    'fee_refunded', 'earnings_released', 'dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited',
    'dispute_covered') then p_subject end
$$;

-- The transfers as an accountant reads them: an entry for each account that one touches, side 0 out and side 1 in.
create view ledger_entries as
select seq, 0 as side, subject, cause, from_holder as holder, from_kind as kind, -amount as amount,
  from_before as balance_before, from_before - amount as balance_after, to_kind as counterparty,
  task_of(subject, cause) as task_id, created_at
from ledger_transfers
union all
select seq, 1, subject, cause, to_holder, to_kind, amount, to_before, to_before + amount, from_kind,
  task_of(subject, cause), created_at
from ledger_transfers;

-- What agents earned and cannot spend yet: it waits in escrow until its time, or until the buyer gets it back. While it is
-- frozen a dispute decides and not the time.
create table earnings (
  task_id uuid primary key,
  agent_id uuid not null,
  amount bigint not null check (amount >= 0),
  status text not null default 'pending' check (status in ('pending', 'frozen', 'released', 'refunded')),
  -- When they are released.
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  constraint earnings_resolution check ((status in ('pending', 'frozen')) = (resolved_at is null))
) with (fillfactor = 70);
create index earnings_due on earnings (due_at) where status = 'pending';

create table payment_customers (
  owner_id uuid primary key references owners,
  processor text not null,
  customer_ref text not null
);

create table payment_methods (
  owner_id uuid not null references owners,
  id text not null,
  brand text not null,
  last4 text not null,
  exp_month int not null,
  exp_year int not null,
  is_default boolean not null,
  created_at timestamptz(3) not null,
  constraint payment_methods_pkey primary key (owner_id, id)
);
create unique index payment_methods_one_default on payment_methods (owner_id) where is_default;

-- The intent is written before the processor is called and settled after, so that a crash in between is found.
create table top_ups (
  id uuid primary key,
  owner_id uuid not null references owners,
  amount bigint not null check (amount > 0),
  payment_method_id text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  processor_ref text,
  failure text,
  correlation_id text not null,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3)
);
create unique index top_ups_one_at_a_time on top_ups (owner_id) where status = 'pending';
