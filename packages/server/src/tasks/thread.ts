import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/**
 * Runs a script of ours in a thread of its own: it can be ended at any moment, has its own heap, and holds up nobody.
 * From sources the thread first registers the loader that reads TypeScript, as Node 20 does not hand the parent's on.
 */
export function openThread(script: URL, workerData: unknown, resourceLimits: ResourceLimits): Worker {
  const options = { workerData, execArgv: [], env: {}, stdout: true, stderr: true, resourceLimits };
  if (!script.pathname.endsWith('.ts')) return new Worker(script, options);
  const loader = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  const source = `import('${loader}').then((tsx) => { tsx.register(); return import('${script}'); })`;
  return new Worker(source, { ...options, eval: true });
}

/** Its address: beside the caller, compiled if the caller is. */
export const scriptBeside = (caller: string, name: string): URL =>
  new URL(`./${name}${caller.endsWith('.ts') ? '.ts' : '.js'}`, caller);
