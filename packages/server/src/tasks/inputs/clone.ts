import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { CloneJob, CloneReply } from './clone-worker.ts';

/**
 * From sources the thread first registers the loader that reads TypeScript, as Node 20 does not hand the parent's on.
 */
function openWorker(job: CloneJob): Worker {
  const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
  const options = { workerData: job, execArgv: [], env: {}, stdout: true, stderr: true, resourceLimits: limits };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./clone-worker.js', import.meta.url), options);
  const loader = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  const script = new URL('./clone-worker.ts', import.meta.url);
  const source = `import('${loader}').then((tsx) => { tsx.register(); return import('${script}'); })`;
  return new Worker(source, { ...options, eval: true });
}

/**
 * Clones in a thread of its own: it can be ended at any moment, has its own heap, and holds up nobody. No hook, no
 * subprocess and no file of the host is involved.
 */
export function clone(job: CloneJob, timeoutMs: number, signal: AbortSignal): Promise<CloneReply> {
  return new Promise((resolve) => {
    const worker = openWorker(job);
    const settle = (reply: CloneReply) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(reply);
    };
    const stop = () => settle({ ok: false, reason: 'timed_out', cause: 'the server stops' });
    const timer = setTimeout(() => settle({ ok: false, reason: 'timed_out', cause: `${timeoutMs} ms` }), timeoutMs);
    signal.addEventListener('abort', stop);
    worker.on('message', settle);
    worker.on('error', (error) => {
      const isMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
      settle({ ok: false, reason: isMemory ? 'too_large' : 'damaged', cause: String(error) });
    });
    worker.on('exit', (code) => settle({ ok: false, reason: 'damaged', cause: `the thread ended with ${code}` }));
  });
}
