-- An owner's events that are about no task, newest first. Those about a task are found by the task (`events_task`), so
-- the steps of a task need no entry here.
drop index events_owner;
create index events_owner on events (owner_id, seq) where owner_id is not null and task_id is null;
