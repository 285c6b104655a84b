import { assess, type GateAdditions } from '../../gate/index.ts';
import { isCollected } from '../artifacts/sql.ts';
import type { GateRunner } from '../deps.ts';
import { measured } from './gate-cpu.ts';
import { queueGate } from './gate-queue.ts';
import { archiveOf, type GateDeps, opensSandbox, originalsFor } from './run-gate.ts';

/**
 * Runs the gate once more over a delivery that was judged, and settles nothing. Null if the input has been erased or
 * cannot be had again, or the delivered workspace is not kept any more, here or at all: a run without them would say less
 * than the first one.
 */
export function createRunAgain(deps: GateDeps, additions: GateAdditions): GateRunner['again'] {
  return async (taskId, dispute) => {
    const task = await deps.loadTask(taskId);
    if (!task || task.inputExpiresAt === null || task.inputExpiresAt <= deps.clock.now().toISOString()) return null;
    const workspaceBytes = await deps.archives.size(taskId);
    if (workspaceBytes === null && (await isCollected(deps.pool, taskId))) return null;
    const opens = opensSandbox(task, workspaceBytes);
    const missing = opens ? await deps.inputs.missing(task) : null;
    const run = async () => {
      const workspace = await deps.archives.read(taskId);
      // It has gone while this waited for its turn.
      if (workspace === null && workspaceBytes !== null) return null;
      const originals = await originalsFor(deps, task, workspace, missing);
      if (originals.originalsMissing) return null;
      const gateRun = measured(() => deps.sandboxes.fresh());
      const verdict = await assess(
        {
          task,
          workspace: workspace === null ? null : { export: async () => archiveOf(workspace) },
          openSandbox: gateRun.openSandbox,
          ...originals,
          dispute,
        },
        additions,
      );
      // A dispute is the buyer's wish, an appeal the agent's.
      const buyerId = dispute === null ? null : task.ownerId;
      return { verdict, book: (assessmentId: string) => deps.gateCpu.book(gateRun, { buyerId, assessmentId }) };
    };
    return opens ? queueGate(deps, task, workspaceBytes, run) : run();
  };
}
