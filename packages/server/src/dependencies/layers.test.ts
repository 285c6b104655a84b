import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eraseUnused, layeredAt, openLayers } from './layers.ts';

const home = await mkdtemp(join(tmpdir(), 'agora-layers-'));
afterAll(() => rm(home, { recursive: true }));

test.each([
  ['node_modules/a/node_modules/b/x.js', 'node_modules'],
  ['packages/a/node_modules', 'packages/a/node_modules'],
  ['packages/a/node_modules/b/node_modules/c', 'packages/a/node_modules'],
  ['src/my_node_modules/x', null],
  ['src/node_modules.js', null],
])('%s belongs to %s', (path, layered) => {
  expect(layeredAt(path)).toBe(layered);
});

test('a layer is there whole or not at all, and names the directories that it fills', async () => {
  const layers = openLayers(join(home, 'some'));
  const entry = (path: string) => {
    return { type: 'file' as const, path, mode: 0o644, modifiedMs: 0, content: Buffer.from('x') };
  };
  expect(await layers.find('digest')).toBeNull();
  const entries = ['node_modules/a/x', 'node_modules/a/node_modules/b/x', 'packages/c/node_modules/d/x'].map(entry);
  const [one, other] = await Promise.all([layers.add('digest', entries), layers.add('digest', entries)]);
  expect(one).toEqual(other);
  expect(one.paths).toEqual(['node_modules', 'packages/c/node_modules']);
  await expect(layers.add('bad', [entry('node_modules/a'), entry('node_modules/a/x')])).rejects.toThrow();
  expect(await readdir(join(home, 'some'))).toEqual(['digest']);
});

test('what was not used for the longest time goes first, and what a sandbox may have mounted stays', async () => {
  const places = { layers: join(home, 'layers'), content: join(home, 'content') };
  const nowMs = 1_800_000_000_000;
  const used = async (path: string, agoMs: number) => {
    const at = (nowMs - agoMs) / 1000;
    await utimes(path, at, at);
  };
  for (const [name, agoMs] of [
    ['old', 9_000],
    ['new', 1_000],
  ] as const) {
    await mkdir(join(places.layers, name, 'tree'), { recursive: true });
    await writeFile(join(places.layers, name, 'tree', 'file'), Buffer.alloc(1_000));
    await used(join(places.layers, name), agoMs);
  }
  await mkdir(join(places.content, 'ab'), { recursive: true });
  await writeFile(join(places.content, 'ab', 'package'), Buffer.alloc(1_000));
  await used(join(places.content, 'ab', 'package'), 5_000);
  const erase = (maxBytes: number) => eraseUnused(places, { maxBytes, sparedMs: 2_000, nowMs });
  expect(await erase(3_000)).toBe(3_000);
  expect(await erase(2_500)).toBe(2_000);
  expect(await readdir(places.layers)).toEqual(['new']);
  expect(await erase(0)).toBe(1_000);
  expect(await readdir(join(places.content, 'ab'))).toEqual([]);
});
