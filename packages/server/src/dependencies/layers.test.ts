import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { layeredAt } from './ecosystems.ts';
import { openLayers, removePartial } from './layers.ts';

const home = await mkdtemp(join(tmpdir(), 'agora-layers-'));
afterAll(() => rm(home, { recursive: true }));

const entry = (path: string) => {
  return { type: 'file' as const, path, mode: 0o644, modifiedMs: 0, content: Buffer.from('x') };
};
const opened = async (name: string) => {
  const places = { layers: join(home, name, 'layers'), content: join(home, name, 'content') };
  for (const place of Object.values(places)) await mkdir(place, { recursive: true });
  return { ...places, store: openLayers(places.layers, places.content) };
};

test.each([
  ['node_modules/a/node_modules/b/x.js', 'node_modules'],
  ['packages/a/node_modules', 'packages/a/node_modules'],
  ['packages/a/node_modules/b/node_modules/c', 'packages/a/node_modules'],
  ['src/my_node_modules/x', null],
  ['src/node_modules.js', null],
  ['.venv/bin/python', '.venv'],
  ['src/.venv/x', null],
])('%s belongs to %s', (path, layered) => {
  expect(layeredAt(path)).toBe(layered);
});

test('a layer is there whole or not at all, and names the directories that it fills', async () => {
  const { store, layers } = await opened('some');
  expect(await store.find('digest')).toBeNull();
  const entries = ['node_modules/a/x', 'node_modules/a/node_modules/b/x', 'packages/c/node_modules/d/x'].map(entry);
  const paths = ['node_modules', 'packages/c/node_modules'];
  const problems = [{ reason: 'left_out' as const, path: 'uv.lock', message: 'x was left out' }];
  const about = { problems, ownerId: null };
  const [one, other] = await Promise.all([
    store.add('digest', { entries, paths }, about),
    store.add('digest', { entries, paths }, about),
  ]);
  expect(one.layer.directory).toBe(other.layer.directory);
  expect(one).toMatchObject({
    problems,
    layer: { paths: ['node_modules', 'packages/c/node_modules'], programs: [], environment: {} },
  });
  await expect(
    store.add('bad', { entries: [entry('node_modules/a'), entry('node_modules/a/x')], paths: ['node_modules'] }, about),
  ).rejects.toThrow();
  expect(await readdir(layers)).toEqual(['digest']);
});

const about = { problems: [], ownerId: null };

test('what a process was writing or erasing when it ended goes at the next start', async () => {
  const { store, layers, content } = await opened('left');
  await store.add('whole', { entries: [entry('node_modules/x')], paths: ['node_modules'] }, about);
  for (const name of ['half.1.2', 'erased.gone', 'without-what-tells-of-it'])
    await mkdir(join(layers, name, 'tree'), { recursive: true });
  await mkdir(join(content, 'ab'));
  for (const name of ['package', 'part.1.2']) await writeFile(join(content, 'ab', name), 'x');
  await removePartial(layers, content);
  expect(await readdir(layers)).toEqual(['whole']);
  expect(await readdir(join(content, 'ab'))).toEqual(['package']);
});

test('what was not used for the longest time goes first, and what a sandbox uses stays', async () => {
  const { store, layers, content } = await opened('full');
  const hour = 3_600;
  const usedAgo = async (path: string, hours: number) => {
    const at = Date.now() / 1000 - hours * hour;
    await utimes(path, at, at);
  };
  const found = await store.add('used', { entries: [entry('node_modules/x')], paths: ['node_modules'] }, about);
  for (const name of ['old', 'lately'])
    await store.add(name, { entries: [entry('node_modules/x')], paths: ['node_modules'] }, about);
  await mkdir(join(content, 'ab'));
  await writeFile(join(content, 'ab', 'package'), 'x');
  await usedAgo(join(layers, 'used'), 9);
  await usedAgo(join(layers, 'old'), 5);
  await usedAgo(join(content, 'ab', 'package'), 3);
  const release = found.layer.use!();
  const each = 4096;
  expect(await store.makeRoom(4 * each)).toBe(4 * each);
  // The oldest is in use.
  expect(await store.makeRoom(3 * each)).toBe(3 * each);
  expect(await readdir(layers)).toEqual(['lately', 'used']);
  expect(await store.makeRoom(0)).toBe(2 * each);
  expect(await readdir(join(content, 'ab'))).toEqual([]);
  release();
  expect(await store.makeRoom(0)).toBe(each);
  expect(await readdir(layers)).toEqual(['lately']);
});
