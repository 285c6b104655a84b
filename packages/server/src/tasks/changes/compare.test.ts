import { describe, expect, test } from 'vitest';
import { type ArchiveEntry, encodeArchive } from '../../sandbox/archive.ts';
import type { TreeFacts } from '../inputs/clean.ts';
import { decodeChanges } from '../pulls/changed-files.ts';
import { noneLeftOut, pullLimits } from '../pulls/select.ts';
import { compareDelivery } from './compare.ts';

type Files = Record<string, string | Buffer | Partial<ArchiveEntry>>;

const noFacts: TreeFacts = { submodules: [], largeFiles: [], crlf: [] };
const link = (target: string) => ({ type: 'symlink' as const, content: Buffer.from(target) });
const archiveOf = (files: Files) =>
  encodeArchive(
    Object.entries(files).map(([path, file]) => {
      const given = typeof file === 'string' || Buffer.isBuffer(file) ? { content: Buffer.from(file) } : file;
      return { type: 'file', path, mode: 0o644, modifiedMs: 0, content: Buffer.alloc(0), ...given } as ArchiveEntry;
    }),
  );

/** What becomes of a delivery; `attached` is what the buyer has laid over the repository. */
async function compared(
  repository: Files,
  delivered: Files,
  { attached = {}, facts = {}, timeoutMs }: { attached?: Files; facts?: Partial<TreeFacts>; timeoutMs?: number } = {},
) {
  const reply = await compareDelivery(
    'owner',
    {
      laid: await archiveOf({ ...repository, ...attached }),
      workspace: await archiveOf(delivered),
      base: { archive: await archiveOf(repository), facts: { ...noFacts, ...facts } },
      patchBytes: 0,
    },
    timeoutMs,
  );
  if (!reply.pull) return null;
  if ('reason' in reply.pull) return reply.pull.reason;
  const { files, deleted, leftOut } = decodeChanges(Buffer.from(reply.pull.changes));
  return { files: files.map(({ path }) => path), deleted, leftOut };
}

const base = { a: 'a\n', 'lib/b': 'b\n' };

describe('of a delivery', () => {
  test.each<[what: string, delivered: Files, files: string[], deleted: string[]]>([
    ['a changed file', { ...base, a: 'x\n' }, ['a'], []],
    ['a mode', { ...base, a: { content: Buffer.from('a\n'), mode: 0o755 } }, ['a'], []],
    ['a file that became a link', { ...base, a: link('lib/b') }, ['a'], []],
    ['a file that became a directory', { 'a/new': '1', 'lib/b': 'b\n' }, ['a/new'], ['a']],
    ['a directory that became a file', { a: 'a\n', lib: '1' }, ['lib'], ['lib/b']],
    ['nothing of a repository inside', { ...base, a: 'x', '.git/config': 'x', 'deep/.GIT/hooks/run': 'x' }, ['a'], []],
    [
      'nothing that is ignored',
      { ...base, '.gitignore': '*.o\n/out\n', 'x.o': '', 'out/y': '', 'z/out': '' },
      ['.gitignore', 'z/out'],
      [],
    ],
    [
      'what a deeper rule takes in again, unless its directory is ignored',
      {
        ...base,
        '.gitignore': '*.o\nno/\n',
        'lib/.gitignore': '!keep.o\n',
        'lib/keep.o': '',
        'no/.gitignore': '!*',
        'no/x': '',
      },
      ['.gitignore', 'lib/.gitignore', 'lib/keep.o'],
      [],
    ],
    ['artifacts only where the repository has them', { ...base, a: 'x', 'output/report': '1' }, ['a'], []],
  ])('%s', async (_what, delivered, files, deleted) => {
    expect(await compared(base, delivered)).toEqual({ files, deleted, leftOut: noneLeftOut });
  });

  test('what the repository has counts although it is ignored, below output too', async () => {
    const repository = { '.gitignore': '*.log\n', 'kept.log': '1', 'output/kept': '1' };
    const changed = { '.gitignore': '*.log\n', 'kept.log': '2', 'output/kept': '2' };
    expect(await compared(repository, changed)).toMatchObject({ files: ['kept.log', 'output/kept'] });
  });

  test('what the buyer attached counts only where the agent changed it', async () => {
    const attached = { a: 'mine\n', 'note.md': 'mine\n', 'gone.md': 'mine\n' };
    expect(await compared(base, { ...base, a: 'mine\n', 'note.md': 'new\n' }, { attached })).toEqual({
      files: ['note.md'],
      deleted: [],
      leftOut: noneLeftOut,
    });
    expect(await compared(base, { 'lib/b': 'b\n', ...attached, a: 'new\n' }, { attached })).toMatchObject({
      files: ['a'],
    });
  });

  test.each(['/etc/passwd', '../up', 'x/../../up'])('no link to %s', async (target) => {
    expect(await compared(base, { ...base, a: 'x', to: link(target), inside: link('./lib/b') })).toEqual({
      files: ['a', 'inside'],
      deleted: [],
      leftOut: { ...noneLeftOut, links: 1 },
    });
  });
});

test('no workflow is added, changed or removed', async () => {
  const workflows = { '.github/workflows/ci.yml': 'on: push', '.github/workflows/old.yml': 'on: push' };
  const changed = { '.github/workflows/ci.yml': 'on: create', '.github/workflows/new.yml': 'on: create' };
  const ofOthers = ['.woodpecker.yml', '.woodpecker.yaml', '.woodpecker/test.yml', '.drone.yml'];
  Object.assign(changed, Object.fromEntries(ofOthers.map((path) => [path, 'x'])));
  const others = { '.github/CODEOWNERS': '*' };
  expect(await compared({ ...base, ...workflows }, { ...base, ...changed, ...others })).toEqual({
    files: ['.github/CODEOWNERS'],
    deleted: [],
    leftOut: { ...noneLeftOut, workflows: 7 },
  });
});

test.each<[what: keyof typeof noneLeftOut, path: string, content: string | Buffer]>([
  ['submodules', 'vendor/new', ''],
  ['submodules', 'vendor/was', 'x'],
  ['submodules', 'vendor', 'no directory any more'],
  ['largeFiles', 'was.bin', 'x'],
  ['largeFiles', 'new.iso', 'x'],
  ['encodings', 'new.rc', Buffer.from('no mark', 'utf16le')],
  ['encodings', 'new.strings', Buffer.from('one byte more\0', 'utf16le').subarray(1)],
  ['encodings', 'unknown', 'x'],
])('of %s nothing is committed, and nothing is taken away: %s', async (what, path, content) => {
  const attributes = [
    '*.iso filter=lfs -text',
    '*.rc working-tree-encoding=UTF-16',
    '*.strings working-tree-encoding=UTF-16LE',
    'unknown working-tree-encoding=EBCDIC-XY',
  ];
  const repository = {
    ...{ ...base, '.gitattributes': attributes.join('\n'), 'vendor/was': '1' },
    // Became a large file.
    ...{ 'was.bin': '1', 'new.iso': link('lib/b') },
  };
  const facts = { submodules: ['vendor'], largeFiles: ['was.bin'] };
  const { [path]: _, ...others } = Object.fromEntries(
    Object.entries(repository).filter(([name]) => !name.startsWith(`${path}/`)),
  ) as Files;
  const changed = await compared(repository, { ...others, [path]: content, a: 'x' }, { facts });
  const count = path === 'vendor' ? 2 : 1;
  expect(changed).toEqual({ files: ['a'], deleted: [], leftOut: { ...noneLeftOut, [what]: count } });
  expect(await compared(repository, { ...others, [path]: content }, { facts })).toBe('left_out');
});

describe('there is none', () => {
  const many = (count: number, content: string | Buffer): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [`f${nth}`, content]));
  test.each<[reason: string, delivered: Files]>([
    ['no_changes', base],
    ['too_many_files', { ...base, ...many(pullLimits.files + 1, '') }],
    ['too_many_files', { ...base, ...many(pullLimits.binaryFiles + 1, Buffer.from([0xff])) }],
    ['unnameable', { ...base, 'caf\u{10fee9}': '' }],
    ['too_large', { ...base, big: Buffer.alloc(pullLimits.bytes + 1) }],
  ])('because of %s', async (reason, delivered) => {
    expect(await compared(base, delivered)).toBe(reason);
  });

  test('where rules of what to ignore take too long, and others can be compared meanwhile', async () => {
    const rules = `${'*a'.repeat(40)}b\n`;
    const costly = { ...base, '.gitignore': rules, [`${'a'.repeat(250)}`]: '' };
    const [slow, other] = await Promise.all([
      compared(base, costly, { timeoutMs: 1_000 }),
      compareDelivery('another', {
        laid: await archiveOf(base),
        workspace: await archiveOf({ ...base, a: 'x' }),
        base: { archive: await archiveOf(base), facts: noFacts },
        patchBytes: 1_000,
      }),
    ]);
    expect(slow).toBeNull();
    expect(Buffer.from(other.described?.patch ?? []).toString()).toContain('+x');
  });
});
