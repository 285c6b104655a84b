import { parentPort, workerData } from 'node:worker_threads';
import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { threadName } from '../../platform/concurrency/index.ts';
import type { Draft } from './limits.ts';

/** The worker's input as text, so that crossing the thread boundary never recurses over it. */
export interface SchemaJob {
  draft: Draft;
  schema: string;
  /** Null if only the schema is to be tried. */
  result: string | null;
}

export type SchemaMessage =
  | { stage: 'started'; thread: string | null }
  | { stage: 'unusable'; reason: string }
  | { stage: 'compiled' }
  /** `takesText`: a text that says nothing fits as well. */
  | { stage: 'done'; problem: string | null; takesText: boolean };

// The package is CommonJS; its default export is the module object under Node's own loader.
const addFormats = addFormatsModule.default;

const validators = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv };

/**
 * Never loads a schema from elsewhere: without `loadSchema` a remote reference is a compile error.
 * Unknown keywords and formats are ignored as the drafts say; `strict` is a lint of ajv's own.
 */
const options: Options = { strict: false, allErrors: false, logger: false, ownProperties: true, messages: true };

/** One of each kind, empty and not: a schema that breaks off over these says nothing about any result. */
const trials = [null, true, 1, '', 'x', [], [null], {}, { x: null }];

const say = (message: SchemaMessage) => parentPort!.postMessage(message);

/**
 * Compiles and tries the schema's validator. Each part that a reference names is tried too, because ajv compiles it to
 * a function of its own. So references that lead back to themselves, or double at every step, are found anywhere.
 */
function compile({ draft, schema }: SchemaJob) {
  const compiled: Array<{ validate?: (value: unknown) => unknown }> = [];
  const process: NonNullable<Options['code']>['process'] = (code, part) => {
    compiled.push(part as (typeof compiled)[number]);
    return code;
  };
  // Tidying the generated code would take four times as long as all the rest of a large schema.
  const ajv = new validators[draft]({ ...options, code: { process, optimize: false } });
  addFormats(ajv);
  const body = JSON.parse(schema) as Record<string, unknown>;
  // The draft is chosen already; a draft-06 name would be an unknown meta-schema to ajv.
  delete body.$schema;
  const validate = ajv.compile(body);
  for (const part of compiled) for (const value of trials) part.validate?.(value);
  return validate;
}

/** Texts without any meaning, short and long. */
const fillers = ['x', 'x '.repeat(200)];

function problemOf(validate: ReturnType<typeof compile>, result: string): string | null {
  if (validate(JSON.parse(result)) === true) return null;
  const first = validate.errors?.[0];
  return `output.result${first?.instancePath ?? ''} ${first?.message ?? 'does not fit'}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return /call stack/.test(error.message) ? 'its references lead back to themselves without end' : error.message;
}

say({ stage: 'started', thread: threadName() });
try {
  const job = workerData as SchemaJob;
  const validate = compile(job);
  say({ stage: 'compiled' });
  // A failure here is the schema's fault too: no result is deep enough to overflow the stack by itself.
  if (job.result !== null) {
    const problem = problemOf(validate, job.result);
    say({ stage: 'done', problem, takesText: fillers.some((text) => validate(text) === true) });
  }
} catch (error) {
  say({ stage: 'unusable', reason: reasonOf(error) });
}
