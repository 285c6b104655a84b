import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type ArchiveEntry, encodeArchive } from '../../sandbox/archive.ts';
import { changesBetween } from '../workspace/diff/changes.ts';
import { gitPatch } from './git-patch.ts';

/** Git itself takes the patch, and the tree is then what the agent delivered. */

type Tree = Record<string, string | Buffer | { link: string } | { run: string }>;

function entry(path: string, value: Tree[string]): ArchiveEntry {
  const base = { path, mode: 0o644, modifiedMs: 0 };
  if (typeof value === 'string' || Buffer.isBuffer(value))
    return { ...base, type: 'file', content: Buffer.from(value) };
  if ('link' in value) return { ...base, type: 'symlink', mode: 0o777, content: Buffer.from(value.link) };
  return { ...base, type: 'file', mode: 0o755, content: Buffer.from(value.run) };
}

const entries = (tree: Tree) => Object.entries(tree).map(([path, value]) => entry(path, value));

function lay(directory: string, tree: Tree): void {
  for (const { path, type, mode, content } of entries(tree)) {
    const at = join(directory, path);
    mkdirSync(dirname(at), { recursive: true });
    if (type === 'symlink') symlinkSync(content.toString(), at);
    else writeFileSync(at, content, { mode });
    if (type === 'file') chmodSync(at, mode);
  }
}

function read(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const each of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const at = join(each.parentPath, each.name);
    const path = at.slice(directory.length + 1);
    if (path.startsWith('.git/') || path === '.git' || each.isDirectory()) continue;
    found[path] = each.isSymbolicLink()
      ? `link ${readlinkSync(at)}`
      : `${lstatSync(at).mode & 0o100 ? 'run' : 'file'} ${readFileSync(at).toString('base64')}`;
  }
  return found;
}

async function patchOf(before: Tree, after: Tree, chars = 1e9) {
  const [laid, snapshot] = await Promise.all([encodeArchive(entries(before)), encodeArchive(entries(after))]);
  return [...gitPatch(changesBetween(laid, snapshot), { timeoutMs: 60_000, chars })];
}

async function applied(before: Tree, after: Tree): Promise<[Record<string, string>, Record<string, string>]> {
  const patch = (await patchOf(before, after)).map((file) => file.patch).join('');
  const directory = mkdtempSync(join(tmpdir(), 'agora-patch-'));
  const wanted = mkdtempSync(join(tmpdir(), 'agora-patch-'));
  try {
    lay(directory, before);
    lay(wanted, after);
    execFileSync('git', ['-C', directory, 'init', '-q']);
    if (patch !== '') execFileSync('git', ['-C', directory, 'apply', '--whitespace=nowarn', '-'], { input: patch });
    return [read(directory), read(wanted)];
  } finally {
    for (const each of [directory, wanted]) rmSync(each, { recursive: true });
  }
}

const noise = Buffer.from(Array.from({ length: 1000 }, (_, n) => (n * 7919) % 256));
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join('');

test.each<[string, Tree, Tree]>([
  [
    'lines in the middle and at both ends',
    { a: lines(0, 100) },
    { a: `new\n${lines(0, 50)}other\n${lines(51, 100)}end\n` },
  ],
  ['no end of line, before and after', { a: 'a\nb', b: 'a\n', c: 'a' }, { a: 'a\nc', b: 'a', c: 'a\n' }],
  ['carriage returns', { a: 'a\r\nb\r\n' }, { a: 'a\r\nc\r\n' }],
  ['new, removed and empty files', { gone: 'x\n', empty: '' }, { 'deep/new': 'y\n', void: '' }],
  [
    'binary files',
    { a: noise, b: noise, c: 'text' },
    { a: Buffer.concat([noise, noise.subarray(0, 77)]), c: Buffer.from([0]), d: noise.subarray(3) },
  ],
  ['modes', { a: 'x\n', b: { run: 'x\n' } }, { a: { run: 'x\n' }, b: 'y\n' }],
  ['links', { a: { link: 'x' }, b: 'x\n' }, { a: { link: 'y' }, b: { link: 'a' } }],
  ['moved files', { 'a/b': lines(0, 9), c: noise }, { 'd/e': lines(0, 9), f: noise }],
  [
    'names that Git quotes',
    { 'a "b"\\c': 'x\n', 'tab\there': 'x\n', ü: 'x\n', ' a ': 'x\n' },
    { 'a "b"\\c': 'y\n', 'tab\there': 'y\n', ü: 'y\n', ' b ': 'z\n' },
  ],
  ['a text that is not UTF-8', { a: Buffer.from([0xff, 0x0a]) }, { a: Buffer.from([0xfe, 0x0a]) }],
  ['a file of which nothing stays', { a: lines(0, 12_000) }, { a: lines(20_000, 32_000) }],
  ['an empty first line', { a: '\nb\n', c: '\n\nd' }, { a: '\nc\n', c: 'x\n\nd' }],
  [
    'lines that repeat around what is new',
    { a: 'x\n'.repeat(9), b: `${'x\n'.repeat(9)}y` },
    { a: 'x\n'.repeat(12), b: `${'x\n'.repeat(7)}y` },
  ],
  ['nothing', { a: 'x\n' }, { a: 'x\n' }],
])('%s', async (_what, before, after) => {
  const [made, wanted] = await applied(before, after);
  expect(made).toEqual(wanted);
});

test('each file says what became of it', async () => {
  const files = await patchOf(
    { kept: 'a\nb\n', gone: 'x\n', moved: 'long enough\n', bin: noise },
    { kept: 'a\nc\nd\n', there: 'long enough\n', bin: noise.subarray(1), more: { run: 'y\n' } },
  );
  expect(files.map(({ patch: _, ...file }) => file)).toEqual([
    {
      path: 'bin',
      from: null,
      change: 'modified',
      mode: { before: '100644', after: '100644' },
      binary: true,
      lines: null,
    },
    {
      path: 'gone',
      from: null,
      change: 'deleted',
      mode: { before: '100644', after: null },
      binary: false,
      lines: { added: 0, removed: 1 },
    },
    {
      path: 'kept',
      from: null,
      change: 'modified',
      mode: { before: '100644', after: '100644' },
      binary: false,
      lines: { added: 2, removed: 1 },
    },
    {
      path: 'more',
      from: null,
      change: 'added',
      mode: { before: null, after: '100755' },
      binary: false,
      lines: { added: 1, removed: 0 },
    },
    {
      path: 'there',
      from: 'moved',
      change: 'renamed',
      mode: { before: '100644', after: '100644' },
      binary: false,
      lines: { added: 0, removed: 0 },
    },
  ]);
});

test('any two texts', async () => {
  const numbers = (seed: number) => () => {
    seed = (Math.imul(seed, 48_271) >>> 0) % 2_147_483_647;
    return seed;
  };
  const next = numbers(7);
  const anyText = () => Array.from({ length: next() % 14 }, () => 'ab'[next() % 2]! + '\n'.repeat(next() % 3)).join('');
  const trees = Array.from({ length: 200 }, (_, nth) => [`f${nth}`, anyText(), anyText()] as const);
  const [made, wanted] = await applied(
    Object.fromEntries(trees.map(([path, before]) => [path, before])),
    Object.fromEntries(trees.map(([path, , after]) => [path, after])),
  );
  expect(made).toEqual(wanted);
});

test('what does not fit has no part, and the others are still counted', async () => {
  const files = await patchOf({}, { a: 'a\n', b: lines(0, 99), c: 'c\n' }, 300);
  expect(files.map(({ path, lines: counted, patch }) => [path, counted?.added, patch === null])).toEqual([
    ['a', 1, false],
    ['b', 99, true],
    ['c', 1, true],
  ]);
});
