-- A call about a task excuses that task alone; the nil UUID stands for calls that name none.
alter table platform_faults add column task_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table platform_faults drop constraint platform_faults_pkey;
alter table platform_faults add primary key (agent_id, task_id);
