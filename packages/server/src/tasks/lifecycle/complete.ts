import { can, maxInlineBytes, type Operations, type TaskView, taskTransitions } from '@agora-market/contract';
import { ApiError, type Call, withTimeout } from '../../platform/index.ts';
import { SandboxError } from '../../sandbox/index.ts';
import { undelivered } from '../access.ts';
import { gatesTopic, isJudgedAtOnce, judgesHere, runGateInTurn } from '../assessment/gate-queue.ts';
import { gateLeaseMs } from '../assessment/run-gate.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';
import { deliverStep } from '../steps/index.ts';
import { taskFor } from '../task-cache.ts';
import { taskView } from '../view.ts';
import type { Location } from '../workspace/archive-places.ts';
import { maxWorkspaceBytes } from '../workspace/archive-store.ts';
import { exportMs } from '../workspace/lanes.ts';
import { inSandbox } from '../workspace/session.ts';
import { spared } from '../workspace/spare.ts';
import type { DeliveredWorkspace } from '../workspace/task-sandboxes.ts';

/** How long the reply waits for the gate's verdict. */
const verdictWaitMs = 5_000;

/** A delivery without a workspace. */
const nothing = { store: null, objectId: null, sha256: null, workspaceBytes: null };

/** Delivers. The gate runs at once, and the reply shows the task with its verdict if that comes in time. */
export async function completeTask(deps: TaskDeps, call: Call<Operations['tasks.complete']>): Promise<TaskView> {
  const { task, role } = await taskFor(deps, call.params.taskId, call.caller, can.complete);
  deps.cache.tasks.delete(task.id);
  const { output, executionTimeMs = null, qualityScore = null } = call.body;
  checkSize(output);
  // Kept before the delivery is acknowledged: if this process dies, the gate still has it.
  const work = await deps.sandboxes.worked(task);
  const kept = work && (await keepWorkspace(deps, task, call.caller.ownerId, work));
  const workspaceBytes = kept?.workspaceBytes ?? null;
  const delivered: TaskRow = {
    ...task,
    status: taskTransitions.complete.to,
    output,
    executionTimeMs,
    declaredScore: qualityScore,
  };
  const { agentId } = call.caller;
  const claim = call.claim && { subject: task.id, ...call.claim };
  if (judgesHere(deps) && isJudgedAtOnce(delivered, workspaceBytes)) {
    const ended = await deps.gate.atOnce(delivered, { agentId, claim });
    if (ended !== null) return taskView(ended, role);
  }
  const delivery = {
    taskId: task.id,
    agentId,
    output,
    declaredScore: qualityScore,
    executionTimeMs,
    at: call.now.toISOString(),
    gateDueAt: new Date(call.now.getTime() + (judgesHere(deps) ? gateLeaseMs : 0)).toISOString(),
    host: deps.hosts.id,
    ...(kept ?? nothing),
  };
  try {
    const { outcome, status } = await deps.writer.write(deliverStep, delivery, claim);
    if (outcome !== 'ok') {
      if (kept) await deps.deliveries.undo(kept);
      throw undelivered(outcome, status);
    }
  } catch (error) {
    await work?.goOn();
    throw error;
  }
  // Its work is kept, and the agent may need its place for the next task while the gate runs.
  if (workspaceBytes !== null) {
    void deps.sandboxes.end(task.id).catch((error) => {
      deps.log.warn({ err: error, taskId: task.id }, 'a sandbox could not be ended at delivery; the sweep ends it');
    });
  }
  const verdict = judgesHere(deps)
    ? withTimeout(deps.clock, verdictWaitMs, runGateInTurn(deps, delivered, workspaceBytes))
    : verdictElsewhere(deps, task.id).catch((error) => {
        // It is delivered, whether or not this server learns the verdict.
        deps.log.warn({ err: error, taskId: task.id }, 'a verdict could not be waited for');
        return undefined;
      });
  return taskView((await verdict) ?? delivered, role);
}

/** Wakes those who judge, and waits for the verdict of one of them. */
async function verdictElsewhere(deps: TaskDeps, taskId: string): Promise<TaskRow | undefined> {
  const isOver = new AbortController();
  const cancel = deps.clock.after(verdictWaitMs, () => isOver.abort());
  const until = AbortSignal.any([isOver.signal, deps.stopping]);
  try {
    for (let isFirst = true; ; isFirst = false) {
      // Before it looks: the verdict may come at any moment.
      const changed = nextChange(deps, taskId, until);
      if (isFirst) deps.hub.notify([gatesTopic]);
      const task = await deps.loadTask(taskId);
      if (task?.status !== taskTransitions.complete.to || task.assessmentId !== null || until.aborted) return task;
      await changed;
    }
  } finally {
    cancel();
    isOver.abort();
  }
}

/** Resolves when the task changes, or with the signal. */
function nextChange({ hub }: TaskDeps, taskId: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      unsubscribe();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const unsubscribe = hub.subscribe(`task:${taskId}`, finish);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

function checkSize(output: Record<string, unknown>): void {
  const sizeBytes = Buffer.byteLength(JSON.stringify(output));
  if (sizeBytes <= maxInlineBytes) return;
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `output has ${sizeBytes} bytes. The limit is ${maxInlineBytes}. Leave larger results under /workspace/output.`,
    { field: 'output', sizeBytes, maxBytes: maxInlineBytes },
  );
}

/** Returns where the archive is kept, and its bytes. If that fails, task and sandbox stay as they are. */
async function keepWorkspace(
  deps: TaskDeps,
  task: TaskRow,
  sellerId: string,
  work: DeliveredWorkspace,
): Promise<Location & { workspaceBytes: number }> {
  const take = () => exportOrRefused(deps, work, task.id);
  try {
    return await spared(deps, task, async () => {
      await deps.disk.requireRoom();
      return deps.underWay.exports(sellerId, take, async (archive) => {
        const location = await deps.deliveries.keep(task.id, archive);
        return { ...location, workspaceBytes: archive.length };
      });
    });
  } catch (error) {
    await work.goOn();
    if (!(error instanceof SandboxError) || error.code !== 'TIMED_OUT') throw error;
    throw new ApiError(
      'SANDBOX_UNAVAILABLE',
      `Exporting the workspace took longer than ${exportMs / 1000} s. Nothing was delivered. Delete what is not part of the work, then deliver again.`,
      { reason: 'export_timed_out' },
      { cause: error },
    );
  }
}

/**
 * The workspace, or an empty archive if the sandbox refuses the export. No sandbox can import an empty archive, so the
 * gate counts it against the delivery and says so. The agent can deliver all the same.
 */
async function exportOrRefused(deps: TaskDeps, work: DeliveredWorkspace, taskId: string): Promise<Buffer> {
  try {
    return await work.take();
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code === 'TIMED_OUT') throw error;
    if (error.code === 'TOO_LARGE') {
      throw new ApiError(
        'PAYLOAD_TOO_LARGE',
        `The workspace has more than ${maxWorkspaceBytes} bytes. Delete what is not part of the work.`,
        { field: 'workspace', maxBytes: maxWorkspaceBytes },
        { cause: error },
      );
    }
    // The sandbox has died or is ending: the next try finds another or none.
    if (error.code === 'SANDBOX_GONE' || error.code === 'SANDBOX_UNAVAILABLE')
      return inSandbox(() => Promise.reject(error));
    deps.log.warn({ err: error, taskId }, 'a workspace could not be exported; the gate will count that');
    return Buffer.alloc(0);
  }
}
