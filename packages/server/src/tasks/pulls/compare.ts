import { createFairSemaphore, joined, openWorkerThread } from '../../platform/index.ts';
import type { CompareJob, CompareReply } from './compare-worker.ts';

/** Each has both trees in memory twice; one of an owner, and owners take turns. */
const slots = createFairSemaphore(2, 1);
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** The gate's verdict waits for it. */
const compareMs = 20_000;

/**
 * Compares a delivered workspace with what its agent was given, in a worker thread: an agent's rules of what to ignore
 * are patterns whose cost it controls. Never rejects.
 */
export const compareDelivery = (
  ownerId: string,
  { laid, workspace, tree }: { laid: Buffer<ArrayBuffer>; workspace: Buffer; tree: Buffer },
  timeoutMs = compareMs,
): Promise<CompareReply> =>
  slots(
    1,
    async () => {
      const copies = await Promise.all([workspace, tree].map((each) => joined([each])));
      const [work, base] = copies as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>];
      return run({ laid: laid.buffer, workspace: work.buffer, tree: base.buffer }, timeoutMs);
    },
    ownerId,
  );

const run = (data: CompareJob, timeoutMs: number): Promise<CompareReply> =>
  new Promise((resolve) => {
    const options = { data, transfer: Object.values(data) as ArrayBuffer[], limits };
    const worker = openWorkerThread(import.meta.url, './compare-worker', options);
    const settle = (reply: CompareReply) => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(reply);
    };
    const fail = () => settle({ reason: 'not_compared' });
    const timer = setTimeout(fail, timeoutMs);
    worker.on('message', settle);
    worker.on('error', fail);
    worker.on('exit', fail);
  });
