import { limitWork, openWorkerThread, workedMs } from '../../platform/index.ts';
import { GateUnavailable } from '../errors.ts';
import type { SchemaJob, SchemaMessage } from './schema-worker.ts';

/** Honest schemas compile and validate in milliseconds of the thread's CPU time. The start is counted by the clock. */
export interface SchemaCaps {
  startMs: number;
  compileMs: number;
  validateMs: number;
}

export const schemaCaps: SchemaCaps = { startMs: 30_000, compileMs: 3_000, validateMs: 3_000 };

/** The schema cannot be used (`sure`: every try would end so), or its result for the output. */
export type SchemaAnswer =
  | { unusable: string; sure: boolean }
  | { unusable: null; problem: string | null; takesText?: boolean };

/** Enough stack for the deepest accepted result at 300 references a level. What overflows it is endless. */
const limits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 16 };

/** What the worker's last message means at each stage, and what running out of time or memory means. */
type Stage = 'starting' | 'compiling' | 'validating';

function ranOut(stage: Stage, how: string): SchemaAnswer | GateUnavailable {
  if (stage === 'starting') return new GateUnavailable(`The schema worker did not start: ${how}`);
  if (stage === 'compiling') return { unusable: `compiling and trying it ${how}`, sure: false };
  return { unusable: null, problem: `Checking output.result against the schema ${how}.` };
}

/**
 * Tries a schema, and a result where there is one, in a thread of its own. A thread can be ended in the middle of a
 * regular expression, has its own heap, and its stack overflows alone: a hostile schema or result cannot hold up the
 * server.
 */
export function askSchema(job: SchemaJob, caps: SchemaCaps): Promise<SchemaAnswer> {
  return new Promise((resolve, reject) => {
    const worker = openWorkerThread(import.meta.url, './schema-worker', { data: job, limits });
    let stage: Stage = 'starting';
    let thread: string | null = null;
    let callOff = () => {};
    const settle = (outcome: SchemaAnswer | GateUnavailable) => {
      callOff();
      void worker.terminate();
      if (outcome instanceof GateUnavailable) reject(outcome);
      else resolve(outcome);
    };
    const enter = (next: Stage, capMs: number) => {
      stage = next;
      callOff();
      callOff = limitWork(
        () => workedMs(thread),
        capMs,
        () => settle(ranOut(next, 'took too long')),
      );
    };
    enter('starting', caps.startMs);
    worker.on('message', (message: SchemaMessage) => {
      if (message.stage === 'started') {
        thread = message.thread;
        enter('compiling', caps.compileMs);
      } else if (message.stage === 'unusable') settle({ unusable: message.reason, sure: true });
      else if (message.stage === 'done')
        settle({ unusable: null, problem: message.problem, takesText: message.takesText });
      else if (job.result === null) settle({ unusable: null, problem: null });
      else enter('validating', caps.validateMs);
    });
    worker.on('error', (error) => settle(ranOut(stage, `broke off: ${error.message}`)));
    worker.on('exit', () => settle(ranOut(stage, 'broke off')));
  });
}
