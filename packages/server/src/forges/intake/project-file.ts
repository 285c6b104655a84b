import { type Environment, environment, id, type TestWishes, testWishes, toUuid } from '@agora-market/contract';
import { parse } from 'yaml';
import { z } from 'zod';

/** What a repository says in its `.agora.yml` of tasks that its issues become. */
export interface ProjectFile {
  checks: { name: string; command: string; weight: number }[];
  /** What counts of the repository's own tests, where it is not all of them. */
  tests: TestWishes | null;
  /** What the sandboxes are to have. */
  environment: Environment | null;
  /** In cents; null where the file has none. */
  budget: number | null;
  /** In the order in which they are asked; null for any. */
  agents: string[] | null;
  /** Where files are that only the gate sees; null where there are none. */
  heldOut: { repository: string; ref: string | null; path: string } | null;
}

/** Files that only the gate sees, by their path in the workspace. */
export type HeldOutFiles = Record<string, { content: string; encoding: 'base64' }>;

/** What the file says of the task itself, as `input` of a submission has it. */
export const inputOf = ({ checks, tests, environment }: ProjectFile, files: HeldOutFiles | null) => {
  const acceptance = { ...(checks.length > 0 && { checks }), ...(tests && { tests }), ...(files && { files }) };
  return { ...(environment && { environment }), ...(Object.keys(acceptance).length > 0 && { acceptance }) };
};

/** A larger file is refused: the library compares each key of a mapping with all others. */
const mostFileBytes = 4 * 1024;

const schema = z.strictObject({
  checks: z
    .array(
      z.strictObject({
        name: z.string().trim().min(1).max(100),
        command: z.string().min(1).max(2_000),
        weight: z.number().positive().max(100).default(1),
      }),
    )
    .max(20)
    .default([]),
  tests: testWishes.optional(),
  environment: environment.optional(),
  budget: z.int().min(1).max(1_000_000_000).optional(),
  agents: z.array(id('agent')).min(1).max(20).optional(),
  heldOut: z
    .strictObject({
      repository: z
        .string()
        .max(300)
        .regex(/^[\w.-]{1,100}(?:\/[\w.-]{1,100})+$/, 'must be <account>/<name>'),
      ref: z.string().min(1).max(300).optional(),
      path: z
        .string()
        .max(300)
        .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'must be a directory, as tests/held-out')
        .refine(
          (path) => !path.split('/').some((part) => /^\.+$/.test(part)),
          'must be a directory, as tests/held-out',
        ),
    })
    .optional(),
});

/** The file's content; a text where it cannot be used, which says what to change. */
export function projectFileOf(text: string): ProjectFile | string {
  if (Buffer.byteLength(text) > mostFileBytes) return `is larger than ${mostFileBytes / 1024} KiB`;
  if (nestsDeeply(text)) return 'nests too deeply';
  let found: unknown;
  try {
    found = parse(text, { maxAliasCount: 0, logLevel: 'error' }) ?? {};
  } catch (error) {
    // The library shows the line; a code block cannot be ended by one line's end.
    const [message = ''] = (error as Error).message.split('\n', 1);
    return `is no YAML: ${message.slice(0, 200)}`;
  }
  const read = schema.safeParse(found);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join('.').slice(0, 100) ?? '';
    return `${place === '' ? 'takes checks, tests, environment, budget, agents and heldOut' : `has a fault at ${place}`}: ${issue?.message.slice(0, 200)}`;
  }
  const { checks, tests = null, environment: wanted = null, budget = null, agents, heldOut } = read.data;
  return {
    ...{ checks, tests, environment: wanted, budget },
    agents: agents?.map((agent) => toUuid('agent', agent) as string) ?? null,
    heldOut: heldOut ? { ...heldOut, ref: heldOut.ref ?? null } : null,
  };
}

const mostDepth = 32;

/** The library calls itself for each level, and takes 70 ms to run out of stack. */
function nestsDeeply(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    if (depth > mostDepth) return true;
  }
  return /(?:[-?] ){32}/.test(text);
}
