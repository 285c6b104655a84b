import { z } from 'zod';
import { operation } from './operation.ts';

const bound = (least: number, what: string) => z.number().min(least).max(1e9).optional().meta({ description: what });

/** `go`, or `python@3.12` for the newest 3.12. */
const toolName = /^[a-z][a-z0-9+.-]{0,39}(?:@[0-9][0-9a-z.+~-]{0,19})?$/;

/** What a task's sandboxes have: those of its agent and of the gate. Without it, those that every task gets. */
export const environment = z
  .strictObject({
    tools: z
      .array(z.string().regex(toolName, 'must be a name such as go, or a name and a version such as python@3.12'))
      .max(8)
      .optional()
      .meta({
        description:
          'Programs that commands find first, such as `go` or `python@3.12`; `GET /environments` lists them. Where it is left out, the files decide: go.mod adds Go where the server has it',
      }),
    image: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .meta({ description: 'Container image, one of those that `GET /environments` lists. Not with `tools`' }),
    memoryMb: z.int().min(64).max(1e9).optional().meta({ description: 'Memory in MiB' }),
    cpus: bound(0.1, 'CPU cores'),
    diskMb: z.int().min(64).max(1e9).optional().meta({ description: 'Size of /workspace in MiB' }),
    setup: z.string().trim().min(1).max(10_000).optional().meta({
      description:
        'Command run once in /workspace, without network, after the packages are installed. Files that it makes are there in each sandbox and are no part of a delivery',
    }),
    timeouts: z
      .strictObject({
        commandMs: z.int().min(1_000).max(86_400_000).optional().meta({
          description:
            "Milliseconds for a command of the agent that names none, and for a check or the tests of the gate where that is longer than theirs. Default: the server's",
        }),
        setupMs: z
          .int()
          .min(1_000)
          .max(86_400_000)
          .optional()
          .meta({ description: 'Milliseconds for `setup`. Default: as long as an installation may take' }),
      })
      .optional(),
  })
  .meta({ id: 'Environment' });
export type Environment = z.output<typeof environment>;

const size = z.object({
  memoryMb: z.int().meta({ description: 'Memory in MiB' }),
  cpus: z.number(),
  diskMb: z.int().meta({ description: 'Size of /workspace in MiB' }),
  commandMs: z.int().meta({ description: 'Milliseconds for a command' }),
});

export const environmentOperations = {
  'system.environments': operation({
    id: 'system.environments',
    method: 'GET',
    path: '/environments',
    auth: 'public',
    area: 'general',
    tx: 'external',
    summary: 'What sandboxes have, and what `input.environment` may ask for',
    reply: {
      status: 200,
      schema: z.object({
        driver: z.enum(['bwrap', 'docker', 'kubernetes']).meta({ description: 'What runs sandboxes' }),
        tools: z.array(
          z.object({
            name: z.string().meta({ description: 'As `environment.tools` takes it' }),
            version: z.string(),
            isOrdinary: z.boolean().meta({ description: 'Every sandbox has it, also without being asked' }),
          }),
        ),
        images: z.array(z.string()).meta({ description: 'Container images that a task may name' }),
        ordinary: size.meta({ description: 'What a sandbox has where the task asks for nothing' }),
        most: z
          .object({ free: size, pro: size, enterprise: size })
          .meta({ description: 'What a task may ask for, by plan' }),
      }),
    },
    errors: ['SANDBOX_UNAVAILABLE'],
  }),
} as const;
