import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import { openAttempts } from './attempts.ts';
import { openReader, readerCaps } from './readers.ts';

const matter = { taskId: 'task', originalFiles: laid({ 'a.js': 'a', 'package.json': '{"scripts":{"test":"ava"}}' }) };
const plan = { taskType: 'refactor', description: '', wishes: {} } as const;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agora-readings-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test("a reading knows the buyer's files, and the thread is used again", async () => {
  for (let round = 0; round < 3; round += 1) {
    const reader = openReader(matter);
    expect(await reader.read('plan', { ...plan, commands: [] })).toMatchObject({
      testCommand: { command: 'npm test' },
    });
    reader.close();
  }
});

/** One value after the other as far as a text goes, in a package-lock.json. */
const filled = (piece: string) => `{"x":[${piece.repeat(Math.floor(longest / piece.length) - 10)}0]}`;
/** The longest lockfile of a delivery that is read; the buyer's may be of a whole repository. */
const longest = 12 * 1024 ** 2;
const numbered = (most: number, piece: (nth: string) => string) =>
  Array.from({ length: most }, (_, nth) => piece(nth.toString(36))).join();

const worst: Record<string, () => string> = {
  'empty arrays': () => filled('[],'),
  'empty objects': () => filled('{},'),
  'as many objects of one name each as are parsed': () => `{"x":[${numbered(160_000, (nth) => `{"${nth}":0}`)}]}`,
  'as many names as are parsed': () => `{"x":{${numbered(240_000, (nth) => `"${nth}":0`)}}}`,
  'as many empty objects as are parsed': () => `{"x":[${'{},'.repeat(249_000)}0]}`,
  'brackets alone': () => '['.repeat(longest),
  'objects in objects': () => '{"a":'.repeat(longest / 5),
  'a string of escapes': () => `{"x":"${'\\u0100'.repeat(longest / 6 - 10)}"}`,
};

test.each(Object.entries(worst))('%s end nothing: the thread answers, and so it does next', async (_what, make) => {
  const text = make();
  const theirs = { taskId: 'task', originalFiles: laid({ 'package-lock.json': text, 'package.json': text }) };
  // However busy the machine is.
  const reader = openReader(theirs, undefined, { ...readerCaps, readMs: 100_000, totalMs: 400_000 });
  // What outgrew the heap in one call would end this process.
  await reader.read('pins', { path: 'package-lock.json', text });
  await reader.read('buyersPins', null);
  await reader.read('plan', { ...plan, commands: ['npm test'] });
  expect(await reader.read('secrets', 'none')).toEqual([]);
  reader.close();
});

test('a reading that takes more time than there is ends alone', async () => {
  const hurried = openReader(matter, undefined, { ...readerCaps, totalMs: 1 });
  const lines = Array.from({ length: 3_000_000 }, (_, nth) => `a${nth}==1`).join('\n');
  await expect(hurried.read('pins', { path: 'requirements.txt', text: lines })).rejects.toThrow(/takes too long$/);
  await expect(hurried.read('secrets', 'none')).rejects.toThrow(/takes too long$/);
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
  await expect(reader.read('secrets', 'none')).rejects.toThrow(/has ended this server twice$/);
  expect(await reader.read('knownSecrets', [])).toEqual([]);
  reader.close();
  const other = openReader({ ...matter, taskId: 'other' }, attempts);
  expect(await other.read('secrets', 'none')).toEqual([]);
  other.close();
  // What was answered leaves nothing behind.
  expect(await readdir(dir)).toEqual(['deaths.json']);
});
