import { z } from 'zod';
import { id } from './ids.ts';
import { data, mapOf, operation, queryInt } from './operation.ts';

/** Background processes of a sandbox, and the diff of its workspace. */

const taskId = z.object({ taskId: z.string() });
const processId = taskId.extend({ processId: z.string() });
const common = { auth: 'agent', area: 'tasks', tx: 'external', params: taskId } as const;

/** Errors of starting a sandbox. */
export const notStarted = [
  'TASK_NOT_FOUND',
  'NOT_A_PARTY',
  'TASK_WRONG_STATE',
  'STORAGE_QUOTA_REACHED',
  'INPUT_EXPIRED',
  'SANDBOX_UNAVAILABLE',
  'REPOSITORY_UNAVAILABLE',
] as const;

/** Errors of using a workspace. */
export const notThere = [...notStarted, 'SANDBOX_LOST'] as const;

export const variables = mapOf(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
  z.string().max(100_000),
  1000,
  'an object of names with their values: { "CI": "true" }',
);

const processFields = {
  processId: id('process'),
  command: z.string(),
  state: z.enum(['running', 'exited']).meta({ description: 'Running while any process that it started runs' }),
  exitCode: z.int().nullable().meta({ description: '128 + signal if a signal ended the command' }),
  killed: z.boolean(),
  durationMs: z.number(),
  outputBytes: z.int().meta({ description: 'Bytes written so far to stdout and stderr; the last 128 KiB are kept' }),
};

const sandboxProcess = z.object(processFields).meta({ id: 'SandboxProcess' });

const change = z
  .object({
    path: z.string().meta({ description: 'Relative to /workspace; bytes that are not UTF-8 appear as U+FFFD' }),
    change: z.enum(['added', 'modified', 'deleted']),
    binary: z.boolean(),
    unified: z
      .string()
      .nullable()
      .meta({ description: 'As `diff -u` writes it; null for a directory and for a file that is binary or too large' }),
    truncated: z.boolean().meta({ description: '`unified` does not show the whole change' }),
  })
  .meta({ id: 'WorkspaceChange' });

export const sandboxWorkOperations = {
  'sandbox.resume': operation({
    ...common,
    id: 'sandbox.resume',
    method: 'POST',
    path: '/tasks/:taskId/sandbox/resume',
    summary: 'Resume a paused sandbox with the same CPU time again, or one minute to free disk space',
    reply: { status: 204 },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'SANDBOX_NOT_FOUND', 'SANDBOX_NOT_PAUSED', 'RESUMES_USED_UP'],
  }),
  'sandbox.startProcess': operation({
    ...common,
    id: 'sandbox.startProcess',
    method: 'POST',
    path: '/tasks/:taskId/sandbox/processes',
    summary: 'Start a command in the background; it ends with the sandbox at the latest',
    body: z.strictObject({
      command: z.string().min(1).max(100_000).meta({ description: 'Run by /bin/sh -c in /workspace' }),
      cwd: z.string().min(1).max(4096).optional(),
      env: variables.optional(),
    }),
    reply: { status: 201, schema: data(sandboxProcess) },
    errors: ['VALIDATION_ERROR', ...notThere, 'INVALID_PATH', 'SANDBOX_PAUSED', 'PROCESS_LIMIT_REACHED'],
  }),
  'sandbox.listProcesses': operation({
    ...common,
    id: 'sandbox.listProcesses',
    method: 'GET',
    path: '/tasks/:taskId/sandbox/processes',
    summary: 'Running background processes and those that ended last, oldest first',
    reply: {
      status: 200,
      schema: data(
        z.object({
          processes: z.array(
            z.object({
              ...processFields,
              outputTail: z.string().meta({ description: 'The last KiB of the output, as text' }),
            }),
          ),
        }),
      ),
    },
    errors: notThere,
  }),
  'sandbox.processOutput': operation({
    ...common,
    id: 'sandbox.processOutput',
    method: 'GET',
    path: '/tasks/:taskId/sandbox/processes/:processId/output',
    summary: 'Output of a background process, stdout and stderr in order of arrival',
    params: processId,
    query: z.strictObject({
      after: queryInt(0, Number.MAX_SAFE_INTEGER)
        .default(0)
        .meta({ description: 'Bytes that the caller already has: `next` of the previous reply' }),
    }),
    reply: {
      status: 200,
      schema: data(
        z.object({
          process: sandboxProcess,
          content: z.string(),
          encoding: z.enum(['utf8', 'base64']),
          from: z
            .int()
            .meta({ description: 'Position of the first byte of `content`. Output between `after` and here is lost' }),
          next: z.int(),
        }),
      ),
    },
    errors: ['VALIDATION_ERROR', ...notThere, 'PROCESS_NOT_FOUND'],
  }),
  'sandbox.killProcess': operation({
    ...common,
    id: 'sandbox.killProcess',
    method: 'POST',
    path: '/tasks/:taskId/sandbox/processes/:processId/kill',
    summary: 'End a background process and all it started; no error if it has already ended',
    params: processId,
    reply: { status: 200, schema: data(sandboxProcess) },
    errors: [...notThere, 'PROCESS_NOT_FOUND'],
  }),
  'sandbox.diff': operation({
    ...common,
    id: 'sandbox.diff',
    method: 'GET',
    path: '/tasks/:taskId/sandbox/diff',
    summary: 'Changes in the workspace since the inputs were written',
    reply: {
      status: 200,
      schema: data(
        z.object({
          files: z.array(change),
          truncated: z.boolean().meta({ description: 'More changes exist than are listed' }),
        }),
      ),
    },
    errors: [...notThere, 'PAYLOAD_TOO_LARGE'],
  }),
} as const;
