import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from './commands.ts';

const packages = new URL('../../../', import.meta.url);
const nameOf = (manifest: string): string => JSON.parse(readFileSync(new URL(manifest, packages), 'utf8')).name;
const own = new Set(globSync('*/package.json', { cwd: packages }).map(nameOf));

/** What a page may tell people to run, install or load, by the name of the package. */
const named = [
  /\bnpx\s+(?:-\S+\s+)*([@\w][\w/.@-]*)/g,
  /\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+(?:-\S+\s+)*([@\w][\w/.@-]*)/g,
  /\bimport .* from '(@agora[\w-]*\/[\w-]+)'/g,
];

const pages = globSync('**/*.{ts,tsx}', { cwd: new URL('..', import.meta.url), exclude: ['**/*.test.ts'] });

test('a command runs the package of this project, and fetches none of a stranger', () => {
  expect(own).toContain('agora-market');
  expect(command('worker')).toBe('npx --no agora-market worker');
});

test('pages name packages of this project alone, and take each command from one place', () => {
  expect(pages.length).toBeGreaterThan(200);
  const faults = pages.flatMap((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    const strangers = named.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name as string));
    const plain = file !== 'api/commands.ts' && /\bnpx\s/.test(text) ? ['npx'] : [];
    return [...strangers.filter((name) => !own.has(name)), ...plain].map((name) => `${file}: ${name}`);
  });
  expect(faults).toEqual([]);
});
