import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads';

/** Input of a worker thread, and its limits of memory and stack. */
export interface WorkerThreadOptions {
  data?: unknown;
  /** The part of it that is transferred without a copy. */
  transfer?: TransferListItem[];
  limits: ResourceLimits;
}

/**
 * Opens a worker thread for work whose cost a party controls. It has its own heap and stack, sees no setting of this
 * process, and can be ended inside a regular expression. `name` is a script beside the caller, as `./schema-worker`.
 * From sources (development, tests) it first registers the loader for TypeScript, because Node does not pass the
 * parent's loader on. The built server starts the compiled file directly.
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
