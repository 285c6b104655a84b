import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Finding } from './criteria.ts';
import { GateUnavailable } from './errors.ts';
import { label } from './excerpt.ts';
import { draftOf, schemaProblem, tooDeep } from './schema-limits.ts';
import type { SchemaJob, SchemaMessage } from './schema-worker.ts';

/** Honest schemas compile and validate in milliseconds; the caps leave room for a busy machine. */
export interface SchemaCaps {
  startMs: number;
  compileMs: number;
  validateMs: number;
}

const schemaCaps: SchemaCaps = { startMs: 30_000, compileMs: 3_000, validateMs: 3_000 };

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'schema', name: 'schema', score, weight: 1, evidence };
};

const buyersFault = (reason: string) => finding(null, label(`Not run: the schema cannot be used: ${reason}`));

/**
 * From sources (development, tests) the thread first registers the loader that reads TypeScript: Node 20
 * does not hand the parent's loader on. The built server starts the compiled file directly.
 */
function openWorker(job: SchemaJob) {
  const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
  const options = { workerData: job, execArgv: [], env: {}, stdout: true, stderr: true, resourceLimits: limits };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./schema-worker.js', import.meta.url), options);
  const loader = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx')));
  const script = new URL('./schema-worker.ts', import.meta.url);
  const source = `import('${loader}').then((tsx) => { tsx.register(); return import('${script}'); })`;
  return new Worker(source, { ...options, eval: true });
}

/** What the thread's last words mean, and what running out of time or memory means, at each stage. */
type Stage = 'starting' | 'compiling' | 'validating';

function ranOut(stage: Stage, how: string): Finding | GateUnavailable {
  if (stage === 'starting') return new GateUnavailable(`The schema worker did not start: ${how}`);
  if (stage === 'compiling') return buyersFault(`compiling it ${how}`);
  return finding(0, `Checking output.result against the schema ${how}.`);
}

/**
 * Runs one validation in a thread of its own. A thread can be ended in the middle of a regular expression,
 * has its own heap, and its stack overflows alone: a hostile schema or result cannot hold up the server.
 */
function validateInWorker(job: SchemaJob, caps: SchemaCaps): Promise<Finding> {
  return new Promise((resolve, reject) => {
    const worker = openWorker(job);
    let stage: Stage = 'starting';
    let timer: NodeJS.Timeout;
    const settle = (outcome: Finding | GateUnavailable) => {
      clearTimeout(timer);
      void worker.terminate();
      if (outcome instanceof GateUnavailable) reject(outcome);
      else resolve(outcome);
    };
    const enter = (next: Stage, capMs: number) => {
      stage = next;
      clearTimeout(timer);
      // A message may be waiting behind a busy event loop; it is delivered before the second turn.
      const expire = () => setTimeout(() => stage === next && settle(ranOut(next, 'took too long')), 20);
      timer = setTimeout(expire, capMs);
    };
    enter('starting', caps.startMs);
    worker.on('message', (message: SchemaMessage) => {
      if (message.stage === 'started') enter('compiling', caps.compileMs);
      else if (message.stage === 'compiled') enter('validating', caps.validateMs);
      else if (message.stage === 'unusable') settle(buyersFault(message.reason));
      else if (message.problem === null) settle(finding(100, 'output.result fits the schema.'));
      else settle(finding(0, label(message.problem)));
    });
    worker.on('error', (error) => settle(ranOut(stage, `broke off: ${error.message}`)));
    worker.on('exit', () => settle(ranOut(stage, 'broke off')));
  });
}

/** Whether `output.result` fits the buyer's JSON Schema. A schema that cannot be used says nothing. */
export async function schemaEvidence(
  schema: Record<string, unknown>,
  output: Record<string, unknown> | null,
  caps: SchemaCaps = schemaCaps,
): Promise<Finding> {
  const problem = schemaProblem(schema);
  if (problem !== null) return buyersFault(problem);
  const result = output?.result;
  if (result === undefined) return finding(0, 'output.result is missing.');
  if (tooDeep(result)) return finding(0, 'output.result is nested too deeply to be checked.');
  const job = { draft: draftOf(schema)!, schema: JSON.stringify(schema), result: JSON.stringify(result) };
  return validateInWorker(job, caps);
}
