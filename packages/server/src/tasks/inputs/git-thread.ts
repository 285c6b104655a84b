import { openWorkerThread } from '../../platform/index.ts';
import type { CloneReason } from './pack.ts';

const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

export interface GitFailure {
  ok: false;
  reason: CloneReason;
  cause: string;
}

/**
 * What a thread that speaks with a repository's server replies. It can be ended at any moment, has its own heap, and holds
 * up nobody. No subprocess and no file of the host is involved.
 */
export function replyOf<Reply>(
  { caller, script, job }: { caller: string; script: string; job: unknown },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Reply | GitFailure> {
  return new Promise((resolve) => {
    const worker = openWorkerThread(caller, script, { data: job, limits });
    const settle = (reply: Reply | GitFailure) => {
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
