import { parentPort, workerData } from 'node:worker_threads';
import { Ajv, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Draft } from './schema-limits.ts';

/** What the worker is started with: texts, so that crossing the thread boundary never recurses over them. */
export interface SchemaJob {
  draft: Draft;
  schema: string;
  result: string;
}

export type SchemaMessage =
  | { stage: 'started' }
  | { stage: 'unusable'; reason: string }
  | { stage: 'compiled' }
  | { stage: 'done'; problem: string | null };

// The package is CommonJS; its default export is the module object under Node's own loader.
const addFormats = addFormatsModule.default;

const validators = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv };

/**
 * Never loads a schema from elsewhere: without `loadSchema` a remote reference is a compile error.
 * Unknown keywords and formats are ignored as the drafts say; `strict` is a lint of ajv's own.
 */
const options: Options = { strict: false, allErrors: false, logger: false, ownProperties: true, messages: true };

const say = (message: SchemaMessage) => parentPort!.postMessage(message);

function compile({ draft, schema }: SchemaJob) {
  const ajv = new validators[draft](options);
  addFormats(ajv);
  const body = JSON.parse(schema) as Record<string, unknown>;
  // The draft is chosen already; a draft-06 name would be an unknown meta-schema to ajv.
  delete body.$schema;
  return ajv.compile(body);
}

function run(job: SchemaJob) {
  let validate: ReturnType<typeof compile>;
  try {
    validate = compile(job);
  } catch (error) {
    say({ stage: 'unusable', reason: error instanceof Error ? error.message : String(error) });
    return;
  }
  say({ stage: 'compiled' });
  try {
    const fits = validate(JSON.parse(job.result));
    const first = validate.errors?.[0];
    const problem = `output.result${first?.instancePath ?? ''} ${first?.message ?? 'does not fit'}`;
    say({ stage: 'done', problem: fits === true ? null : problem });
  } catch (error) {
    say({ stage: 'done', problem: `validation broke off: ${error instanceof Error ? error.message : String(error)}` });
  }
}

say({ stage: 'started' });
run(workerData as SchemaJob);
