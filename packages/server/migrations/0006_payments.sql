-- A card is removed here first and then at the processor, so that it is not charged while the processor cannot be reached.
create table method_detachments (
  owner_id uuid not null references owners,
  payment_method_id text not null,
  processor text not null,
  customer_ref text not null,
  -- When the sweep tells the processor, unless the request that removes the card has.
  due_at timestamptz(3) not null,
  primary key (owner_id, payment_method_id)
);
create index method_detachments_due on method_detachments (due_at);

-- When the sweep asks about an intent without result; null until it has asked first.
alter table top_ups add column due_at timestamptz(3), add column attempts int not null default 0;

-- Money of a top-up that went back to the cardholder by a refund or a dispute. What the pool still had was taken from it;
-- the rest is owed and is collected as soon as the pool has credits, unless the operator waives it.
create table top_up_reversals (
  id uuid primary key,
  top_up_id uuid not null references top_ups,
  owner_id uuid not null references owners,
  processor_ref text not null,
  kind text not null check (kind in ('refund', 'dispute')),
  amount bigint not null check (amount > 0),
  taken bigint not null check (taken between 0 and amount),
  state text not null check (state in ('standing', 'undone')),
  created_at timestamptz(3) not null,
  undone_at timestamptz(3),
  -- When the operator declared what was not taken settled.
  waived_at timestamptz(3),
  constraint top_up_reversals_undone check ((state = 'undone') = (undone_at is not null)),
  constraint top_up_reversals_once unique (top_up_id, processor_ref)
);
create index top_up_reversals_missing on top_up_reversals (owner_id) where state = 'standing' and taken < amount;

-- What was taken for a reversal after it was booked; a transfer each, and a reversal may need several.
create table reversal_collections (
  id uuid primary key,
  reversal_id uuid not null references top_up_reversals
);

create index top_ups_processor_ref on top_ups (processor_ref) where processor_ref is not null;

-- Events of the processor that were handled. A delivery repeated within the time that its signature is good is told by
-- its id; a later one is refused for its age.
create table processor_events (
  processor text not null,
  id text not null,
  received_at timestamptz(3) not null,
  primary key (processor, id)
);
create index processor_events_received_at on processor_events (received_at);
