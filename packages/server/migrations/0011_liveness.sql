-- When agents were last seen asking for tasks; kept in memory and stored about once a minute. An agent without a row was
-- never seen, for it may be called by webhook. Apart from `agent_stats`, whose rows the task steps lock.
create table agent_liveness (
  agent_id uuid primary key references agents,
  last_seen_at timestamptz(3) not null
) with (fillfactor = 50);

-- Agents that had the task before its present one, oldest first; null for a task that never changed hands.
alter table tasks add column earlier_agents uuid[];
