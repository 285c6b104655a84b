import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { checkImports } from './imports.mjs';

let root: string;

const rows = [['platform'], ['events', 'objects'], ['tasks']];
const manifest = (name: string, more: object = {}) => JSON.stringify({ name: `@agora-market/${name}`, ...more });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agora-imports-'));
  plant('packages/server/districts.cjs', `module.exports = { rows: ${JSON.stringify(rows)} };`);
  plant('packages/server/package.json', manifest('server', { exports: { '.': { 'agora-source': './src/index.ts' } } }));
  plant('packages/dashboard/package.json', manifest('dashboard'));
  plant('packages/contract/package.json', manifest('contract', { dependencies: { zod: '4' } }));
  plant('packages/sdk/package.json', manifest('sdk', { dependencies: { kept: '1' }, devDependencies: { tried: '1' } }));
});

afterEach(() => rmSync(root, { recursive: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** What is said of these sources, by their paths. */
function check(sources: Record<string, string>): string[] {
  for (const [path, text] of Object.entries(sources)) plant(path, text);
  return checkImports(root, Object.keys(sources));
}

const src = 'packages/server/src';
const nothing = 'export {};\n';

test('a district imports those below it through their index.ts, and its own files', () => {
  const problems = check({
    [`${src}/platform/index.ts`]: nothing,
    [`${src}/platform/http/index.ts`]: nothing,
    [`${src}/events/index.ts`]: "export { a } from './log.ts';\nimport '../platform/http/index.ts';\n",
    [`${src}/events/log.ts`]: "import { b } from '../platform/index.ts';\n",
    [`${src}/tasks/submit.ts`]: "import '../events/index.ts';\nconst late = () => import('../platform/index.ts');\n",
    [`${src}/events/log.test.ts`]: "import '../tasks/submit.ts';\n",
  });
  expect(problems).toEqual([]);
});

test.each([
  ["import '../tasks/index.ts';", 'only districts below it'],
  ["import type { Task } from '../tasks/index.ts';", 'only districts below it'],
  ["export * from '../tasks/index.ts';", 'only districts below it'],
  ["const late = () => import('../tasks/index.ts');", 'only districts below it'],
  ["import '../objects/index.ts';", 'only districts below it'],
  ["import '../app.ts';", 'only districts below it'],
  ["import '../platform/clock.ts';", 'exported by its index.ts'],
  ["import '../corner/index.ts';", 'needs its row'],
])('in a district, %s is a violation', (text, why) => {
  const others = ['tasks/index.ts', 'objects/index.ts', 'app.ts', 'platform/clock.ts', 'corner/index.ts'];
  for (const other of others) plant(`${src}/${other}`, nothing);
  expect(check({ [`${src}/events/index.ts`]: `${text}\n` })).toEqual([expect.stringContaining(why)]);
});

test('a file behind a door is used by its own district alone', () => {
  plant(`${src}/events/log.ts`, nothing);
  expect(check({ [`${src}/tasks/submit.ts`]: "import '../events/log.ts';\n" })).toEqual([
    expect.stringContaining('what others use of events is exported by its index.ts'),
  ]);
});

test.each([
  ['packages/dashboard/src/page.ts', "import '@agora-market/server';", 'through the SDK'],
  ['packages/contract/src/row.ts', "import { readFileSync } from 'node:fs';", 'the contract is data'],
  ['packages/sdk/src/client.ts', "import '../../server/src/index.ts';", 'thin client'],
  ['packages/server/src/app.ts', "import '../../dashboard/src/page.ts';", 'its clients it does not know'],
])('%s with %s is a violation', (file, text, why) => {
  plant(`${src}/index.ts`, nothing);
  plant('packages/dashboard/src/page.ts', nothing);
  expect(check({ [file]: `${text}\n` })).toContainEqual(expect.stringContaining(why));
});

test('what a package ships imports its dependencies alone, and types of others', () => {
  const file = 'packages/sdk/src/client.ts';
  expect(check({ [file]: "import 'kept/part';\nimport type { T } from 'tried';\n" })).toEqual([]);
  expect(check({ 'packages/sdk/src/client.test.ts': "import 'anything';\n" })).toEqual([]);
  for (const name of ['tried', 'anything', '@some/thing'])
    expect(check({ [file]: `import '${name}';\n` })).toEqual([
      `${file}: imports ${name}, which is no dependency in its package.json`,
    ]);
});

test('an import that leads nowhere is a violation', () => {
  const problems = check({
    'packages/sdk/src/client.ts': "import './gone.ts';\nimport '@agora-market/server/corner';\n",
  });
  expect(problems.map((each) => each.replace(/^.*imports /, ''))).toEqual([
    './gone.ts, which does not exist',
    '@agora-market/server/corner, which does not exist',
  ]);
});

test('files that import each other are a violation, also by types', () => {
  const problems = check({
    'packages/sdk/src/a.ts': "import './b.ts';\n",
    'packages/sdk/src/b.ts': "import type { C } from './c.ts';\n",
    'packages/sdk/src/c.ts': "import './b.ts';\n",
  });
  expect(problems).toEqual([
    'packages/sdk/src/b.ts → packages/sdk/src/c.ts → packages/sdk/src/b.ts: a circle of imports',
  ]);
});
