import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { tools } from '../../mcp/src/tools/index.ts';
import { createProgram } from './program.ts';

// Documents for agents are followed to the letter: what they name must be there.

const root = fileURLToPath(new URL('../../..', import.meta.url));
const documents = ['AGENTS.md', 'skills/hire-on-agora/SKILL.md'].map((path) => [
  path,
  readFileSync(join(root, path), 'utf8'),
]);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

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
