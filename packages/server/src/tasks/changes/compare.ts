import { ApiError, type Config, createFairSemaphore, joined, openWorkerThread } from '../../platform/index.ts';
import type { TreeFacts } from '../inputs/clean.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { PullChanges, PullTask } from '../pulls/prepare.ts';
import { pullWish } from '../pulls/wish.ts';
import type { CompareJob, CompareMessage, Described, PullReply } from './compare-worker.ts';

/** Each has both trees in memory twice; one of an owner, and owners take turns. */
const slots = createFairSemaphore(2, 1);
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** The gate's verdict waits for it. */
const compareMs = 20_000;

/** Of one delivery, whatever artifacts may have. */
const maxPatchBytes = 32 * 1024 ** 2;

/** What a delivery changes, and what of that is for its pull request. */
export interface Compared {
  /** Null where describing it failed or took too long. */
  described: Described | null;
  pull: PullChanges;
}

/** Null each where comparing did not come so far. */
interface CompareReply {
  described: Described | null;
  pull: PullReply | null;
}

interface Deps {
  config: Config;
  inputs: Pick<Inputs, 'originals' | 'base'>;
}

/** Null where there is nothing to compare with, or comparing failed. */
export async function compareWithInput(
  { config, inputs }: Deps,
  task: PullTask,
  workspace: Buffer,
): Promise<Compared | null> {
  // An empty archive stands for a workspace that its sandbox did not give out.
  if (workspace.length === 0) return null;
  try {
    const base = pullWish(task.input) && (await inputs.base(task));
    const { archive: laid } = await inputs.originals(task);
    const patchBytes = Math.min(config.ARTIFACT_MAX_BYTES, config.ARTIFACT_TOTAL_BYTES, maxPatchBytes);
    const reply = await compareDelivery(task.ownerId, { laid, workspace, base, patchBytes });
    const pull = { commit: base?.commit ?? '', ...(reply.pull ?? { reason: 'not_compared' as const }) };
    return { described: reply.described, pull };
  } catch (error) {
    // The repository cannot be had again, or the input has been erased.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** As `CompareJob`, in buffers; `laid` is handed to the thread. */
interface Trees {
  laid: Buffer<ArrayBuffer>;
  workspace: Buffer;
  base: { archive: Buffer; facts: TreeFacts } | null;
  patchBytes: number;
}

/**
 * Compares a delivered workspace with what its agent was given, in a worker thread: an agent's rules of what to ignore
 * are patterns whose cost it controls. Never rejects.
 */
export const compareDelivery = (
  ownerId: string,
  { laid, workspace, base, patchBytes }: Trees,
  timeoutMs = compareMs,
): Promise<CompareReply> =>
  slots(
    1,
    async () => {
      const [work, tree] = await Promise.all([joined([workspace]), base && joined([base.archive])]);
      const job = { laid: laid.buffer, workspace: work.buffer, patchBytes };
      return run({ ...job, base: base && tree && { archive: tree.buffer, facts: base.facts } }, timeoutMs);
    },
    ownerId,
  );

const run = (data: CompareJob, timeoutMs: number): Promise<CompareReply> =>
  new Promise((resolve) => {
    const transfer = [data.laid, data.workspace, ...(data.base ? [data.base.archive] : [])];
    const worker = openWorkerThread(import.meta.url, './compare-worker', { data, transfer, limits });
    const reply: CompareReply = { described: null, pull: null };
    const settle = () => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(reply);
    };
    const timer = setTimeout(settle, timeoutMs);
    worker.on('message', (message: CompareMessage) => {
      Object.assign(reply, message);
      if (reply.described !== null) settle();
    });
    worker.on('error', settle);
    worker.on('exit', settle);
  });
