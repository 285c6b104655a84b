import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openInstalling } from '../../test/support/installing.ts';
import { lockOf, startNpmRegistry, type TestPackage } from '../../test/support/npm-registry.ts';
import { hourMs, manualClock } from '../platform/index.ts';

/** What one owner may take of the installations of a server. */

const word: TestPackage = { name: 'word', version: '1.0.0', files: {} };
const registry = await startNpmRegistry([word]);
const home = await mkdtemp(join(tmpdir(), 'agora-shares-'));
afterAll(async () => {
  await registry.close();
  await rm(home, { recursive: true });
});

/** Each name has a lock, and thus an installation, of its own. */
const project = (name: string) => {
  const root = { name, version: '1.0.0' };
  return {
    'package.json': JSON.stringify({ ...root, dependencies: { word: '1.0.0' } }),
    'package-lock.json': lockOf(root, [word]),
  };
};
const npm = { versions: '137\n11.0.0', made: 'node_modules/word/index.js' };
const settings = (name: string) => ({
  DEPENDENCY_REGISTRIES: `npm=${registry.url}`,
  AGORA_DATA_DIR: join(home, name),
});

test.each([
  ['installation', null],
  ['setup', 'make'],
])('an owner has one %s at a time, and others go by what waits for it', async (name, setup) => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { prepare, commands } = await openInstalling({
    ...{ ...npm, settings: settings(name) },
    runs: () => (commands.length === 1 ? held : undefined),
  });
  const ended: string[] = [];
  const begin = (owner: string, lock: string) => prepare(owner, project(lock), setup).then(() => ended.push(lock));
  const first = begin('greedy', 'first');
  await expect.poll(() => commands.length).toBe(1);
  const second = begin('greedy', 'second');
  await begin('other', 'theirs');
  expect(ended).toEqual(['theirs']);
  goOn();
  await Promise.all([first, second]);
  expect(ended).toEqual(['theirs', 'first', 'second']);
});

test('an owner has a quarter of the cache within an hour; others have theirs, and what is there stays', async () => {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  const { prepare } = await openInstalling({
    ...{ ...npm, clock, bytes: 300_000 },
    settings: { ...settings('quarter'), DEPENDENCY_CACHE_BYTES: '1100000' },
  });
  const busy = { layer: null, problems: [{ reason: 'busy' }] };
  const made = { layer: { paths: ['node_modules'] }, problems: [] };
  expect(await prepare('greedy', project('first'))).toMatchObject(made);
  expect(await prepare('greedy', project('second'))).toMatchObject(busy);
  expect(await prepare('greedy', project('first'))).toMatchObject(made);
  expect(await prepare('other', project('theirs'))).toMatchObject(made);
  clock.advance(hourMs);
  expect(await prepare('greedy', project('second'))).toMatchObject(made);
});
