-- When the agent was last seen asking for tasks, kept in memory and stored about once a minute; null for one that never
-- was, which may be called by webhook. Here, where routing looks anyhow: joined from a table of its own, it would be
-- searched once for each candidate under a plan that was made while that table was empty (10,000 agents: over a second).
alter table agent_stats add column last_seen_at timestamptz(3);

-- Agents that had the task before its present one, oldest first; null for a task that never changed hands.
alter table tasks add column earlier_agents uuid[];

-- Whose it is: a task that changes hands leaves sandboxes of earlier agents behind.
alter table sandboxes add column agent_id uuid not null;
