import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bun, deno, node20 } from './runtimes.ts';

test.each([
  ['Node 20', node20, /^v20\./],
  ['Bun', bun, /^1\./],
  ['Deno', deno, /^deno 2\./],
])('%s runs', (_, path, version) => {
  expect(execFileSync(path(), ['--version'], { encoding: 'utf8' })).toMatch(version);
});
