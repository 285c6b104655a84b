import { fileURLToPath } from 'node:url';
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
 * From sources (development, tests) Node strips the types itself, and keeps what it stripped for the next thread.
 */
export function openWorkerThread(
  caller: string,
  name: string,
  { data, transfer = [], limits }: WorkerThreadOptions,
): Worker {
  const isSource = caller.endsWith('.ts');
  return new Worker(new URL(`${name}.${isSource ? 'ts' : 'js'}`, caller), {
    ...(isSource ? fromSources : { execArgv: [], env: {} }),
    stdout: true,
    stderr: true,
    workerData: data,
    transferList: transfer,
    resourceLimits: limits,
  });
}

const fromSources = {
  execArgv: ['--experimental-strip-types', '--conditions=agora-source'],
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)) },
};
