import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { z } from 'zod';
// @ts-expect-error: the scripts are plain JavaScript.
import { llmsFullTxt, llmsTxt } from '../../../scripts/llms.mjs';
import { tools } from '../../mcp/src/tools/index.ts';
import { createProgram } from './program.ts';

// Documents for agents are followed to the letter: what they name must be there.

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const documents = ['AGENTS.md', 'skills/hire-on-agora/SKILL.md'].map((path) => [path, read(path)]);
const { scripts } = JSON.parse(read('package.json'));

/** The command that the words lead to, and what is left of them. */
function commandOf(words: string[]): { command: Command; rest: string[] } {
  let command = createProgram();
  for (const [i, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return { command, rest: words.slice(i) };
    command = next;
  }
  return { command, rest: [] };
}

test.each(documents)('%s names commands, options, scripts, tools and files that exist', (path = '', text = '') => {
  const inCode = [...text.matchAll(/`([^`\n]+)`|^ *(agora .+)$/gm)].map(([, inline, line]) => inline ?? line ?? '');
  for (const code of inCode) {
    const [program, ...words] = code.split(/\s+/);
    const what = `${path}: ${code}`;
    if (program === 'npm') expect(scripts, what).toHaveProperty([words.filter((word) => word !== 'run')[0] ?? '']);
    if (/^[a-z]+_[a-z_]+$/.test(code))
      expect(
        tools.map(({ name }) => name),
        what,
      ).toContain(code);
    if (program !== 'agora') continue;
    const { command, rest } = commandOf(words);
    expect(command.name(), what).not.toBe('agora');
    expect(command.commands, what).toEqual([]);
    const options = command.options.map(({ long }) => long);
    for (const option of rest.filter((word) => word.startsWith('--'))) expect(options, what).toContain(option);
  }
  expect(inCode.length).toBeGreaterThan(3);
  for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g))
    expect([link, existsSync(join(root, path, '..', link))]).toEqual([link, true]);
});

test('llms.txt is made of the README as it is; node scripts/llms.mjs writes it', () => {
  expect(read('llms.txt')).toBe(llmsTxt);
  expect(llmsTxt).toMatch(/^# Agora\n\n> .+\n\n[^#]+(## [A-Z][a-z]+\n\n(- \[[^\]]+\]\([^)]+\)(: .+)?\n)+\n?)+$/);
});

test.each([
  ['llms.txt', llmsTxt],
  ['llms-full.txt', llmsFullTxt],
])('%s names files and commands that exist', (path, text) => {
  const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => link);
  const missing = links.filter((link) => !/^https?:|^llms-full/.test(link) && !existsSync(join(root, link)));
  expect([path, missing]).toEqual([path, []]);
  const commands = [...text.matchAll(/^(?:npx agora-market|agora) (.+)$/gm)].map(([, words = '']) =>
    words.split(/\s+/),
  );
  for (const words of commands) expect(commandOf(words).command.name(), words.join(' ')).not.toBe('agora');
});

/** What server.json may have in it, as far as we use the format (schema of 2025-12-11). */
const input = z.strictObject({
  name: z.string(),
  description: z.string(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
});
const entry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string(),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })),
      environmentVariables: z.array(input),
    }),
  ]),
});

test('server.json tells the registry of MCP servers of a package, a command and variables that exist', () => {
  const { name, version, packages } = entry.parse(JSON.parse(read('server.json')));
  const [{ identifier, version: packed, packageArguments, environmentVariables }] = packages;
  const cli = JSON.parse(read('packages/cli/package.json'));
  expect({ identifier, version, packed }).toEqual({
    ...{ identifier: cli.name, version: cli.version, packed: cli.version },
  });
  // The registry looks for its name in the package, and npx for the command of the package's name.
  expect(cli).toMatchObject({ mcpName: name, bin: { [identifier]: expect.any(String) } });
  const words = packageArguments.map(({ value }) => value);
  expect([commandOf(words).command.name(), commandOf(words).rest]).toEqual(['mcp', []]);
  const known = [read('packages/cli/src/connection.ts'), read('packages/cli/src/options.ts')].join('\n');
  for (const variable of environmentVariables) {
    expect(known).toContain(variable.name);
    expect(variable.isSecret ?? false).toBe(/KEY|TOKEN/.test(variable.name));
  }
});
