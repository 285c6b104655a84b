import { type TaskSweep, waitingStatuses } from '@agora-market/contract';
import { eraseQuotes } from '../gate/index.ts';
import { eraseReplies, hasCome, type Job, transaction, untilEmpty } from '../platform/index.ts';
import { releaseDueEarnings } from '../vault/index.ts';
import { reconcileObjects } from './artifacts/reconcile-objects.ts';
import { gatesTopic, resumeGates, reviveGates } from './assessment/gate-queue.ts';
import { forgetDeliveries, unreachableDeliveries } from './assessment/gate-sql.ts';
import { abandon, cleanUp } from './assessment/run-gate.ts';
import type { TaskDeps } from './deps.ts';
import { settleGroups } from './groups/settle.ts';
import { endWithoutCharge } from './lifecycle/fail.ts';
import { retryInputs } from './lifecycle/lack-input.ts';
import { createSilenceWatch, inSight } from './lifecycle/unanswered.ts';
import { putTexts, textJobs } from './list/texts.ts';
import { endOverduePauses } from './messages/pause.ts';
import { eraseAttachments } from './messages/sql.ts';
import { queueJobs } from './queue/assign.ts';
import { loseAgent } from './routing/reroute.ts';
import { awaitDeadlines, endedAmong, eraseInputs, eraseLacking, overdueTasks } from './sql.ts';
import { eraseCommands } from './workspace/command-log.ts';
import { anySetAside } from './workspace/storage.ts';

const batch = 200;

/**
 * Overdue tasks: one that its agent did not accept may go to another agent, else the buyer is refunded, as is one whose
 * time in the queue is over.
 */
async function expireOverdue(deps: TaskDeps, noteSilence: () => Promise<void>): Promise<void> {
  // After an outage the deadlines move before they are looked at.
  await deps.hosts.confirm();
  // Silence is noted before agents lose the tasks that they left unanswered.
  await noteSilence();
  const at = deps.clock.now();
  await untilEmpty(batch, (limit) => awaitDeadlines(deps.pool, at, limit));
  const overdue = await overdueTasks(deps.pool, at, batch);
  const attempts = await Promise.allSettled(
    overdue.map(async ({ id, status, agentId, startedAt, allowedMs }) => {
      const task = waitingStatuses.includes(status) ? await deps.loadTask(id) : undefined;
      if (task) return loseAgent(deps, task, { because: 'not_accepted', reason: null, at });
      // What the platform failed to do in that time may be why.
      const isOurs =
        agentId !== null &&
        startedAt !== null &&
        (await deps.faults.since({ agentId, taskId: id }, new Date(startedAt)));
      const errorMessage = 'The agent did not deliver before the deadline.';
      // A buyer can name a time in which nobody can do the task.
      const isShort = allowedMs !== null && allowedMs < deps.config.EXECUTION_DEADLINE_MS;
      const answerable = isOurs ? ({ answerable: 'platform' } as const) : isShort && ({ answerable: 'buyer' } as const);
      return endWithoutCharge(
        deps,
        { id, agentId },
        { verb: 'expire', agentId: null, at: at.toISOString(), errorMessage, ...answerable },
      );
    }),
  );
  // All are tried before a failure is thrown.
  const failed = attempts.find((attempt) => attempt.status === 'rejected');
  if (failed) throw failed.reason;
}

async function eraseExpired(deps: TaskDeps): Promise<void> {
  const { pool, clock } = deps;
  const eraseSome = (limit: number) =>
    transaction(pool, 'write', async (tx) => {
      const ids = (await eraseInputs(tx, clock.now(), limit)).map(({ id }) => id);
      if (ids.length === 0) return 0;
      // What was answered to requests about these tasks, and what commands printed for the gate, repeats their inputs.
      await eraseReplies(tx, ids);
      await eraseQuotes(tx, ids);
      await eraseLacking(tx, ids);
      await eraseCommands(tx, ids);
      await eraseAttachments(tx, ids);
      await putTexts(tx, ids);
      await forgetDeliveries(tx, ids);
      return ids.length;
    });
  await untilEmpty(batch, eraseSome);
  await deps.inputs.eraseExpired();
}

/** Clears away sandboxes and workspaces of tasks that have ended, as far as this process knows of them. */
async function clearEnded(deps: TaskDeps): Promise<void> {
  const ids = [...new Set([...deps.sandboxes.taskIds(), ...deps.deliveries.list()])];
  if (ids.length === 0) return;
  for (const id of await endedAmong(deps.pool, ids)) {
    const cleared = collectOwed(deps, id).then(() => cleanUp(deps, { id, agentId: null }));
    await cleared.catch((error) =>
      deps.log.warn({ err: error, taskId: id }, 'an ended task could not be cleared away'),
    );
  }
}

/** The same in a bucket, whichever server put them there and may have gone since; of some at a time. */
async function clearEndedInBucket(deps: TaskDeps): Promise<void> {
  await deps.deliveries.learn((ids) => endedAmong(deps.pool, ids));
  await deps.sandboxes.clearKept();
}

/** Artifacts that could not be stored when the task was judged, from the workspace that is still kept for them. */
async function collectOwed(deps: TaskDeps, taskId: string): Promise<void> {
  if ((await deps.deliveries.size(taskId)) === null || !(await deps.artifacts.isDue(taskId))) return;
  const task = await deps.loadTask(taskId);
  const giveUpAt = new Date(task?.finishedAt ?? 0).getTime() + deps.config.ARTIFACT_TTL_MS;
  // What was exported for a delivery that was then refused is nobody's result.
  if (!task?.output || giveUpAt <= deps.clock.now().getTime()) return deps.artifacts.waive(taskId);
  const workspace = await deps.deliveries.read(taskId);
  if (workspace === null) return deps.artifacts.waive(taskId);
  await deps.artifacts.collect(task, workspace).catch((error) => {
    deps.log.warn({ err: error, taskId }, 'artifacts could still not be stored');
  });
}

/**
 * Tasks whose delivery went down with a server that nobody has seen again: their buyers are refunded, and nobody is to
 * blame.
 */
async function abandonUnreachable(deps: TaskDeps): Promise<void> {
  const now = deps.clock.now();
  const goneSince = new Date(now.getTime() - deps.config.DELIVERY_WAIT_MS);
  const ids = await unreachableDeliveries(deps.pool, { store: deps.hosts.store, now, goneSince }, batch);
  for (const id of ids) {
    const task = await deps.loadTask(id);
    if (task) await abandon(deps, task);
  }
}

/** Whether each server has stored files of its own to see to. In a bucket any can do it. */
const hasOwnFiles = ({ objects }: TaskDeps): boolean => !objects.isShared;

/** A task has waited for its agent, its gate or its decision as long as it may. */
const taskDue = hasCome('due_at', 'tasks');

/** The jobs that keep tasks from being stuck (see `phaseSweeps`). */
const sweeps = (deps: TaskDeps, noteSilence = createSilenceWatch(deps)): Record<TaskSweep, Omit<Job, 'name'>> => ({
  // Agents that polled recently are stored first.
  'tasks.expireOverdue': {
    due: inSight(deps.config),
    after: ['tasks.storeLiveness', 'tasks.endPauses'],
    run: () => expireOverdue(deps, noteSilence),
  },
  'tasks.resumeGates': {
    role: 'gate',
    isOwn: hasOwnFiles(deps),
    due: taskDue,
    wokenBy: (wake) => void deps.hub.subscribe(gatesTopic, wake),
    run: () => resumeGates(deps),
  },
});

/** What only a bucket needs. */
const bucketJobs = (deps: TaskDeps): Job[] => [
  { name: 'tasks.carryIntoBucket', everyMs: 60_000, isOwn: true, run: () => deps.carryOver(deps.stopping) },
  { name: 'tasks.clearEndedInBucket', everyMs: 10_000, run: () => clearEndedInBucket(deps) },
];

/** What time alone makes happen to tasks: buyers are refunded also while a sandbox cannot be cleared away. */
export const taskJobs = (deps: TaskDeps): Job[] => [
  { name: 'tasks.storeLiveness', isOwn: true, run: () => deps.liveness.flush() },
  { name: 'tasks.storeCommands', isOwn: true, run: () => deps.underWay.commands.flush(deps.pool) },
  { name: 'tasks.storeFaults', isOwn: true, run: () => deps.faults.flush() },
  { name: 'tasks.forgetFaults', everyMs: 3_600_000, run: () => deps.faults.forget() },
  ...Object.entries(sweeps(deps)).map(([name, sweep]) => ({ name, ...sweep })),
  { name: 'tasks.endPauses', due: hasCome('waiting_until', 'tasks'), run: () => endOverduePauses(deps) },
  { name: 'tasks.settleGroups', due: taskDue, run: () => settleGroups(deps) },
  { name: 'tasks.reviveGates', role: 'gate', everyMs: 10_000, isOwn: true, run: () => reviveGates(deps) },
  { name: 'tasks.retryInputs', isOwn: true, run: () => retryInputs(deps) },
  ...queueJobs(deps),
  ...textJobs(deps),
  { name: 'tasks.abandonUnreachable', due: taskDue, run: () => abandonUnreachable(deps) },
  {
    name: 'tasks.releaseEarnings',
    due: hasCome('due_at', "earnings where status = 'pending'"),
    run: () => releaseDueEarnings(deps.pool, deps.clock.now(), deps.config.PAYOUT_HOLD_MS),
  },
  // What can be appealed goes with the input of the task.
  {
    name: 'tasks.eraseExpired',
    role: 'gate',
    isOwn: hasOwnFiles(deps),
    due: `${hasCome('input_expires_at', 'tasks where due_at is null')} or ${hasCome('bundled_until', 'kept_trees')}`,
    after: ['courts.disputes', 'courts.appeals'],
    run: () => eraseExpired(deps),
  },
  // Of tasks whose input went with their account, or with a server that ended in between.
  { name: 'tasks.forgetTrees', everyMs: 60_000, isOwn: hasOwnFiles(deps), run: () => deps.inputs.eraseExpired() },
  {
    name: 'tasks.eraseArtifacts',
    isOwn: hasOwnFiles(deps),
    due: hasCome('expires_at', 'artifacts'),
    run: () => deps.artifacts.eraseExpired(),
  },
  { name: 'tasks.endOldSandboxes', isOwn: true, run: () => deps.sandboxes.sweep() },
  ...(deps.config.SNAPSHOT_MS > 0
    ? [{ name: 'tasks.takeSnapshots', isOwn: true, run: () => deps.sandboxes.takeSnapshots() }]
    : []),
  { name: 'tasks.buryLostSandboxes', everyMs: 10_000, isOwn: true, run: () => deps.sandboxes.buryLost() },
  ...(hasOwnFiles(deps) ? [] : bucketJobs(deps)),
  { name: 'tasks.clearEnded', isOwn: true, run: () => clearEnded(deps) },
  {
    name: 'tasks.clearArchives',
    everyMs: hasOwnFiles(deps) ? 60_000 : 10_000,
    isOwn: hasOwnFiles(deps),
    run: () => deps.archives.clear(deps.clock.now()),
  },
  { name: 'tasks.forgetGateCpu', everyMs: 60_000, isOwn: true, run: () => deps.gateCpu.forget() },
  { name: 'tasks.releaseStorage', due: anySetAside, run: () => deps.storage.release() },
  {
    name: 'tasks.reconcileObjects',
    isOwn: hasOwnFiles(deps),
    everyMs: 3_600_000,
    run: () => reconcileObjects(deps),
  },
  {
    name: 'tasks.forgetHints',
    isOwn: true,
    run: async () => {
      deps.cache.tasks.trim();
      deps.cache.hireables.trim();
      deps.cache.paces.trim();
    },
  },
];
