import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { checkStructure } from './structure.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agora-structure-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

test('a tidy checkout has no violations', () => {
  plant(
    'packages/server/src/vault/ledger/transfer.ts',
    'export function transfer(now: Date) { return new Date(now); }\n',
  );
  plant('packages/server/migrations/0001_first.sql', 'select 1;\n');
  plant('packages/server/migrations/0002_second.sql', 'select 1;\n');
  plant('packages/sdk/node_modules/other/helpers.js', 'module.exports = {};\n');
  expect(checkStructure(root)).toEqual([]);
});

test.each(['date-utils.ts', 'helpers.ts', 'task-manager.ts', 'userService.ts', 'agent-repository.test.ts'])(
  'the file name %s is a violation',
  (name) => {
    plant(`packages/sdk/src/${name}`, 'export {};\n');
    expect(checkStructure(root)).toEqual([expect.stringContaining('says too little')]);
  },
);

test.each([
  'export class TaskManager {}',
  'export const dateUtils = {};',
  'export function retryHelper() {}',
  'export interface AgentRepository {}',
  "export { send as MailService } from './mail.ts';",
])('%s is a violation', (text) => {
  plant('packages/sdk/src/mail.ts', 'export const send = 1;\n');
  plant('packages/sdk/src/names.ts', `${text}\n`);
  expect(checkStructure(root)).toEqual([expect.stringContaining('exported name')]);
});

test('words that only contain a forbidden one are allowed', () => {
  plant(
    'packages/sdk/src/utility-rates.ts',
    'export const serviceLevel = 1; const localHelper = 2; void localHelper;\n',
  );
  expect(checkStructure(root)).toEqual([]);
});

test.each(['Date.now()', 'new Date()', 'Date()', 'process.env.PORT', 'const { env } = process.env'])(
  '%s outside the platform is a violation',
  (expression) => {
    const text = `// Date.now() in a comment is none\nexport function f() { ${expression}; }\n`;
    plant('packages/server/src/tasks/late.ts', text);
    for (const place of [
      'packages/server/src/platform/clock.ts',
      'bench/src/lifecycle.ts',
      'packages/sdk/src/a.test.ts',
    ]) {
      plant(place, text);
    }
    expect(checkStructure(root)).toEqual([expect.stringMatching(/^packages\/server\/src\/tasks\/late\.ts:2: /)]);
  },
);

test('the SDK may read the time, but not the environment', () => {
  plant('packages/sdk/src/retry.ts', 'export const retry = () => [Date.now(), process.env];\n');
  expect(checkStructure(root)).toEqual([expect.stringContaining('process.env is read only in')]);
});

test('a gap and a twin in the numbers of migrations are violations', () => {
  plant('packages/server/migrations/0001_first.sql', 'select 1;\n');
  plant('packages/server/migrations/0003_third.sql', 'select 1;\n');
  expect(checkStructure(root)).toEqual([expect.stringContaining('0003_third.sql: expected 0002_')]);
  plant('packages/server/migrations/0001_twin.sql', 'select 1;\n');
  expect(checkStructure(root)[0]).toContain('0001_twin.sql: expected 0002_');
});

test('documents that the contract generates must be current', () => {
  plant('packages/contract/dist/openapi-cli.js', "console.log('{}');\n");
  plant('packages/contract/dist/changelog-cli.js', "console.log('# Changes');\n");
  plant('docs/openapi.json', '{"old":true}\n');
  expect(checkStructure(root)).toEqual([
    expect.stringContaining('docs/openapi.json is not what'),
    expect.stringContaining('docs/api-changelog.md is not what'),
  ]);
  plant('docs/openapi.json', '{}\n');
  plant('docs/api-changelog.md', '# Changes\n');
  expect(checkStructure(root)).toEqual([]);
});

const decision = (number: number) => `# ${number}. A plain title\n\nStatus: accepted · 2026-11-21\n\nWhy.\n`;

test('decisions in order, each with its status, have no violation', () => {
  plant('docs/decisions/0001-first.md', decision(1));
  plant('docs/decisions/0002-second.md', decision(2).replace('accepted', 'superseded by 3'));
  plant('docs/decisions/0003-third.md', decision(3));
  expect(checkStructure(root)).toEqual([]);
});

test.each([
  ['a gap in the numbers', '0003-third.md', decision(3), 'expected 0002-<name>.md'],
  ['two of one number', '0001-other.md', decision(1), 'expected 0002-<name>.md'],
  ['the title of another number', '0002-second.md', decision(3), 'the title begins with "# 2. "'],
  ['no status', '0002-second.md', '# 2. A plain title\n\nWhy.\n', 'needs a line "Status: '],
  ['a status without a date', '0002-second.md', '# 2. A title\n\nStatus: accepted\n', 'needs a line "Status: '],
])('decisions with %s are a violation', (_, name, text, problem) => {
  plant('docs/decisions/0001-first.md', decision(1));
  plant(`docs/decisions/${name}`, text);
  expect(checkStructure(root)).toEqual([expect.stringContaining(problem)]);
});

test('a file that a document names must exist, counted from the root or from the server', () => {
  plant('packages/server/src/tasks/submit.ts', 'export {};\n');
  plant(
    'docs/architecture.md',
    'See `tasks/submit.ts`, `packages/server/`, `tasks/`, `npm run x/y` and `tasks/gone.ts`.\n',
  );
  expect(checkStructure(root)).toEqual(['docs/architecture.md: names tasks/gone.ts, which does not exist']);
});
