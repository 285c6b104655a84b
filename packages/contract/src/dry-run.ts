import { z } from 'zod';
import { operation } from './operation.ts';
import { taskInput } from './tasks.ts';

/** What is wrong with a check itself: every delivery would fail it, or pass it, whatever the work is. */
export const checkFaults = [
  'cannot_pass',
  'cannot_fail',
  'out_of_time',
  'not_run',
  'cannot_start',
  'no_tests',
  'syntax_error',
] as const;
export type CheckFault = (typeof checkFaults)[number];

/** What a command did that was run over some content, with the buyer's or a party's files. */
export const triedCheck = z
  .object({
    name: z.string(),
    command: z.string().meta({ description: 'Its first 200 characters, without secrets' }),
    passed: z.boolean(),
    exitCode: z.int().nullable().meta({ description: 'Null where the command did not come to its end' }),
    timedOut: z.boolean(),
    durationMs: z.int().min(0),
    output: z.string().meta({
      description: 'The end of what it printed, as assessments show it; or why it was not run to its end',
    }),
    fault: z
      .object({ code: z.enum(checkFaults), advice: z.string() })
      .nullable()
      .meta({ description: 'What is wrong with the check itself, and the cure; null where nothing is seen' }),
    tests: z
      .object({
        passed: z.int().min(0),
        failed: z.int().min(0),
        skipped: z.int().min(0),
        failing: z
          .array(z.string())
          .meta({ description: 'The first 20 that fail now, as `acceptance.tests` names them' }),
      })
      .nullable()
      .meta({ description: 'What its runner reports of each test; null where it reports none' }),
  })
  .meta({ id: 'TriedCheck' });

export const dryRunOperations = {
  'tasks.tryChecks': operation({
    id: 'tasks.tryChecks',
    method: 'POST',
    path: '/tasks/try-checks',
    auth: 'owner',
    area: 'dryRuns',
    tx: 'external',
    summary: 'Run the acceptance checks of an input over the input itself, before it is submitted',
    description:
      'Each check runs as in the quality gate, in a sandbox of its own over the untouched input with the held-out files, and they share a minute. A check of a repair should fail here, or any work passes it. `fault` says what is wrong with a check itself, and `tests` which tests fail now: those that the work should turn green belong into `acceptance.tests.mustPass`. Nothing is held, charged or kept; the CPU time counts as that of gates does. An owner has one dry run at a time, and it waits up to 15 seconds for its turn.',
    body: z.strictObject({ input: taskInput.meta({ description: 'The input as it would be submitted' }) }),
    reply: {
      status: 200,
      schema: z.object({
        checks: z.array(triedCheck).max(20),
        inputWarnings: z.array(z.string()).meta({
          description:
            'What cannot be had: submodules, contents of large files, packages. An input without checks is looked at for this alone',
        }),
      }),
    },
    errors: [
      'VALIDATION_ERROR',
      'PLAN_REQUIRED',
      'DRY_RUN_IN_PROGRESS',
      'PAYLOAD_TOO_LARGE',
      'REPOSITORY_UNAVAILABLE',
      'SANDBOX_UNAVAILABLE',
      'DRY_RUNS_BUSY',
    ],
  }),
} as const;
