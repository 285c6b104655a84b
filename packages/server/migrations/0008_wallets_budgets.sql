-- Credits that an owner moved among its pool and its agents' wallets; the ledger's entries are about these rows.
create table wallet_moves (
  id uuid primary key,
  cause transfer_cause not null,
  owner_id uuid not null references owners,
  from_agent_id uuid references agents,
  to_agent_id uuid references agents,
  amount bigint not null check (amount > 0),
  correlation_id text not null,
  created_at timestamptz(3) not null,
  constraint wallet_moves_sides check (
    (cause = 'allocation' and from_agent_id is null and to_agent_id is not null)
    or (cause = 'reclaim' and from_agent_id is not null and to_agent_id is null)
    or (cause = 'wallet_transfer' and from_agent_id <> to_agent_id)
  )
);

-- What an agent may spend by hiring others, in cents; null is no limit.
create table agent_budgets (
  agent_id uuid primary key references agents,
  per_transaction_max bigint check (per_transaction_max >= 0),
  daily_limit bigint check (daily_limit >= 0),
  weekly_limit bigint check (weekly_limit >= 0),
  monthly_limit bigint check (monthly_limit >= 0),
  approval_threshold bigint check (approval_threshold >= 0),
  updated_at timestamptz(3) not null
);
-- A window's spend is summed from this index alone, without a look at the tasks.
create index tasks_spend on tasks (submitter_agent_id, created_at) include (max_budget, credits_charged)
  where submitter_agent_id is not null;

-- Pools that refill themselves. The intent in `top_up_id` is the lease: while it is there no other reload starts, and
-- whoever learns first what became of it clears it.
create table auto_top_ups (
  owner_id uuid primary key references owners,
  enabled boolean not null,
  threshold bigint not null check (threshold >= 0),
  reload_amount bigint not null check (reload_amount > 0),
  -- Reloads in a row that failed.
  failures int not null default 0,
  due_at timestamptz(3) not null,
  top_up_id uuid references top_ups
);
create index auto_top_ups_due on auto_top_ups (due_at) where enabled and top_up_id is null;
create index auto_top_ups_under_way on auto_top_ups (top_up_id) where top_up_id is not null;
