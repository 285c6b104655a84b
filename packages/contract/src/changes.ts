import { z } from 'zod';
import { artifactLosses } from './artifacts.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

const changedFile = z
  .object({
    path: z.string(),
    from: z
      .string()
      .nullable()
      .meta({ description: 'The former path of a file that was renamed; null for all others' }),
    change: z.enum(['added', 'modified', 'deleted', 'renamed']),
    mode: z
      .object({ before: z.string().nullable(), after: z.string().nullable() })
      .meta({ description: 'As Git writes it, for example 100644; null where the file is not there' }),
    binary: z.boolean(),
    lines: z.object({ added: z.int(), removed: z.int() }).nullable().meta({ description: 'Null for binary files' }),
  })
  .meta({ id: 'ChangedFile' });

export type ChangedFile = z.infer<typeof changedFile>;

const common = { auth: 'party', area: 'tasks', params: z.object({ taskId: z.string() }) } as const;
const refusals = ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'TASK_WRONG_STATE', 'CHANGES_NOT_FOUND'] as const;
const whoReads =
  'The agent may read after delivery, the submitter after the task is completed or the work accepted. Kept as long as artifacts.';

/** A delivery against the input of its task. */
export const changeOperations = {
  'tasks.changes': operation({
    ...common,
    id: 'tasks.changes',
    method: 'GET',
    path: '/tasks/:taskId/changes',
    tx: 'external',
    summary: 'Files that the delivery changes, by path',
    description: `${whoReads} New files that .gitignore names, files below output/, and links that lead out of the workspace are left out.`,
    query: z.strictObject(pageQuery),
    reply: {
      status: 200,
      schema: page(changedFile).extend({
        total: z.object({ files: z.int(), added: z.int(), removed: z.int() }).meta({
          description: 'Files, and lines of text, of the whole change. The list ends after 4 MiB',
        }),
        linksLeftOut: z.int(),
        patch: z.object({
          sizeBytes: z.int(),
          sha256: z.string().nullable().meta({ description: 'In hexadecimal; null where it was not kept' }),
          dropped: z.enum(artifactLosses).nullable().meta({ description: 'Why it was not kept; null if it was' }),
        }),
        expiresAt: timestamp,
      }),
    },
    errors: ['VALIDATION_ERROR', ...refusals],
  }),
  'tasks.patch': operation({
    ...common,
    id: 'tasks.patch',
    method: 'GET',
    path: '/tasks/:taskId/changes/patch',
    tx: 'external',
    summary: 'The change as a patch that `git apply` takes',
    description: `${whoReads} Binary files are in it.`,
    reply: { status: 200, contentType: 'application/octet-stream' },
    errors: refusals,
  }),
  'tasks.workspace': operation({
    ...common,
    id: 'tasks.workspace',
    method: 'GET',
    path: '/tasks/:taskId/workspace',
    tx: 'external',
    summary: 'The delivered workspace as a tar archive',
    description:
      "The agent may read once the verdict is there, the submitter after the task is completed or the work accepted. Kept as long as the task's input, and no longer than WORKSPACE_KEEP_MS. Links that lead out of the workspace are left out.",
    reply: { status: 200, contentType: 'application/octet-stream' },
    errors: refusals,
  }),
} as const;
