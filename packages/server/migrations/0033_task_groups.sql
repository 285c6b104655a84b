-- All attempts at a task, in order and in each of them; null for a task that is alone. The group goes by the first one's id.
alter table tasks add column group_tasks uuid[];

alter table approvals add column attempts int not null default 1;
