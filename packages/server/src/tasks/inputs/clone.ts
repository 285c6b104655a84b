import { openWorkerThread } from '../../platform/index.ts';
import type { CloneJob, CloneReply } from './clone-worker.ts';
import type { Fetched } from './layout.ts';
import { CloneRefused } from './pack.ts';

const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Fetches a commit in a worker thread: it can be ended at any moment, has its own heap, and holds up nobody. No
 * subprocess and no file of the host is involved.
 */
export async function clone(job: CloneJob, timeoutMs: number, signal: AbortSignal): Promise<Fetched> {
  const reply = await replyOf(job, timeoutMs, signal);
  if (!reply.ok) throw new CloneRefused(reply.reason, { cause: new Error(reply.cause) });
  return { ...reply, packs: Buffer.from(reply.packs.buffer) };
}

function replyOf(job: CloneJob, timeoutMs: number, signal: AbortSignal): Promise<CloneReply> {
  return new Promise((resolve) => {
    const worker = openWorkerThread(import.meta.url, './clone-worker', { data: job, limits });
    const settle = (reply: CloneReply) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(reply);
    };
    const stop = () => settle({ ok: false, reason: 'timed_out', cause: 'it was ended' });
    const timer = setTimeout(() => settle({ ok: false, reason: 'timed_out', cause: `${timeoutMs} ms` }), timeoutMs);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    worker.on('message', settle);
    worker.on('error', (error) => {
      const isMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      settle({ ok: false, reason: isMemory ? 'too_large' : 'damaged', cause: String(error) });
    });
    worker.on('exit', (code) =>
      settle({ ok: false, reason: 'damaged', cause: `the worker thread ended with ${code}` }),
    );
  });
}
