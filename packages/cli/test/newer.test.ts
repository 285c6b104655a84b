import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A checkout that asks for a Node newer than any, beside which a program that prints its arguments plays that Node. */
let root: string;
const newer = fileURLToPath(new URL('../bin/newer.mjs', import.meta.url));

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agora-newer-'));
  const bin = join(root, `scripts/node/node_modules/node-linux-${process.arch}/bin`);
  for (const directory of [bin, join(root, 'packages/cli/bin')]) mkdirSync(directory, { recursive: true });
  asksFor('>=99.5');
  writeFileSync(join(root, 'packages/cli/bin/newer.mjs'), readFileSync(newer));
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho "$@"; command -v node; [ "$3" = die ] && kill -TERM $$; exit 7');
  chmodSync(join(bin, 'node'), 0o755);
});

afterEach(() => rmSync(root, { recursive: true }));

const asksFor = (node: string) =>
  writeFileSync(join(root, 'packages/cli/package.json'), JSON.stringify({ engines: { node } }));

function start(...args: string[]) {
  const command = join(root, 'command.mjs');
  const source = `import { continueOnNewer, isNewEnough } from './packages/cli/bin/newer.mjs';
    if (!isNewEnough() && !(await continueOnNewer())) console.log('there is none');
    console.log('the command itself');`;
  writeFileSync(command, source);
  return spawnSync(process.execPath, ['--no-warnings', command, ...args], { encoding: 'utf8' });
}

test('under a Node that is too old the command goes on with the newer one, and ends as that ends', () => {
  const { stdout, status } = start('serve', '--port');
  const program = join(root, `scripts/node/node_modules/node-linux-${process.arch}/bin/node`);
  expect(stdout).toBe(`--no-warnings ${join(root, 'command.mjs')} serve --port\n${program}\n`);
  expect(status).toBe(7);
});

test('a signal that ends the newer one ends the command', () => {
  expect(start('die')).toMatchObject({ status: null, signal: 'SIGTERM' });
});

test('a Node that is new enough runs the command itself', () => {
  asksFor('>=20.1');
  expect(start().stdout).toBe('the command itself\n');
});

test('where no newer one is installed the command hears so', () => {
  rmSync(join(root, 'scripts/node/node_modules'), { recursive: true });
  expect(start().stdout).toMatch(/^there is none\n/);
});
