create type account_kind as enum (
  'pool_available', 'pool_held', 'wallet_available', 'wallet_escrowed', 'platform_fees', 'processor_clearing',
  'payouts_in_transit'
);
create type transfer_cause as enum (
  'top_up', 'hold', 'hold_released', 'payout', 'fee', 'payout_refunded', 'fee_refunded', 'earnings_released',
  'top_up_refunded', 'top_up_reinstated',
  'withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned'
);

-- Balances of owners (pool_*) and agents (wallet_*). Platform accounts have no row, so that no row is hot:
-- their balance is the sum of their entries.
create table ledger_accounts (
  holder uuid not null,
  kind account_kind not null,
  balance bigint not null default 0,
  primary key (holder, kind),
  constraint ledger_accounts_not_negative check (balance >= 0),
  constraint ledger_accounts_held check (kind not in ('platform_fees', 'processor_clearing', 'payouts_in_transit'))
) with (fillfactor = 50);

-- Double entry: each transfer is two entries, side 0 out of an account and side 1 into another, of one amount.
-- (subject, cause, side) makes a transfer unique, so that no retry moves money twice. Rows are never changed.
create table ledger_entries (
  seq bigint generated always as identity,
  subject uuid not null,
  cause transfer_cause not null,
  side smallint not null check (side in (0, 1)),
  holder uuid not null,
  kind account_kind not null,
  amount bigint not null,
  balance_before bigint,
  balance_after bigint,
  task_id uuid,
  counterparty account_kind not null,
  created_at timestamptz(3) not null,
  primary key (subject, cause, side),
  constraint ledger_entries_sign check ((side = 0 and amount < 0) or (side = 1 and amount > 0)),
  constraint ledger_entries_arithmetic check (balance_after = balance_before + amount),
  constraint ledger_entries_not_negative check (balance_after >= 0)
);
create index ledger_entries_account on ledger_entries (holder, kind, seq desc);

create function ledger_entries_are_immutable() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are append-only';
end $$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function ledger_entries_are_immutable();

-- Money that waits for a decision: credits of an open task (kind task), and earnings inside their window (kind earnings).
-- A hold is resolved exactly once: posted (less is allowed, the rest returns) or voided.
create table holds (
  task_id uuid not null,
  kind text not null check (kind in ('task', 'earnings')),
  holder uuid not null,
  amount bigint not null check (amount >= 0),
  status text not null default 'pending' check (status in ('pending', 'posted', 'voided')),
  posted_amount bigint,
  -- Earnings only: when they are released.
  due_at timestamptz(3),
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  primary key (task_id, kind),
  constraint holds_resolution check (
    (status = 'pending' and resolved_at is null and posted_amount is null)
    or (status = 'posted' and resolved_at is not null and posted_amount between 0 and amount)
    or (status = 'voided' and resolved_at is not null and posted_amount is null)
  )
) with (fillfactor = 70);
create index holds_due on holds (due_at) where status = 'pending' and kind = 'earnings';

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
