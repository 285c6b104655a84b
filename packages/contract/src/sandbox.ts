import { z } from 'zod';
import { id } from './ids.ts';
import { commandRecords } from './limits.ts';
import { data, operation, pageQuery, pagination, queryInt, timestamp } from './operation.ts';
import { notStarted, notThere, sandboxWorkOperations, variables } from './sandbox-work.ts';

const taskId = z.object({ taskId: z.string() });
const path = z.string().min(1).max(4096);
/** Ceiling of the setting SANDBOX_MAX_EXEC_MS; a sandbox's own is in its `limits`. */
export const longestExecMs = 86_400_000;

const sandbox = z
  .object({
    sandboxId: z.string(),
    taskId: id('task'),
    status: z.enum(['provisioning', 'ready', 'paused', 'draining', 'kept', 'lost', 'destroyed', 'failed']).meta({
      description:
        'kept: the sandbox ended; the next use restores its workspace in a new one. lost: the sandbox ended by itself, and with it what was done since `snapshotAt`',
    }),
    pause: z
      .object({ reason: z.enum(['cpu', 'disk']), since: timestamp, resumesLeft: z.int() })
      .nullable()
      .meta({ description: 'Why the sandbox is paused; null unless `paused`' }),
    workspace: z.literal('/workspace'),
    outputPath: z.literal('/workspace/output'),
    expiresAt: timestamp.nullable(),
    limits: z
      .object({
        cpus: z.number(),
        memoryBytes: z.int(),
        processes: z.int(),
        diskBytes: z.int(),
        maxExecMs: z.int(),
        maxOutputBytes: z.int(),
      })
      .nullable(),
    enforcement: z.object({ limits: z.enum(['enforced', 'degraded']), notes: z.array(z.string()) }).nullable(),
    packages: z
      .object({
        installed: z.array(z.string()).meta({ description: 'Directories of the workspace, such as `node_modules`' }),
        lacking: z.array(z.string()).meta({ description: 'Why others that the input names are not there' }),
      })
      .nullable()
      .meta({ description: "Packages that the input's lockfiles name; null until the task is executing" }),
    snapshotAt: timestamp.nullable().meta({
      description:
        'As of when the work is stored in case the sandbox ends by itself; where it is `lost`, provisioning it again goes on with that. Null where nothing is stored',
    }),
  })
  .meta({ id: 'Sandbox' });

const entry = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'directory', 'symlink']),
    sizeBytes: z.int(),
    modifiedAt: timestamp,
  })
  .meta({ id: 'SandboxEntry' });

const execFields = {
  command: z.string().min(1).max(100_000).meta({ description: 'Run by /bin/sh -c in /workspace' }),
  cwd: path.optional(),
  label: z
    .string()
    .trim()
    .min(1)
    .max(commandRecords.labelChars)
    .regex(/^\P{Cc}*$/u, 'must be one line')
    .optional()
    .meta({
      description:
        'What both parties read of the command in the run of the task. Default: the name of its program, without arguments',
    }),
};

const execResult = z
  .object({
    exitCode: z.int().meta({ description: '128 + signal if a signal ended the command' }),
    stdout: z.string(),
    stderr: z.string(),
    durationMs: z.number(),
    timedOut: z.boolean(),
    truncated: z.boolean(),
  })
  .meta({ id: 'ExecResult' });

const common = { auth: 'agent', area: 'tasks', tx: 'external', params: taskId } as const;

export const sandboxOperations = {
  ...sandboxWorkOperations,
  'sandbox.provision': operation({
    ...common,
    id: 'sandbox.provision',
    method: 'POST',
    path: '/tasks/:taskId/sandbox/provision',
    summary: "Start the task's sandbox with the buyer's inputs under /workspace; safe to repeat",
    description:
      "If the work was lost, this goes on with the last snapshot, or starts again from the buyer's inputs where there is none. It clones the buyer's repository if there is one. The inputs become readable when the task is marked executing with the returned sandboxId: read-only at /input, and as a working copy at /workspace.",
    reply: { status: 200, schema: data(sandbox) },
    errors: notStarted,
  }),
  'sandbox.get': operation({
    ...common,
    id: 'sandbox.get',
    method: 'GET',
    path: '/tasks/:taskId/sandbox',
    summary: 'State and limits of the sandbox',
    reply: { status: 200, schema: data(sandbox) },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'SANDBOX_NOT_FOUND'],
  }),
  'sandbox.destroy': operation({
    ...common,
    id: 'sandbox.destroy',
    method: 'POST',
    path: '/tasks/:taskId/sandbox/destroy',
    summary: 'End the sandbox and delete its workspace',
    body: z.strictObject({ sandboxId: z.string().max(200).optional() }),
    bodyOptional: true,
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR', 'TASK_NOT_FOUND', 'NOT_A_PARTY', 'SANDBOX_NOT_FOUND', 'SANDBOX_MISMATCH'],
  }),
  'sandbox.list': operation({
    ...common,
    id: 'sandbox.list',
    method: 'GET',
    path: '/tasks/:taskId/sandbox/files',
    summary: "List a directory below /workspace, /tmp or, with the buyer's inputs, /input",
    description:
      'Sorted by name. Only 10,000 entries of a larger directory are read, and `truncated` says so. Use exec to see all.',
    query: z.strictObject({ ...pageQuery, path: path.default('/workspace'), pageSize: queryInt(1, 100).default(100) }),
    reply: { status: 200, schema: data(z.object({ entries: z.array(entry), truncated: z.boolean(), pagination })) },
    errors: ['VALIDATION_ERROR', ...notThere, 'FILE_NOT_FOUND', 'INVALID_PATH'],
  }),
  'sandbox.read': operation({
    ...common,
    id: 'sandbox.read',
    method: 'GET',
    path: '/tasks/:taskId/sandbox/files/read',
    summary: 'Read a file below /workspace, /tmp or /input',
    query: z.strictObject({ path }),
    reply: {
      status: 200,
      schema: data(
        z.object({
          path: z.string(),
          content: z.string(),
          encoding: z.enum(['utf8', 'base64']),
          sizeBytes: z.int(),
          truncated: z.boolean(),
        }),
      ),
    },
    errors: ['VALIDATION_ERROR', ...notThere, 'FILE_NOT_FOUND', 'INVALID_PATH'],
  }),
  'sandbox.write': operation({
    ...common,
    id: 'sandbox.write',
    method: 'PUT',
    path: '/tasks/:taskId/sandbox/files/write',
    summary: 'Write a file and create its directories',
    body: z.strictObject({
      path,
      content: z.string(),
      encoding: z.enum(['utf8', 'base64']).default('utf8'),
      executable: z.boolean().default(false),
    }),
    reply: { status: 200, schema: data(z.object({ path: z.string(), sizeBytes: z.int() })) },
    errors: ['VALIDATION_ERROR', ...notThere, 'INVALID_PATH', 'PAYLOAD_TOO_LARGE'],
  }),
  'sandbox.exec': operation({
    ...common,
    id: 'sandbox.exec',
    method: 'POST',
    alsoMethods: ['GET', 'PUT', 'PATCH', 'DELETE'],
    path: '/tasks/:taskId/sandbox/exec',
    summary: 'Run a command; with GET and DELETE its fields are query parameters',
    description:
      'A command with an Idempotency-Key runs on for 30 s after its connection breaks, so that the repeated call gets its result; one without is ended. With `Accept: text/event-stream` the output comes as it is written: events `stdout` and `stderr` with { text } or, where it is no UTF-8, { base64 }, and at the end `exit` with { exitCode, durationMs, timedOut, truncated }, or `error` with { code, message }. The command waits for a slow reader and is ended when its reader goes; a reader that takes nothing for a minute is taken for gone. No Idempotency-Key is kept for a stream.',
    query: z.strictObject({
      ...execFields,
      command: execFields.command.optional(),
      timeoutMs: queryInt(1, longestExecMs).optional(),
    }),
    body: z.strictObject({
      ...execFields,
      env: variables.optional(),
      stdin: z
        .string()
        .max(512 * 1024)
        .optional(),
      timeoutMs: z.int().min(1).max(longestExecMs).optional().meta({
        description:
          'Milliseconds, 60000 by default and at most `limits.maxExecMs` of the sandbox, which is 300000 unless the operator sets another. Many HTTP clients wait five minutes for a reply: stream what takes longer',
      }),
    }),
    bodyOptional: true,
    reply: { status: 200, schema: data(execResult), alsoEvents: true },
    errors: ['VALIDATION_ERROR', ...notThere, 'INVALID_PATH', 'SANDBOX_PAUSED', 'PROCESS_LIMIT_REACHED'],
  }),
} as const;
