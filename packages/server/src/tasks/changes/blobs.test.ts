import { execFileSync, type StdioOptions } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { git } from '../../../test/support/git-server.ts';
import { encodeArchive } from '../../sandbox/archive.ts';
import { decodeChanges } from '../pulls/changed-files.ts';
import { compareDelivery } from './compare.ts';

/** What a pull request commits is what `git add` puts into the index, and nothing else. */

/** Git warns of rules that it does not know. */
const quietly: StdioOptions = ['ignore', 'pipe', 'ignore'];

type Files = Record<string, string | Buffer>;

let directory = '';
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** A clone of a repository that has these blobs, the attributes being younger than them. */
function cloned(blobs: Files, attributes: Files): string {
  directory = mkdtempSync(join(tmpdir(), 'agora-blobs-'));
  git(directory, 'init', '--quiet', 'origin');
  const origin = join(directory, 'origin');
  for (const files of [blobs, attributes]) {
    write(origin, files);
    git(origin, 'add', ...Object.keys(files));
    git(origin, 'commit', '--quiet', '-m', 'more');
  }
  git(directory, 'clone', '--quiet', 'origin', 'clone');
  return join(directory, 'clone');
}

function archiveOf(root: string) {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(root.length + 1))
    .filter((path) => !path.startsWith('.git/'));
  return encodeArchive(
    paths.map((path) => ({ type: 'file', path, mode: 0o644, modifiedMs: 0, content: readFileSync(join(root, path)) })),
  );
}

/** What becomes of an edit of the clone, and what git makes of it: the changed blobs by path. */
async function both(clone: string, edits: Files) {
  const words = execFileSync('git', ['ls-files', '--eol', '-z', ':(attr:eol=crlf)'], {
    cwd: clone,
    encoding: 'latin1',
    stdio: quietly,
  });
  const crlf = [...words.matchAll(/(?<=^|\0)i\/(?:crlf|mixed) [^\t]*\t([^\0]*)/g)].map(([, path]) => path as string);
  const [laid, archive] = [await archiveOf(clone), await archiveOf(clone)];
  write(clone, edits);
  const { pull } = await compareDelivery('owner', {
    ...{ laid, workspace: await archiveOf(clone), patchBytes: 0 },
    base: { archive, facts: { submodules: [], largeFiles: [], crlf } },
  });
  git(clone, 'add', '--all');
  const changed = git(clone, 'diff', '--cached', '--name-only', '-z').split('\0').filter(Boolean);
  const blobs = changed.map((path) => [
    path,
    execFileSync('git', ['cat-file', 'blob', `:${path}`], { cwd: clone, stdio: quietly }),
  ]);
  const { files } = pull && 'changes' in pull ? decodeChanges(Buffer.from(pull.changes)) : { files: [] };
  const texts = (all: [string, Buffer][]) =>
    Object.fromEntries(all.map(([path, blob]) => [path, blob.toString('latin1')]));
  return { ours: texts(files.map(({ path, content }) => [path, content])), theirs: texts(blobs as [string, Buffer][]) };
}

const lines = { lf: 'a\nb\n', crlf: 'a\r\nb\r\n', mixed: 'a\r\nb\n', bare: 'a\rb\r\n' };
const ways = ['text', 'text=auto', '-text', 'binary', 'eol=lf', 'eol=crlf', 'text eol=crlf', 'text=auto eol=crlf'];
const others = ['text=auto eol=lf', 'crlf', 'crlf=input', '-crlf', 'text=other crlf', '!text', '-text eol=crlf'];

test.each([...ways, ...others])('with %s, ends of lines are as git adds them', async (way) => {
  const names = Object.keys(lines).flatMap((was) => Object.keys(lines).map((is) => [was, is] as const));
  const blobs = Object.fromEntries(
    names.map(([was, is]) => [`${was}-${is}`, `0\n${lines[was as keyof typeof lines]}`]),
  );
  const edits = Object.fromEntries(names.map(([was, is]) => [`${was}-${is}`, `1\n${lines[is as keyof typeof lines]}`]));
  for (const is of Object.keys(lines)) edits[`new-${is}`] = lines[is as keyof typeof lines];
  // Those that git takes for no text.
  Object.assign(edits, {
    nul: 'a\r\n\0',
    few: `${'x'.repeat(127)}\x01\r\n`,
    many: `${'x'.repeat(128)}\x01\r\n`,
    end: 'a\r\n\x1a',
  });
  const clone = cloned(blobs, { '.gitattributes': `* ${way}\n` });
  // And one whose lines alone end otherwise.
  edits['lf-lf'] = readFileSync(join(clone, 'lf-lf'), 'latin1').replace(/\r?\n/g, way.includes('crlf') ? '\n' : '\r\n');
  const { ours, theirs } = await both(clone, edits);
  expect(Object.keys(theirs).length).toBeGreaterThan(20);
  expect(ours).toEqual(theirs);
});

test('with ident, what stands in $Id$ is no change, and is never committed', async () => {
  const clone = cloned(
    { 'a.c': '// $Id$\none\n', 'b.c': '// $Id$\none\n', c: '$Id$\n' },
    { '.gitattributes': '*.c ident\n' },
  );
  expect(readFileSync(join(clone, 'a.c'), 'utf8')).toMatch(/\$Id: [0-9a-f]{40} \$/);
  const { ours, theirs } = await both(clone, {
    'a.c': `${readFileSync(join(clone, 'a.c'), 'utf8')}two $Id: x $ $Id$ $Id: broken\n$ $Id: é $ $Id:$ $Id\n`,
    'b.c': '// $Id: another $\none\n',
    c: '$Id: stays $\n',
  });
  expect(Object.keys(theirs)).toEqual(['a.c', 'c']);
  expect(ours).toEqual(theirs);
});

const text = 'grüße\r\nzwei\r\n';
const bom = (order: 'le' | 'be') => {
  const content = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? content : content.swap16();
};

test.each<[encoding: string, content: Buffer]>([
  ['UTF-16', bom('le')],
  ['UTF-16', bom('be')],
  ['utf16', bom('le')],
  ['UTF-16LE', bom('le').subarray(2)],
  ['UTF-16BE', bom('be').subarray(2)],
  ['UTF-16LE-BOM', bom('le')],
  ['ISO-8859-1', Buffer.from(`\x85 ${text}`, 'latin1')],
  ['windows-1252', Buffer.from(text, 'latin1')],
  ['UTF-8', Buffer.from(text)],
])('with working-tree-encoding=%s, a blob is UTF-8', async (encoding, content) => {
  const clone = cloned(
    { a: 'grüße\n' },
    { '.gitattributes': `* text working-tree-encoding=${encoding}\n.gitattributes !working-tree-encoding\n` },
  );
  const { ours, theirs } = await both(clone, { new: content });
  expect(theirs.new).toContain(Buffer.from('grüße\nzwei\n').toString('latin1'));
  expect(ours).toEqual(theirs);
});

test('of the attributes of a path the last rule of the deepest file counts, with macros and quoted names', async () => {
  const dos = 'a\r\n';
  const names = [
    ...['a.txt', 'b.TXT', '.hidden.txt', 'x y.txt', 'caf\u00e9.txt', 'deep/a.txt', 'deep/er/a.txt', 'deep/er/kept.txt'],
    ...['docs/a', 'docs/b/c/a', 'other/docs/a', 'a1', 'a2', 'ab', 'l[1]', 'n.{js,ts}', 'n.js', '!not', '#no', 'dir/in'],
    ...['star/a/z', 'star/z', 'star/a/b/z', 'macro', 'macro2', 'plain', 'unset/a.txt', 'lib/x.c', 'lib/y/x.c'],
  ];
  const root = [
    '\ufeff# comment text',
    '[attr]lines text eol=lf',
    '[attr]more lines -diff',
    '*.txt text',
    '"x y.txt" -text',
    '"caf\\303\\251.txt" -text',
    '/docs/** text',
    'a[!2b] text',
    'l\\[1\\]\ttext',
    'n.{js,ts} text',
    '!not text',
    'dir/ text',
    'dir text',
    'star/**/z text',
    'macro lines',
    'macro2   more  ',
    'plain -lines text=auto',
    'lib/*.c text',
    '*.[[:upper:]]XT text',
    '',
  ];
  const attributes = {
    '.gitattributes': root.join('\n'),
    'deep/.gitattributes': '*.txt -text\n[attr]lines -text\n/er/*.txt text\r\n',
    'deep/er/.gitattributes': 'kept.txt binary\n',
    'unset/.gitattributes': '*.txt !text\n',
  };
  const clone = cloned(Object.fromEntries(names.map((name) => [name, 'x\n'])), attributes);
  const { ours, theirs } = await both(clone, Object.fromEntries(names.map((name) => [name, dos])));
  expect(new Set(Object.values(theirs))).toEqual(new Set(['a\n', dos]));
  expect(ours).toEqual(theirs);
});

test('the attributes are those that the agent has left', async () => {
  const clone = cloned({ a: 'a\n', b: 'b\n' }, { '.gitattributes': 'a text\n' });
  const { ours, theirs } = await both(clone, { '.gitattributes': 'b text\n', a: 'x\r\n', b: 'x\r\n' });
  expect(theirs).toEqual({ '.gitattributes': 'b text\n', a: 'x\r\n', b: 'x\n' });
  expect(ours).toEqual(theirs);
});
