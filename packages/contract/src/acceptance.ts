import { z } from 'zod';
import { formOf, mapOf } from './operation.ts';

const check = z.strictObject({
  name: z.string().trim().min(1).max(100),
  command: z.string().min(1).max(10_000),
  weight: z.number().positive().max(100).default(1),
});

const fileText = z.union([
  z.string(),
  z.strictObject({ content: z.string(), encoding: z.enum(['utf8', 'base64']).default('utf8') }),
]);

/** Path under /workspace → content. */
export const filesByPath = mapOf(
  z.string().min(1).max(1000),
  fileText,
  10_000,
  'an object of paths with their texts: { "src/sum.js": "export const …" }',
);

const maxProofChars = 262_144;

/** What a party of a dispute has the gate run, over the delivery and over the untouched input. */
export const proofRequest = z.strictObject({
  checks: z
    .array(check.omit({ weight: true }))
    .min(1)
    .max(5)
    .meta({ description: 'Commands; the proof holds where all of them exit with 0' }),
  files: filesByPath
    .optional()
    .refine((files = {}) => JSON.stringify(files).length <= maxProofChars, {
      message: `must have at most ${maxProofChars} characters together`,
    })
    .meta({ description: 'Files for the commands, written over both: path under /workspace → text' }),
});
export type ProofRequest = z.output<typeof proofRequest>;

/** An exact test, `file > title`, in which `*` stands for anything; or all tests of the files that a glob finds. */
const testPatterns = z.array(z.string().min(1).max(500)).min(1).max(100).optional();

/** What the buyer says of its tests, where it is not that all must pass which passed before. */
export const testWishes = z.strictObject({
  mayChange: testPatterns.meta({
    description: 'Files of tests that the work may change or remove (globs). They are not put back and prove nothing',
  }),
  mustPass: testPatterns.meta({
    description:
      'Tests that must pass after the work, whether they passed before or not. If any does not, the tests fail. Without it at least half of those that failed before must pass',
  }),
  mayFail: testPatterns.meta({ description: 'Tests that may fail, before and after' }),
});
export type TestWishes = z.output<typeof testWishes>;

/** What the agent may read of checks: only pass or fail, also names, or also their output. */
export const reveals = ['none', 'names', 'output'] as const;
export type Reveal = (typeof reveals)[number];

/**
 * The buyer's own measure: commands run over the delivered workspace, files held out from the agent for them, a JSON
 * Schema for output.result, a rubric. The agent never sees the commands and the files.
 */
export const acceptance = z.strictObject(
  {
    checks: z.array(check, formOf('a list: [{ "name": "tests", "command": "npm test" }]')).max(20).optional(),
    schema: z.record(z.string(), z.unknown()).optional().meta({
      description: 'JSON Schema for output.result. A schema that no output can be checked against is refused',
    }),
    rubric: z.string().max(10_000).optional(),
    files: filesByPath.optional().meta({
      description:
        'Held-out files, for example tests: path under /workspace → text, or { content, encoding: base64 }. Only the quality gate writes them into the delivered workspace. The agent never sees them',
    }),
    tests: testWishes.optional().meta({
      description:
        'Which tests may change, must pass or may fail. A pattern is `file > title`, in which * stands for anything, or a glob of files',
    }),
    reveal: z.enum(reveals).optional().meta({
      description:
        'What the agent may read of checks: none (pass or fail only), names, or output (names and what they printed). Default: names if files are held out, else output',
    }),
  },
  formOf('an object: { "checks": [{ "name": "tests", "command": "npm test" }] }'),
);
export type Acceptance = z.output<typeof acceptance>;
