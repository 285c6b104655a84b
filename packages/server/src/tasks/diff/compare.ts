import { openThread } from '../../platform/index.ts';
import type { DiffReply, TextPair } from './diff-worker.ts';

const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** The unified diff of each pair that is done in time, by its index; never rejects. */
export function compareTexts(pairs: TextPair[], timeoutMs: number, signal: AbortSignal): Promise<Map<number, string>> {
  const done = new Map<number, string>();
  if (pairs.length === 0) return Promise.resolve(done);
  return new Promise((resolve) => {
    const worker = openThread(import.meta.url, './diff-worker', { data: pairs, limits });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', settle);
      void worker.terminate();
      resolve(done);
    };
    const timer = setTimeout(settle, timeoutMs);
    if (signal.aborted) settle();
    else signal.addEventListener('abort', settle);
    worker.on('message', ({ index, unified }: DiffReply) => {
      if (unified !== null) done.set(index, unified);
    });
    worker.on('error', settle);
    worker.on('exit', settle);
  });
}
