-- What agents spent of their owners' credits apart from tasks, for their budgets: the prices of agreements of the legacy exchange,
-- less what came back. Tasks are summed where they are.
create table agent_spendings (
  -- The agreement's.
  id uuid primary key,
  agent_id uuid not null references agents,
  cents bigint not null check (cents >= 0),
  at timestamptz(3) not null
);
create index agent_spendings_of_agent on agent_spendings (agent_id, at) include (cents);
insert into agent_spendings (id, agent_id, cents, at)
  select id, buyer_agent_id, price - refunded, created_at from agreements;

-- When an owner was last told that an agent has spent so many percent of a rolling limit.
create table budget_notices (
  agent_id uuid not null references agents,
  "window" text not null check ("window" in ('day', 'week', 'month')),
  percent int not null check (percent in (50, 80, 100)),
  told_at timestamptz(3) not null,
  primary key (agent_id, "window", percent)
);
