import {
  type ErrorCode,
  openStatuses,
  type PauseReason,
  type ScheduleRunStatus,
  type SkipReason,
  type TaskSubmission,
  type TaskType,
  type UnpricedSubmission,
} from '@agora-market/contract';
import { changedRows, type Queryable, row, rows, sqlList } from '../platform/index.ts';

export interface TemplateRow {
  id: string;
  ownerId: string;
  name: string;
  title: string;
  taskType: TaskType;
  maxBudget: number;
  createdAt: string;
  updatedAt: string;
}
export type WholeTemplate = TemplateRow & { task: TaskSubmission };

const templateColumns = `id, owner_id as "ownerId", name, title, task_type as "taskType", max_budget_cents as "maxBudget",
  created_at as "createdAt", updated_at as "updatedAt"`;

export const listTemplates = (db: Queryable, ownerId: string, before: string | null, limit: number) =>
  rows<TemplateRow>(
    db,
    'templates_list',
    `select ${templateColumns} from task_templates where owner_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [ownerId, before, limit],
  );

export const findTemplate = (db: Queryable, ownerId: string, id: string) =>
  row<WholeTemplate>(
    db,
    'templates_get',
    `select ${templateColumns}, task from task_templates where owner_id = $1 and id = $2`,
    [ownerId, id],
  );

/** As `findTemplate`; nobody can delete or change it until the transaction ends. */
export const lockTemplate = (tx: Queryable, ownerId: string, id: string) =>
  row<WholeTemplate>(
    tx,
    'templates_lock',
    `select ${templateColumns}, task from task_templates where owner_id = $1 and id = $2 for update`,
    [ownerId, id],
  );

/** Bytes of all tasks that an owner keeps, in templates and schedules, but for one that is about to be replaced. */
export const keptBytes = async (tx: Queryable, ownerId: string, but: string | null): Promise<number> =>
  (
    await row<{ bytes: number }>(
      tx,
      'templates_bytes',
      `select coalesce(sum(octet_length(task::text)), 0)::bigint as bytes from (
         select id, task from task_templates where owner_id = $1 union all select id, task from schedules where owner_id = $1
       ) kept where id is distinct from $2::uuid`,
      [ownerId, but],
    )
  )?.bytes ?? 0;

export const countTemplates = async (tx: Queryable, ownerId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'templates_count',
      'select count(*) as count from task_templates where owner_id = $1',
      [ownerId],
    )
  )?.count ?? 0;

/** Makes a template, or writes what has changed of it. */
export const storeTemplate = (tx: Queryable, template: WholeTemplate) =>
  rows(
    tx,
    'templates_store',
    `insert into task_templates (id, owner_id, name, task, title, task_type, max_budget_cents, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update set name = excluded.name, task = excluded.task, title = excluded.title,
       task_type = excluded.task_type, max_budget_cents = excluded.max_budget_cents, updated_at = excluded.updated_at`,
    [
      ...[template.id, template.ownerId, template.name, JSON.stringify(template.task), template.title],
      ...[template.taskType, template.maxBudget, template.createdAt, template.updatedAt],
    ],
  );

export const deleteTemplate = (tx: Queryable, id: string) =>
  rows(tx, 'templates_delete', 'delete from task_templates where id = $1', [id]);

export const schedulesOfTemplate = (tx: Queryable, templateId: string) =>
  rows<{ id: string }>(
    tx,
    'schedules_of_template',
    'select id from schedules where template_id = $1 order by id limit 100',
    [templateId],
  );

export interface ScheduleRow {
  id: string;
  ownerId: string;
  name: string;
  cron: string;
  timeZone: string;
  templateId: string | null;
  /** Of its task, or of the template. */
  title: string;
  taskType: TaskType;
  maxBudget: number;
  monthlyBudget: number;
  /** Null for one that is active. */
  pausedBecause: PauseReason | null;
  failuresInARow: number;
  nextRunAt: string | null;
  lastRunAt: string | null;
  createdAt: string;
  updatedAt: string;
}
export type WholeSchedule = ScheduleRow & { task: UnpricedSubmission | null };

const scheduleColumns = `s.id, s.owner_id as "ownerId", s.name, s.cron, s.time_zone as "timeZone", s.template_id as "templateId",
  coalesce(s.title, t.title) as title, coalesce(s.task_type, t.task_type) as "taskType", s.max_budget_cents as "maxBudget",
  s.monthly_budget_cents as "monthlyBudget", s.paused_because as "pausedBecause", s.failures_in_a_row as "failuresInARow",
  s.next_run_at as "nextRunAt", s.last_run_at as "lastRunAt", s.created_at as "createdAt", s.updated_at as "updatedAt"`;
const withTemplate = 'schedules s left join task_templates t on t.id = s.template_id';

export const listSchedules = (db: Queryable, ownerId: string, before: string | null, limit: number) =>
  rows<ScheduleRow>(
    db,
    'schedules_list',
    `select ${scheduleColumns} from ${withTemplate} where s.owner_id = $1 and ($2::uuid is null or s.id < $2)
     order by s.id desc limit $3`,
    [ownerId, before, limit],
  );

export const findSchedule = (db: Queryable, ownerId: string, id: string) =>
  row<WholeSchedule>(
    db,
    'schedules_get',
    `select ${scheduleColumns}, s.task from ${withTemplate} where s.owner_id = $1 and s.id = $2`,
    [ownerId, id],
  );

/** As `findSchedule`; it neither changes nor runs until the transaction ends. */
export const lockSchedule = (tx: Queryable, ownerId: string, id: string) =>
  row<WholeSchedule>(
    tx,
    'schedules_lock',
    `select ${scheduleColumns}, s.task from ${withTemplate} where s.owner_id = $1 and s.id = $2 for update of s`,
    [ownerId, id],
  );

/** Schedules whose time has come, for this transaction alone. */
export const lockDue = (tx: Queryable, now: Date, limit: number) =>
  rows<ScheduleRow>(
    tx,
    'schedules_lock_due',
    `select ${scheduleColumns} from ${withTemplate} where s.next_run_at <= $1 order by s.next_run_at limit $2
     for update of s skip locked`,
    [now.toISOString(), limit],
  );

export const countSchedules = async (tx: Queryable, ownerId: string): Promise<number> =>
  (
    await row<{ count: number }>(tx, 'schedules_count', 'select count(*) as count from schedules where owner_id = $1', [
      ownerId,
    ])
  )?.count ?? 0;

/** Makes a schedule, or writes what has changed of it. */
export const storeSchedule = (tx: Queryable, schedule: WholeSchedule) =>
  rows(
    tx,
    'schedules_store',
    `insert into schedules (id, owner_id, name, cron, time_zone, template_id, task, title, task_type, max_budget_cents,
       monthly_budget_cents, paused_because, failures_in_a_row, next_run_at, last_run_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict (id) do update set name = excluded.name, cron = excluded.cron, time_zone = excluded.time_zone,
       template_id = excluded.template_id, task = excluded.task, title = excluded.title, task_type = excluded.task_type,
       max_budget_cents = excluded.max_budget_cents, monthly_budget_cents = excluded.monthly_budget_cents,
       paused_because = excluded.paused_because, failures_in_a_row = excluded.failures_in_a_row,
       next_run_at = excluded.next_run_at, last_run_at = excluded.last_run_at, updated_at = excluded.updated_at`,
    [
      ...[schedule.id, schedule.ownerId, schedule.name, schedule.cron, schedule.timeZone, schedule.templateId],
      ...(schedule.task === null
        ? [null, null, null]
        : [JSON.stringify(schedule.task), schedule.title, schedule.taskType]),
      ...[schedule.maxBudget, schedule.monthlyBudget, schedule.pausedBecause, schedule.failuresInARow],
      ...[schedule.nextRunAt, schedule.lastRunAt, schedule.createdAt, schedule.updatedAt],
    ],
  );

/** A schedule has run; where it has no next time it is paused. */
export const noteRun = (tx: Queryable, id: string, lastRunAt: Date, nextRunAt: Date | null) =>
  rows(
    tx,
    'schedules_note_run',
    `update schedules set last_run_at = $2, next_run_at = $3,
       paused_because = case when $3::timestamptz is null then 'failures' end
     where id = $1`,
    [id, lastRunAt.toISOString(), nextRunAt?.toISOString() ?? null],
  );

/** An asked for run leaves the next time as it is. */
export const noteAskedRun = (tx: Queryable, id: string, at: Date) =>
  rows(tx, 'schedules_note_asked_run', 'update schedules set last_run_at = $2 where id = $1', [id, at.toISOString()]);

export const noteSuccess = (tx: Queryable, id: string) =>
  rows(tx, 'schedules_note_success', 'update schedules set failures_in_a_row = 0 where id = $1', [id]);

/** Counts a failure; true where it was one too many, and pauses the schedule. */
export const noteFailure = async (tx: Queryable, id: string, most: number): Promise<boolean> =>
  (
    await row<{ isPaused: boolean }>(
      tx,
      'schedules_note_failure',
      `with before as (select id, paused_because from schedules where id = $1 for update)
       update schedules s set failures_in_a_row = s.failures_in_a_row + 1,
         paused_because = coalesce(s.paused_because, case when s.failures_in_a_row + 1 >= $2 then 'failures' end),
         next_run_at = case when s.failures_in_a_row + 1 < $2 then s.next_run_at end
       from before where s.id = before.id
       returning before.paused_because is null and s.paused_because is not null as "isPaused"`,
      [id, most],
    )
  )?.isPaused ?? false;

export const deleteSchedule = (tx: Queryable, id: string) =>
  rows(tx, 'schedules_delete', 'delete from schedules where id = $1', [id]);

export const deleteOwned = async (tx: Queryable, ownerId: string): Promise<void> => {
  await rows(tx, 'schedules_erase', 'delete from schedules where owner_id = $1', [ownerId]);
  await rows(tx, 'templates_erase', 'delete from task_templates where owner_id = $1', [ownerId]);
};

export interface RunRow {
  id: string;
  scheduleId: string;
  trigger: 'schedule' | 'owner';
  plannedAt: string;
  startedAt: string;
  status: ScheduleRunStatus;
  taskIds: string[];
  skipReason: SkipReason | null;
  errorCode: ErrorCode | null;
  errorMessage: string | null;
}

const runColumns = `r.id, r.schedule_id as "scheduleId", r.trigger, r.planned_at as "plannedAt", r.started_at as "startedAt",
  r.status, r.task_ids as "taskIds", r.skip_reason as "skipReason", r.error_code as "errorCode",
  r.error_message as "errorMessage"`;

/** Cents that the tasks of a run were charged; of open ones, their budgets. */
const costOfTasks = 'sum(coalesce(task.credits_charged, task.max_budget))';

/** Newest first, from below the id `before`, with what each has cost. */
export const listRuns = (db: Queryable, scheduleId: string, before: string | null, limit: number) =>
  rows<RunRow & { cost: number }>(
    db,
    'schedule_runs_list',
    `select ${runColumns}, coalesce((select ${costOfTasks} from tasks task where task.id = any(r.task_ids)), 0)::bigint as cost
     from schedule_runs r where r.schedule_id = $1 and ($2::uuid is null or r.id < $2) order by r.id desc limit $3`,
    [scheduleId, before, limit],
  );

export const insertRun = (tx: Queryable, run: RunRow) =>
  rows(
    tx,
    'schedule_runs_insert',
    `insert into schedule_runs (id, schedule_id, trigger, planned_at, started_at, status, skip_reason)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [run.id, run.scheduleId, run.trigger, run.plannedAt, run.startedAt, run.status, run.skipReason],
  );

/** Runs that are looked at for an open task: the last, and some before it, as clocks of servers differ. */
const lastRuns = 10;

/** The run of a schedule that is not over. No two overlap. */
export const openRun = (tx: Queryable, scheduleId: string) =>
  row<{ id: string; taskIds: string[] }>(
    tx,
    'schedule_runs_open',
    `select id, task_ids as "taskIds" from schedule_runs where schedule_id = $1 and status = 'starting'
     union all
     (select r.id, r.task_ids from (
        select id, task_ids from schedule_runs where schedule_id = $1 and status = 'submitted' order by id desc limit ${lastRuns}
      ) r where exists (select from tasks where id = any(r.task_ids) and status in ${sqlList(openStatuses)}))
     limit 1`,
    [scheduleId],
  );

/** A run that has submitted nothing yet, with all that it takes. */
export interface StartingRun extends RunRow {
  pausedBecause: PauseReason | null;
  ownerId: string;
  name: string;
  timeZone: string;
  maxBudget: number;
  monthlyBudget: number;
  task: UnpricedSubmission;
}

export const findStarting = (db: Queryable, id: string) =>
  row<StartingRun>(
    db,
    'schedule_runs_starting',
    `select ${runColumns}, s.paused_because as "pausedBecause", s.owner_id as "ownerId", s.name, s.time_zone as "timeZone", s.max_budget_cents as "maxBudget",
       s.monthly_budget_cents as "monthlyBudget", coalesce(s.task, t.task) as task
     from schedule_runs r join ${withTemplate} on s.id = r.schedule_id where r.id = $1 and r.status = 'starting'`,
    [id],
  );

/** Stores what became of a run, once. */
export const endRun = async (
  tx: Queryable,
  id: string,
  end: Pick<RunRow, 'status'> & Partial<Pick<RunRow, 'taskIds' | 'skipReason' | 'errorCode' | 'errorMessage'>>,
): Promise<boolean> =>
  (await changedRows(
    tx,
    'schedule_runs_end',
    `update schedule_runs set status = $2, task_ids = $3, skip_reason = $4, error_code = $5, error_message = $6
     where id = $1 and status = 'starting'`,
    [id, end.status, end.taskIds ?? [], end.skipReason ?? null, end.errorCode ?? null, end.errorMessage ?? null],
  )) === 1;

/** What the runs of schedules have cost since a time of each. */
export async function spentSince(
  db: Queryable,
  asked: readonly { id: string; since: Date }[],
): Promise<Map<string, number>> {
  const found = await rows<{ id: string; spent: number }>(
    db,
    'schedule_runs_spent',
    `select s.id, coalesce(${costOfTasks}, 0)::bigint as spent
     from unnest($1::uuid[], $2::timestamptz[]) s(id, since)
       join schedule_runs r on r.schedule_id = s.id and r.started_at >= s.since and r.status = 'submitted'
       join tasks task on task.id = any(r.task_ids)
     group by s.id`,
    [asked.map(({ id }) => id), asked.map(({ since }) => since.toISOString())],
  );
  return new Map(found.map(({ id, spent }) => [id, spent]));
}

/** Runs that began before then, have submitted nothing, and that no queued job is about to. */
export const stuckRuns = (db: Queryable, kind: string, before: Date, limit: number) =>
  rows<{ id: string }>(
    db,
    'schedule_runs_stuck',
    `select r.id from schedule_runs r where r.status = 'starting' and r.started_at <= $2 and not exists (
       select from queued_jobs where kind = $1 and key = r.id::text and due_at is not null
     ) limit $3`,
    [kind, before.toISOString(), limit],
  );

export const forgetOldRuns = (db: Queryable, before: Date, limit: number) =>
  changedRows(
    db,
    'schedule_runs_forget_old',
    `delete from schedule_runs where id in (
       select id from schedule_runs where started_at < $1 and status <> 'starting' limit $2 for update skip locked
     )`,
    [before.toISOString(), limit],
  );

/** Deletes all runs of some schedules without a task but the last ones. */
export const forgetSurplusRuns = (db: Queryable, kept: number, limit: number) =>
  changedRows(
    db,
    'schedule_runs_forget_surplus',
    `delete from schedule_runs where id in (
       select old.id from schedules s cross join lateral (
         select id from schedule_runs where schedule_id = s.id and status in ('skipped', 'failed')
         order by id desc offset $1
       ) old limit $2
     )`,
    [kept, limit],
  );
