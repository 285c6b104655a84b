-- Payments are limited by account, card or bank account, and network address, of which a keyed digest is kept.
alter table top_ups add column address text;
create index top_ups_address on top_ups (address, created_at) where address is not null;
drop index top_ups_of_owner;
create index top_ups_of_owner on top_ups (owner_id, created_at);
alter table withdrawals add column instrument text, add column address text;
create index withdrawals_instrument on withdrawals (instrument, created_at) where instrument is not null;
create index withdrawals_address on withdrawals (address, created_at) where address is not null;

-- A withdrawal over a limit is held: its money is in transit, and nobody is asked to pay before the operator has decided.
alter table withdrawals
  drop constraint withdrawals_status_check,
  drop constraint withdrawals_resolution,
  add constraint withdrawals_status_check check (status in ('held', 'pending', 'paid', 'failed')),
  add constraint withdrawals_resolution check (
    (status = 'held' and resolved_at is null and due_at is null)
    or (status = 'pending' and resolved_at is null and due_at is not null)
    or (status = 'paid' and resolved_at is not null)
    or (status = 'failed' and resolved_at is not null and failure is not null and due_at is null)
  );

-- What waits for the operator, and what he decided. A top-up over a limit is not made; once it is released its owner can
-- make it.
create table held_payments (
  id uuid primary key,
  kind text not null check (kind in ('top_up', 'withdrawal')),
  owner_id uuid not null references owners,
  withdrawal_id uuid unique references withdrawals,
  amount bigint not null check (amount > 0),
  reason text not null,
  status text not null default 'open' check (status in ('open', 'released', 'refused')),
  held_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text,
  decided_reason text,
  constraint held_payments_kind check ((kind = 'withdrawal') = (withdrawal_id is not null)),
  constraint held_payments_decided check (
    (status = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)
    and (decided_at is null) = (decided_reason is null)
  )
);
create index held_payments_newest on held_payments (held_at desc, id desc);
-- Tries of an owner to top up wait as one.
create unique index held_payments_one_top_up on held_payments (owner_id) where kind = 'top_up' and status = 'open';
create index held_payments_released on held_payments (owner_id, decided_at) where kind = 'top_up' and status = 'released';
