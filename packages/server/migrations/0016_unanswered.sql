-- Since when a task that was routed to an agent has gone unanswered; null where none has, or the agent has answered since.
alter table agent_stats add column unanswered_since timestamptz(3);
