import { setMaxListeners } from 'node:events';
import { assess, type GateAdditions, tryChecks } from '../../gate/index.ts';
import { encodeArchive } from '../../sandbox/index.ts';
import { isCollected } from '../artifacts/sql.ts';
import type { GateRunner } from '../deps.ts';
import { proofFiles } from '../inputs/input-files.ts';
import type { TaskRow } from '../sql.ts';
import { measured } from './gate-cpu.ts';
import { queueGate } from './gate-queue.ts';
import {
  archiveOf,
  type GateDeps,
  opensSandbox,
  originalsFor,
  type ProvidedFiles,
  packagesFor,
  packagesOf,
} from './run-gate.ts';
import { openUntil } from './try-checks.ts';

/** A delivery that was judged, and the input that it was made from. */
interface Kept {
  task: TaskRow;
  workspace: Buffer | null;
  originals: ProvidedFiles;
}

/**
 * Works on a delivery once more, when it is its turn if that opens a sandbox. Null if the input has been erased or cannot
 * be had again, nor its packages, or the delivered workspace is not kept any more, here or at all: a run without them would
 * say less than the first one.
 */
async function withKept<R>(
  deps: GateDeps,
  taskId: string,
  { opens }: { opens: boolean },
  work: (kept: Kept) => Promise<R | null>,
): Promise<R | null> {
  const task = await deps.loadTask(taskId);
  if (!task || task.inputExpiresAt === null || task.inputExpiresAt <= deps.clock.now().toISOString()) return null;
  const workspaceBytes = await deps.archives.size(taskId);
  if (workspaceBytes === null && (await isCollected(deps.pool, taskId))) return null;
  const isQueued = opens || opensSandbox(task, workspaceBytes);
  const missing = isQueued ? await deps.inputs.missing(task) : null;
  const run = async () => {
    const workspace = await deps.archives.read(taskId);
    // It has gone while this waited for its turn.
    if (workspace === null && workspaceBytes !== null) return null;
    const originals = await originalsFor(deps, task, workspace, missing);
    return originals.originalsMissing ? null : work({ task, workspace, originals });
  };
  return isQueued ? queueGate(deps, task, workspaceBytes, run) : run();
}

/** Runs the gate once more over a delivery that was judged, and settles nothing. */
export function createRunAgain(deps: GateDeps, additions: GateAdditions): GateRunner['again'] {
  return (taskId, dispute) =>
    withKept(deps, taskId, { opens: false }, async ({ task, workspace, originals }) => {
      const { start, packages, isGone } = await packagesFor(deps, task, originals);
      if (isGone) return null;
      const gateRun = measured(() => deps.sandboxes.fresh(start));
      const verdict = await assess(
        {
          task,
          packages,
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
    });
}

/** For the commands of a proof over one content, together. */
const proofMs = 60_000;

/** Runs a party's commands over the untouched input and over the delivery, in sandboxes of their own. */
export function createRunProof(deps: GateDeps): GateRunner['prove'] {
  return (taskId, proof, ownerId) =>
    withKept(deps, taskId, { opens: true }, async ({ task, workspace, originals }) => {
      const { start, isGone } = await packagesOf(deps, task, originals);
      if (isGone) return null;
      // One more of each listens for every sandbox.
      const over = AbortSignal.any([deps.stopping, AbortSignal.timeout(4 * proofMs)]);
      setMaxListeners(0, over);
      const gateRun = measured(() => openUntil(over, () => deps.sandboxes.fresh(start)));
      const input = originals.originalArchive ?? (await encodeArchive([]));
      const run = (archive: Buffer, output: TaskRow['output']) => {
        const heldOut = proofFiles(proof);
        return tryChecks({
          ...proof,
          archive,
          heldOut,
          output,
          openSandbox: gateRun.openSandbox,
          totalMs: proofMs,
          over,
        });
      };
      try {
        const onInput = await run(input, null);
        const onDelivery = workspace?.length === 0 ? null : await run(workspace ?? input, task.output);
        // Its commands were ended by the platform, and are no result.
        over.throwIfAborted();
        return { onInput, onDelivery };
      } finally {
        deps.gateCpu.book(gateRun, { buyerId: ownerId, assessmentId: null });
      }
    });
}
