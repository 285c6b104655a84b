import { describe, expect, test } from 'vitest';
import { lookOf } from '../../../reading/marks.ts';
import { readPatch } from '../../../reading/patch.ts';
import {
  aboveRows,
  heightOf,
  isFoldedAtFirst,
  lastUpTo,
  linkOfLine,
  linkText,
  readLink,
  rowOf,
  sizes,
  topsOf,
} from './layout.ts';
import { changedPart, segmentsOf } from './segments.ts';
import { findLink } from './state.ts';
import { treeRows } from './tree.ts';

const text =
  'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n one\n-two\n+zwei\n+drei\ndiff --git a/b b/c\nrename from b\nrename to c\n';
const patch = readPatch(text);
const [first, second] = patch.files as [(typeof patch.files)[0], (typeof patch.files)[0]];

describe('the place of files and lines', () => {
  test('is known from the patch alone', () => {
    expect(heightOf(first, 'unified', false)).toBe(sizes.head + 5 * sizes.row + sizes.foot);
    expect(heightOf(first, 'split', false)).toBe(sizes.head + 4 * sizes.row + sizes.foot);
    expect(heightOf(second, 'split', false)).toBe(sizes.head + sizes.note);
    expect(aboveRows(first)).toBe(sizes.head);
    expect([...topsOf(patch.files, 'unified', (nth) => nth === 0)]).toEqual([0, 60, 60 + 76 + 16]);
    expect(rowOf(patch, first, 'unified', 3)).toBe(3);
    expect(rowOf(patch, first, 'split', 3)).toBe(2);
  });

  test('is found by its pixels', () => {
    expect([-5, 0, 59, 60, 999].map((place) => lastUpTo([0, 60, 100], place))).toEqual([0, 0, 0, 1, 2]);
  });

  test('of what nobody reads first is folded', () => {
    expect(
      ['package-lock.json', 'a/b.min.js', 'Cargo.lock', 'src/lock.ts'].map((path) =>
        isFoldedAtFirst({ ...first, path }),
      ),
    ).toEqual([true, true, true, false]);
    expect(isFoldedAtFirst({ ...first, end: 5_000 })).toBe(true);
  });
});

describe('the address of a line', () => {
  test('leads back to it', () => {
    const links = [0, 1, 2, 3, 4].map((line) => linkOfLine(patch, first, line));
    expect(links).toEqual([null, 'a.ts:R1', 'a.ts:L2', 'a.ts:R2', 'a.ts:R3']);
    for (const [line, link] of links.entries()) if (link) expect(findLink(patch, link)).toEqual({ nth: 0, line });
  });

  test('of a file, of what is not there, and of nothing', () => {
    expect(findLink(patch, 'c')).toEqual({ nth: 1, line: null });
    expect(findLink(patch, 'a.ts:R99')).toEqual({ nth: 0, line: null });
    expect(findLink(patch, 'nowhere:R1')).toEqual({ nth: -1, line: null });
    expect(findLink(patch, undefined)).toEqual({ nth: -1, line: null });
    const odd = 'x:L1:R2\n:R3';
    expect(readLink(linkText(odd, 'after', 7))).toEqual({ path: odd, side: 'after', number: 7 });
  });
});

describe('a line', () => {
  const line = 'let name = 1;';
  const marks = Uint32Array.from([0, 3, lookOf('keyword'), 11, 12, lookOf('number')]);

  test('is cut where its look changes, and where something is found', () => {
    expect(
      segmentsOf(line, 0, line.length, { marks, words: 'ME' }).map(({ text: part, look, isFound }) => [
        part,
        look,
        isFound,
      ]),
    ).toEqual([
      ['let', lookOf('keyword'), false],
      [' na', null, false],
      ['me', null, true],
      [' = ', null, false],
      ['1', lookOf('number'), false],
      [';', null, false],
    ]);
  });

  test('shows where it differs from the one that it replaces, if they have enough in common', () => {
    const [was, is] = ['const total = sum(items);', 'const total = sum(items, count);'];
    expect(changedPart(is, was)).toEqual({ from: 23, to: 30 });
    expect(changedPart(was, is)).toBeNull();
    expect(changedPart('return a + b;', 'import { x } from "y";')).toBeNull();
    expect(changedPart(was, was)).toBeNull();
    const parts = segmentsOf(is, 0, is.length, { marks: null, words: '', changed: changedPart(is, was) });
    expect(parts.map(({ text: part, isChanged }) => [part, isChanged])).toEqual([
      ['const total = sum(items', false],
      [', count', true],
      [');', false],
    ]);
  });

  test('shows characters that would turn it around, by their numbers', () => {
    const parts = segmentsOf('a\u202eb\u2066', 0, 4, { marks: null, words: '' });
    expect(parts.map(({ text: part, isControl }) => [part, isControl])).toEqual([
      ['a', false],
      ['U+202E', true],
      ['b', false],
      ['U+2066', true],
    ]);
  });

  test('is shown to its two thousandth letter', () => {
    expect(segmentsOf('x'.repeat(5_000_000), 0, 5_000_000, { marks: null, words: '' })[0]?.text).toHaveLength(2_000);
  });
});

describe('the tree of files', () => {
  const files = ['src/a/deep/x.ts', 'src/a/deep/y.ts', 'readme.md', 'src/b.ts', 'constructor/__proto__/z'].map(
    (path) => ({ path }),
  );
  const rows = (words: string, folded: string[] = []) =>
    treeRows(files, words, new Set(folded)).map(
      ({ is, name, depth }) => `${' '.repeat(depth)}${name}${is === 'folder' ? '/' : ''}`,
    );

  test('has folders before files, and those with one folder alone in one row with it', () => {
    expect(rows('')).toEqual([
      'src/',
      ' a/deep/',
      '  x.ts',
      '  y.ts',
      ' b.ts',
      'constructor/__proto__/',
      ' z',
      'readme.md',
    ]);
  });

  test('is folded and filtered', () => {
    expect(rows('', ['src', 'constructor/__proto__'])).toEqual(['src/', 'constructor/__proto__/', 'readme.md']);
    expect(rows('Y.TS', ['src'])).toEqual(['src/a/deep/', ' y.ts']);
    expect(rows('nothing')).toEqual([]);
  });

  test('of a path without end is as deep as a page can show', () => {
    expect(treeRows([{ path: `${'a/'.repeat(5_000)}b` }], '', new Set()).length).toBeLessThan(40);
  });
});
