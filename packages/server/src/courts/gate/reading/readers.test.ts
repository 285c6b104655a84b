import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { laid } from '../host-sandbox.fixture.ts';
import { openAttempts } from './attempts.ts';
import { openReader, readerCaps } from './readers.ts';

const matter = { taskId: 'task', originalFiles: laid({ 'a.js': 'a', 'a.test.js': "require('node:test')" }) };
const run = (output: string) => ({ command: 'npm test', output, before: null });

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agora-readings-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test("a reading knows the buyer's files, and the thread is used again", async () => {
  for (let round = 0; round < 3; round += 1) {
    const reader = openReader(matter);
    expect(await reader.read('shortfall', run('ok 1 - /w/a.test.js\n'))).toMatch(/^a\.test\.js ended before/);
    reader.close();
  }
});

test('a reading that takes too much memory, or more time than there is, ends alone; the next one is answered', async () => {
  const reader = openReader(matter);
  // As long as the longest lockfile that is read.
  const text = `{"x":[${'[],'.repeat(4_190_000)}[]]}`;
  await expect(reader.read('pins', { path: 'package-lock.json', text })).rejects.toThrow(
    /takes too (?:much memory|long)$/,
  );
  expect(await reader.read('shortfall', run('done'))).toBeNull();
  reader.close();
  const hurried = openReader(matter, undefined, { ...readerCaps, totalMs: 1 });
  const lines = Array.from({ length: 300_000 }, (_, nth) => `a${nth}==1`).join('\n');
  await expect(hurried.read('pins', { path: 'requirements.txt', text: lines })).rejects.toThrow(/takes too long$/);
  await expect(hurried.read('shortfall', run('done'))).rejects.toThrow(/takes too long$/);
  hurried.close();
});

test('what ended the process twice is not read again; what another task or party wrote is', async () => {
  for (let start = 0; start < 2; start += 1) {
    const attempts = await openAttempts(dir);
    expect(await attempts.begin('task.delivery')).toBe(true);
    await attempts.begin('other.delivery');
    await attempts.end('other.delivery');
    // The process ends here.
  }
  const attempts = await openAttempts(dir);
  const reader = openReader(matter, attempts);
  await expect(reader.read('shortfall', run('done'))).rejects.toThrow(/has ended this server twice$/);
  expect(await reader.read('knownSecrets', [])).toEqual([]);
  reader.close();
  const other = openReader({ ...matter, taskId: 'other' }, attempts);
  expect(await other.read('shortfall', run('done'))).toBeNull();
  other.close();
  // What was answered leaves nothing behind.
  expect(await readdir(dir)).toEqual(['deaths.json']);
});
