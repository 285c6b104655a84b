import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const demo = fileURLToPath(new URL('../dist/demo.js', import.meta.url));

it('the demo runs to its end, fits a terminal of 80 columns, and says nothing by halves', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [demo], { env: { ...process.env, NO_COLOR: '1' } });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  // Output that is announced follows.
  expect(lines.filter((line, at) => /:$/.test(line) && !/\S/.test(lines[at + 1] ?? ''))).toEqual([]);
  expect(stdout).not.toContain('{"');
  expect(stdout.match(/merged: \S+ on main is as it was before the slip/g)).toHaveLength(3);
  expect(stdout).toContain('The ledger is clean.');
  expect(lines.slice(-6).join('\n')).toMatch(/\nnpm start .*http:\/\/127\.0\.0\.1:4000/);
});
