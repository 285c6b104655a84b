-- A notification about a dispute leads to it: its seller may not open the task.
alter table notifications add column dispute_id uuid;
