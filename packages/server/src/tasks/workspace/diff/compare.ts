import { openWorkerThread } from '../../../platform/index.ts';
import { SandboxError } from '../../../sandbox/index.ts';
import type { DiffJob, DiffMessage, Found, Shown } from './diff-worker.ts';
import type { Content } from './pairs.ts';

/** A tree of the most files that are cloned, with the longest names, and a snapshot of such names take half of it. */
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** The changes are known at once; their text only as far as it was compared in time. */
export interface Comparison extends Found {
  /** By the index of the change. Resolves after `timeoutMs` with what is ready; never rejects. */
  shown(timeoutMs: number): Promise<Map<number, Shown>>;
}

const late = () => new SandboxError('TIMED_OUT', 'Comparing the workspace took too long.');

function failureOf(error: unknown): Error {
  const isMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new SandboxError('TOO_LARGE', 'The workspace is too large to compare.') : (error as Error);
}

/** In a worker thread, which takes both archives over and lives until all is compared or the signal aborts. */
export function compareTrees(
  job: { laid: Buffer<ArrayBuffer>; snapshot: Buffer<ArrayBuffer> },
  fetch: (path: string) => Promise<Content>,
  signal: AbortSignal,
): Promise<Comparison> {
  const data: DiffJob = { laid: job.laid.buffer, snapshot: job.snapshot.buffer };
  const shown = new Map<number, Shown>();
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(late());
    const worker = openWorkerThread(import.meta.url, './diff-worker', { data, limits, transfer: Object.values(data) });
    let markEnded = () => {};
    const ended = new Promise<void>((end) => {
      markEnded = end;
    });
    const settle = (error: unknown) => {
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      markEnded();
      // Once the changes are known, nobody waits for this error.
      reject(failureOf(error));
    };
    const stop = () => settle(late());
    signal.addEventListener('abort', stop);
    const onFound = (found: Found) =>
      resolve({
        ...found,
        async shown(timeoutMs) {
          const timer = setTimeout(stop, timeoutMs);
          await ended;
          clearTimeout(timer);
          return shown;
        },
      });
    worker.on('message', (message: DiffMessage) => {
      if ('fetch' in message) void fetch(message.fetch).then((content) => worker.postMessage(content));
      else if ('found' in message) onFound(message.found);
      else if ('shown' in message) shown.set(message.shown.index, message.shown);
      else settle('damaged' in message ? new SandboxError('REFUSED', 'The archive is damaged.') : late());
    });
    worker.on('error', settle);
    worker.on('exit', stop);
  });
}
