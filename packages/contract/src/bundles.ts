import { z } from 'zod';
import { bundles } from './limits.ts';
import { operation, timestamp } from './operation.ts';

export const bundleOperations = {
  'tasks.sendBundle': operation({
    id: 'tasks.sendBundle',
    method: 'POST',
    path: '/bundles',
    auth: 'owner',
    area: 'dryRuns',
    tx: 'external',
    summary: 'Send a repository as a bundle of Git, for tasks of a clone that nobody else can reach',
    description:
      'The body is what `git bundle create` writes of HEAD, up to 16 MiB. Its tree is laid out as that of a repository that is cloned, and kept for a day, and for three days after each task that is submitted with it. Sending the same commit again gives the same `url`. All trees of an owner have 512 MiB.',
    maxBytes: bundles.maxBytes,
    reply: {
      status: 201,
      schema: z.object({
        url: z.string().meta({
          description: '`input.repo.url` of tasks, quotes and dry runs',
          examples: [`bundle:${'0'.repeat(40)}`],
        }),
        commit: z.string(),
        keptUntil: timestamp,
        inputWarnings: z
          .array(z.string())
          .meta({ description: 'What could not be had: submodules, and contents of large files' }),
      }),
    },
    errors: ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'STORAGE_QUOTA_REACHED', 'SANDBOX_UNAVAILABLE'],
  }),
} as const;
