import { z } from 'zod';
import { id } from './ids.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

/** Why a file of /workspace/output has no content here. */
export const artifactLosses = ['too_many', 'too_large', 'total_too_large', 'lost'] as const;
export type ArtifactLoss = (typeof artifactLosses)[number];

const artifact = z
  .object({
    id: id('artifact'),
    path: z.string().meta({ description: 'Relative to /workspace/output' }),
    sizeBytes: z.int(),
    sha256: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of the content in hexadecimal; null if the content was not kept' }),
    contentType: z.string().meta({ description: 'Derived from the file name' }),
    dropped: z.enum(artifactLosses).nullable().meta({ description: 'Why the content was not kept; null if it was' }),
    expiresAt: timestamp,
  })
  .meta({ id: 'Artifact' });

const common = { auth: 'party', area: 'tasks' } as const;
const refusals = ['TASK_NOT_FOUND', 'NOT_A_PARTY', 'TASK_WRONG_STATE'] as const;

/** Files that an agent left under /workspace/output at delivery. */
export const artifactOperations = {
  'artifacts.list': operation({
    ...common,
    id: 'artifacts.list',
    method: 'GET',
    path: '/tasks/:taskId/artifacts',
    tx: 'read',
    summary: 'Files left under /workspace/output at delivery, by path',
    description: 'The agent may read after delivery, the submitter after the task is completed.',
    params: z.object({ taskId: z.string() }),
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(artifact) },
    errors: ['VALIDATION_ERROR', ...refusals],
  }),
  'artifacts.download': operation({
    ...common,
    id: 'artifacts.download',
    method: 'GET',
    path: '/tasks/:taskId/artifacts/:artifactId/content',
    tx: 'external',
    summary: 'Content of one artifact',
    params: z.object({ taskId: z.string(), artifactId: z.string() }),
    reply: { status: 200, contentType: 'application/octet-stream' },
    errors: [...refusals, 'ARTIFACT_NOT_FOUND'],
  }),
} as const;
