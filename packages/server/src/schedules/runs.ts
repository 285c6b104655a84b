import { createHash } from 'node:crypto';
import {
  type ErrorCode,
  type Operations,
  operations,
  type SkipReason,
  scheduleLimits,
  toId,
} from '@agora-market/contract';
import { z } from 'zod';
import { appendEvent } from '../events/index.ts';
import { enqueue, type JobKind } from '../jobs/index.ts';
import { ApiError, type Call, ensure, minuteMs, newUuid, secondMs, type Tx, transaction } from '../platform/index.ts';
import { activeCaller, claimedTask, submitOnce, type TaskDeps } from '../tasks/index.ts';
import { monthStart, nextTimes } from './cron.ts';
import { record, requireSchedule, runView } from './manage.ts';
import {
  endRun,
  findStarting,
  insertRun,
  lockDue,
  lockSchedule,
  noteAskedRun,
  noteFailure,
  noteRun,
  noteSuccess,
  openRun,
  type RunRow,
  type ScheduleRow,
  type StartingRun,
  spentSince,
} from './sql.ts';

const starting = z.object({ runId: z.string() });

/** Submits the task of a run. */
export const startRunKind: JobKind<z.infer<typeof starting>> = {
  name: 'schedules.startRun',
  payload: starting,
  attempts: 12,
  atOnce: 4,
  timeoutMs: 60_000,
  pauseMs: { first: 10 * secondMs, longest: 5 * minuteMs },
};

/** So long a run is tried again where the platform itself is in the way. */
const patienceMs = 30 * minuteMs;

type Kept = Pick<ScheduleRow, 'id' | 'ownerId' | 'name'>;
type Ended = Pick<RunRow, 'status'> & Partial<Pick<RunRow, 'taskIds' | 'skipReason' | 'errorCode'>>;

const tell = (tx: Tx, at: Date, { id, ownerId, name }: Kept, runId: string, ended: Ended | null) =>
  appendEvent(tx, {
    type: ended === null ? 'schedule.run_begun' : 'schedule.run_ended',
    ...{ district: 'schedules', at, correlationId: runId, ownerId },
    data: {
      ...{ scheduleId: toId('schedule', id), name, runId: toId('scheduleRun', runId) },
      ...(ended !== null && {
        status: ended.status,
        ...(ended.taskIds && { taskIds: ended.taskIds.map((taskId) => toId('task', taskId)) }),
        ...(ended.skipReason && { skipReason: ended.skipReason }),
        ...(ended.errorCode && { code: ended.errorCode }),
      }),
    },
  });

/** A run begins: it is stored, logged and queued in one transaction, which submits it exactly once. */
async function begin(deps: TaskDeps, tx: Tx, schedule: Kept, run: RunRow): Promise<void> {
  await insertRun(tx, run);
  const at = new Date(run.startedAt);
  if (run.status === 'skipped') return void (await tell(tx, at, schedule, run.id, run));
  await tell(tx, at, schedule, run.id, null);
  await enqueue(tx, deps.clock, startRunKind, { key: run.id, payload: { runId: run.id }, at });
}

const newRun = (deps: TaskDeps, scheduleId: string, now: Date): RunRow => ({
  ...{ id: newUuid(deps.clock), scheduleId, trigger: 'owner', plannedAt: now.toISOString() },
  ...{ startedAt: now.toISOString(), status: 'starting', taskIds: [] },
  ...{ skipReason: null, errorCode: null, errorMessage: null },
});

/** Begins what is due, at most so many; gives how many. What was missed while no server was at work runs once. */
export const beginDue = (deps: TaskDeps, limit: number): Promise<number> =>
  transaction(deps.pool, 'write', async (tx) => {
    const now = deps.clock.now();
    const due = await lockDue(tx, now, limit);
    for (const schedule of due) {
      const isOpen = (await openRun(tx, schedule.id)) !== null;
      const [next] = timesOf(schedule, now);
      await noteRun(tx, schedule.id, now, next ?? null);
      await begin(deps, tx, schedule, {
        ...newRun(deps, schedule.id, now),
        ...{ trigger: 'schedule', plannedAt: schedule.nextRunAt as string },
        ...(isOpen && { status: 'skipped', skipReason: 'still_open' }),
      });
      if (next === undefined) await tellPaused(tx, now, schedule, null);
    }
    return due.length;
  });

/** None where this server does not know the time zone any more, which must not keep other schedules from running. */
function timesOf({ cron, timeZone }: ScheduleRow, now: Date): Date[] {
  try {
    return nextTimes(cron, timeZone, now, 1);
  } catch {
    return [];
  }
}

const tellPaused = (tx: Tx, now: Date, schedule: Kept, code: ErrorCode | null) =>
  record({ tx, now, correlationId: schedule.id }, 'schedule.paused', schedule, { because: 'failures', code });

export async function runNow(deps: TaskDeps, call: Call<Operations['schedules.run']>) {
  const { tx, caller, params, now } = call;
  const schedule = await requireSchedule(lockSchedule, tx, caller.ownerId, params.scheduleId);
  const open = await openRun(tx, schedule.id);
  const taskIds = open?.taskIds.map((taskId) => toId('task', taskId));
  ensure(open === null, 'SCHEDULE_RUN_OPEN', undefined, { taskIds });
  await noteAskedRun(tx, schedule.id, now);
  const run = newRun(deps, schedule.id, now);
  await begin(deps, tx, schedule, run);
  return runView(run, 0);
}

const claimOf = ({ id }: StartingRun) => createHash('sha256').update(`schedule run ${id}`).digest('hex');

/** Submits the task of a run, once, whatever ends in the middle: its submission has a key of the run's own. */
export async function startRun(deps: TaskDeps, runId: string): Promise<void> {
  const run = await findStarting(deps.pool, runId);
  if (run === null) return;
  const claimId = claimOf(run);
  const made = await claimedTask(deps.pool, claimId);
  if (made !== null) return submitted(deps, run, made);
  if (run.trigger === 'schedule' && run.pausedBecause !== null) return skipped(deps, run, 'paused');
  const caller = await activeCaller(deps.pool, run.ownerId, claimId);
  if (caller === null) return failed(deps, run, new ApiError('OWNER_SUSPENDED'));
  const read = operations['tasks.submit'].body.safeParse({ ...run.task, maxBudget: run.maxBudget });
  if (!read.success) {
    const [fault] = read.error.issues;
    return failed(deps, run, new ApiError('VALIDATION_ERROR', `${fault?.path.join('.')}: ${fault?.message}`));
  }
  const body = read.data;
  const { scheduleId: id, timeZone } = run;
  const spent = await spentSince(deps.pool, [{ id, since: monthStart(timeZone, new Date(run.startedAt)) }]);
  const left = run.monthlyBudget - (spent.get(id) ?? 0);
  if (body.maxBudget * (body.attempts ?? 1) > left) return skipped(deps, run, 'monthly_budget');
  try {
    await deps.disk.requireRoom();
    await submitted(deps, run, await submitOnce(deps, { caller, body, correlationId: run.id, claimId }));
  } catch (error) {
    const isOver = deps.clock.now().getTime() - Date.parse(run.startedAt) > patienceMs;
    if (!(error instanceof ApiError) || (error.status >= 500 && !isOver)) throw error;
    await failed(deps, run, error);
  }
}

/** A run that no job is about any more, as all tries of it ended together with their servers. */
export async function giveUp(deps: TaskDeps, runId: string): Promise<void> {
  const run = await findStarting(deps.pool, runId);
  if (run !== null) await failed(deps, run, new ApiError('INTERNAL_ERROR'));
}

const keptOf = ({ scheduleId, ownerId, name }: StartingRun): Kept => ({ id: scheduleId, ownerId, name });

const end = (deps: TaskDeps, run: StartingRun, ended: Ended & { errorMessage?: string }, more: (tx: Tx) => unknown) =>
  transaction(deps.pool, 'write', async (tx) => {
    if (!(await endRun(tx, run.id, ended))) return;
    await tell(tx, deps.clock.now(), keptOf(run), run.id, ended);
    await more(tx);
  });

async function submitted(deps: TaskDeps, run: StartingRun, taskId: string): Promise<void> {
  const task = await deps.loadTask(taskId);
  const taskIds = task?.groupTasks ?? [taskId];
  await end(deps, run, { status: 'submitted', taskIds }, (tx) => noteSuccess(tx, run.scheduleId));
}

const skipped = (deps: TaskDeps, run: StartingRun, skipReason: SkipReason): Promise<void> =>
  end(deps, run, { status: 'skipped', skipReason }, () => {});

async function failed(deps: TaskDeps, run: StartingRun, { code, message }: ApiError): Promise<void> {
  // A server that was suspended in the middle may have submitted it meanwhile.
  const made = await claimedTask(deps.pool, claimOf(run));
  if (made !== null) return submitted(deps, run, made);
  await end(deps, run, { status: 'failed', errorCode: code as ErrorCode, errorMessage: message }, async (tx) => {
    if (!(await noteFailure(tx, run.scheduleId, scheduleLimits.failuresBeforePause))) return;
    await tellPaused(tx, deps.clock.now(), keptOf(run), code as ErrorCode);
  });
}
