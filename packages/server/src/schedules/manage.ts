import { type Operations, ownedAtMost, titleOf, toId, toUuid, type UnpricedSubmission } from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import {
  type Call,
  decodeCursor,
  ensure,
  invalidField,
  newUuid,
  type Pool,
  pageOf,
  type Queryable,
  type Tx,
} from '../platform/index.ts';
import { lockOwner } from '../registry/index.ts';
import { checkSavedInput, type TaskDeps } from '../tasks/index.ts';
import { monthStart, requireTimes } from './cron.ts';
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  listRuns,
  listSchedules,
  lockSchedule,
  lockTemplate,
  type RunRow,
  type ScheduleRow,
  spentSince,
  storeSchedule,
  type WholeSchedule,
} from './sql.ts';
import { requireKeptRoom, requireTemplate } from './templates.ts';

/** With what its runs have cost this month. */
async function listedViews(db: Queryable, found: readonly ScheduleRow[], now: Date) {
  const spent = await spentSince(
    db,
    found.map(({ id, timeZone }) => ({ id, since: monthStart(timeZone, now) })),
  );
  return found.map(({ id, ownerId: _, templateId, ...schedule }) => ({
    ...schedule,
    id: toId('schedule', id),
    templateId: templateId === null ? null : toId('template', templateId),
    spentThisMonth: spent.get(id) ?? 0,
    status: schedule.pausedBecause === null ? ('active' as const) : ('paused' as const),
  }));
}

async function view(db: Queryable, { task, ...schedule }: WholeSchedule, now: Date) {
  const [listed] = await listedViews(db, [schedule], now);
  if (listed === undefined) throw new Error('a schedule has no view');
  return { ...listed, task };
}

export const runView = ({ id, scheduleId, taskIds, errorCode, errorMessage, ...run }: RunRow, cost: number) => ({
  ...run,
  id: toId('scheduleRun', id),
  scheduleId: toId('schedule', scheduleId),
  taskIds: taskIds.map((taskId) => toId('task', taskId)),
  cost,
  error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
});

/** The schedule of an owner; another's is as unknown as one that never was. */
export async function requireSchedule(
  find: typeof findSchedule,
  db: Queryable,
  ownerId: string,
  scheduleId: string,
): Promise<WholeSchedule> {
  const id = toUuid('schedule', scheduleId);
  const found = id === null ? null : await find(db, ownerId, id);
  ensure(found, 'SCHEDULE_NOT_FOUND');
  return found;
}

type Change = Pick<Call, 'tx' | 'now' | 'correlationId'>;

export const record = (
  { tx, now, correlationId }: Change,
  type: 'schedule.saved' | 'schedule.deleted' | 'schedule.paused' | 'schedule.resumed',
  { id, ownerId, name }: Pick<ScheduleRow, 'id' | 'ownerId' | 'name'>,
  more: Record<string, unknown> = {},
) =>
  appendEvent(tx, {
    ...{ type, district: 'schedules', at: now, correlationId, ownerId },
    data: { scheduleId: toId('schedule', id), name, ...more },
  });

/** What lists show of the task of a schedule, beside it. */
const ofTask = (task: UnpricedSubmission) => ({
  ...{ templateId: null, task, title: titleOf(task), taskType: task.taskType },
});

type Given = Call<Operations['schedules.update']>['body'];

/** Puts in what was given of the task, and refuses what could never run. */
async function withTask(
  deps: TaskDeps,
  tx: Tx,
  { templateId, task }: Pick<Given, 'templateId' | 'task'>,
  before: WholeSchedule,
): Promise<WholeSchedule> {
  if (task !== undefined) {
    checkSavedInput(task.input, deps.config);
    await requireKeptRoom(tx, before.ownerId, before.id, task);
  }
  const named = templateId ?? (before.templateId === null ? null : toId('template', before.templateId));
  const template =
    task === undefined && named !== null ? await requireTemplate(lockTemplate, tx, before.ownerId, named) : null;
  const after = {
    ...before,
    ...(task !== undefined && ofTask(task)),
    ...(template !== null && {
      ...{ templateId: template.id, task: null, title: template.title, taskType: template.taskType },
    }),
  };
  const attempts = (template?.task ?? after.task)?.attempts ?? 1;
  if (after.maxBudget * attempts > after.monthlyBudget)
    throw invalidField('monthlyBudget', `must cover one run, which may cost ${after.maxBudget * attempts} cents`);
  return after;
}

/** The next time of a schedule; none before its last run, by whichever clock that was. */
function nextTime({ cron, timeZone, lastRunAt }: Pick<ScheduleRow, 'cron' | 'timeZone' | 'lastRunAt'>, now: Date) {
  const after = new Date(Math.max(now.getTime(), Date.parse(lastRunAt ?? '1970-01-01')));
  const [next] = requireTimes(cron, timeZone, after, 1) as [Date];
  return next.toISOString();
}

export async function createSchedule(deps: TaskDeps, call: Call<Operations['schedules.create']>) {
  const { tx, caller, body, now } = call;
  const { templateId, task, ...given } = body;
  const { ownerId } = caller;
  const nextRunAt = nextTime({ ...given, lastRunAt: null }, now);
  // So that two at once do not pass the limit.
  await lockOwner(tx, ownerId);
  const limit = ownedAtMost.schedules;
  ensure((await countSchedules(tx, ownerId)) < limit, 'SCHEDULE_LIMIT_REACHED', undefined, { limit });
  const at = now.toISOString();
  const made: WholeSchedule = {
    ...{ id: newUuid(deps.clock), ownerId, ...given, templateId: null, task: null, title: '', taskType: 'general' },
    ...{ pausedBecause: null, failuresInARow: 0, nextRunAt, lastRunAt: null, createdAt: at, updatedAt: at },
  };
  const schedule = await withTask(deps, tx, { templateId, task }, made);
  await storeSchedule(tx, schedule);
  await recordSaved(call, schedule);
  return view(tx, schedule, now);
}

const recordSaved = (call: Change, schedule: ScheduleRow) => {
  const { cron, timeZone, maxBudget, monthlyBudget } = schedule;
  return record(call, 'schedule.saved', schedule, { cron, timeZone, maxBudget, monthlyBudget });
};

export async function listOwnSchedules(pool: Pool, { caller, query, now }: Call<Operations['schedules.list']>) {
  const { pageSize, cursor } = query;
  const found = await listSchedules(pool, caller.ownerId, decodeCursor(cursor, z.guid()), pageSize + 1);
  const { data, pagination } = pageOf(found, pageSize, ({ id }) => id);
  return { data: await listedViews(pool, data, now), pagination };
}

export const previewTimes = ({ query, now }: Call<Operations['schedules.preview']>) => ({
  runs: requireTimes(query.cron, query.timeZone, now, 3).map((time) => time.toISOString()),
});

export const getSchedule = async (pool: Pool, { caller, params, now }: Call<Operations['schedules.get']>) =>
  view(pool, await requireSchedule(findSchedule, pool, caller.ownerId, params.scheduleId), now);

export async function updateSchedule(deps: TaskDeps, call: Call<Operations['schedules.update']>) {
  const { tx, caller, params, body, now } = call;
  const { templateId, task, ...given } = body;
  await lockOwner(tx, caller.ownerId);
  const before = await requireSchedule(lockSchedule, tx, caller.ownerId, params.scheduleId);
  if (Object.keys(body).length === 0) return view(tx, before, now);
  const merged: WholeSchedule = {
    ...before,
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<ScheduleRow>),
    updatedAt: now.toISOString(),
  };
  const schedule = await withTask(deps, tx, { templateId, task }, merged);
  const next = nextTime(schedule, now);
  if (schedule.pausedBecause === null) schedule.nextRunAt = next;
  await storeSchedule(tx, schedule);
  await recordSaved(call, schedule);
  return view(tx, schedule, now);
}

export async function removeSchedule(call: Call<Operations['schedules.delete']>): Promise<void> {
  const { tx, caller, params } = call;
  const schedule = await requireSchedule(lockSchedule, tx, caller.ownerId, params.scheduleId);
  await deleteSchedule(tx, schedule.id);
  await record(call, 'schedule.deleted', schedule);
}

export async function pauseSchedule(call: Call<Operations['schedules.pause']>) {
  const { tx, caller, params, now } = call;
  const before = await requireSchedule(lockSchedule, tx, caller.ownerId, params.scheduleId);
  if (before.pausedBecause !== null) return view(tx, before, now);
  const schedule: WholeSchedule = {
    ...before,
    ...{ pausedBecause: 'owner', nextRunAt: null, updatedAt: now.toISOString() },
  };
  await storeSchedule(tx, schedule);
  await record(call, 'schedule.paused', schedule, { because: 'owner' });
  return view(tx, schedule, now);
}

/** From its next time on: what it missed while it was paused stays missed. */
export async function resumeSchedule(call: Call<Operations['schedules.resume']>) {
  const { tx, caller, params, now } = call;
  const before = await requireSchedule(lockSchedule, tx, caller.ownerId, params.scheduleId);
  if (before.pausedBecause === null) return view(tx, before, now);
  const schedule: WholeSchedule = {
    ...before,
    ...{ pausedBecause: null, failuresInARow: 0, nextRunAt: nextTime(before, now), updatedAt: now.toISOString() },
  };
  await storeSchedule(tx, schedule);
  await record(call, 'schedule.resumed', schedule);
  return view(tx, schedule, now);
}

export async function listOwnRuns(pool: Pool, { caller, params, query }: Call<Operations['schedules.listRuns']>) {
  const { id } = await requireSchedule(findSchedule, pool, caller.ownerId, params.scheduleId);
  const { pageSize, cursor } = query;
  const found = await listRuns(pool, id, decodeCursor(cursor, z.guid()), pageSize + 1);
  return pageOf(
    found,
    pageSize,
    (last) => last.id,
    ({ cost, ...run }) => runView(run, cost),
  );
}
