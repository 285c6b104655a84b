import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Operation, operations } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { allCases } from './cases/index.ts';
import { gaps, noParty, readers, replies, smallReplies, unnamed } from './places.ts';

/** No place is forgotten: a new module that reads text, or a new reply, fails here until it has its hostile case. */

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const modules = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));

const covered = new Set(allCases.map(({ place }) => place));
const known = [...Object.keys(readers), ...Object.keys(replies)];

test('every module that takes text apart is named, with its place or the reason why it needs none', () => {
  expect(modules.length).toBeGreaterThan(300);
  expect(unnamed(modules)).toEqual([]);
});

test('a new reader without a name is found', () => {
  const planted = { path: 'gate/colours.ts', text: 'export const red = (text: string) => /(r+)+$/.test(text);' };
  const harmless = { path: 'gate/sum.ts', text: 'export const sum = (a: number, b: number) => a + b;' };
  expect(unnamed([...modules, planted, harmless])).toEqual([planted.path]);
});

test('what is named exists', () => {
  for (const name of [...Object.values(readers), ...Object.values(noParty)].flat()) {
    expect(
      modules.some(({ path }) => path.startsWith(name)),
      name,
    ).toBe(true);
  }
});

test('every reply is named once, with its place or the reason why it stays small', () => {
  const named = [...Object.values(replies), ...Object.values(smallReplies)].flat();
  expect(named.filter((id, at) => named.indexOf(id) !== at)).toEqual([]);
  const all = Object.values<Operation>(operations).filter(({ reply }) => reply.schema ?? reply.contentType);
  expect(all.map(({ id }) => id).filter((id) => !named.includes(id))).toEqual([]);
});

test('every place has a hostile case, or is a gap that is known; none is both', () => {
  const places = [...new Set([...known, ...covered])];
  expect(places.filter((place) => !covered.has(place) && !(place in gaps))).toEqual([]);
  expect(Object.keys(gaps).filter((place) => covered.has(place) || !known.includes(place))).toEqual([]);
});
