import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads';

/** What a thread is given at its start, and how much memory and stack it may take. */
export interface WorkerThreadOptions {
  data?: unknown;
  /** What of it is handed over without a copy. */
  transfer?: TransferListItem[];
  limits: ResourceLimits;
}

/**
 * Opens a thread for work whose cost a party controls: it has its own heap and stack, sees no setting of this process,
 * and can be ended in the middle of a regular expression. `name` is a script beside the caller, as `./schema-worker`.
 *
 * From sources (development, tests) the thread first registers the loader that reads TypeScript: Node 20 does not hand
 * the parent's loader on. The built server starts the compiled file directly.
 */
export function openWorkerThread(
  caller: string,
  name: string,
  { data, transfer = [], limits }: WorkerThreadOptions,
): Worker {
  const streams = { execArgv: [], env: {}, stdout: true, stderr: true };
  const options = { ...streams, workerData: data, transferList: transfer, resourceLimits: limits };
  if (!caller.endsWith('.ts')) return new Worker(new URL(`${name}.js`, caller), options);
  const loader = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  const script = new URL(`${name}.ts`, caller);
  const source = `import('${loader}').then((tsx) => { tsx.register(); return import('${script}'); })`;
  return new Worker(source, { ...options, eval: true });
}
