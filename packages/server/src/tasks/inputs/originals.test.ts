import { expect, it } from 'vitest';
import { type ArchiveEntry, encodeArchive, readArchive } from '../../sandbox/index.ts';
import { layOver } from './originals.ts';

const entry = (path: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  modifiedMs: 1,
  content: Buffer.from('old'),
  ...more,
});
const shown = (archive: Buffer) =>
  [...readArchive(archive)].map(({ type, path, mode, content }) => `${type} ${path} ${mode.toString(8)} ${content}`);

it('attached files lie over the tree: a file keeps the mode of the one it replaces, and what is in the way goes', async () => {
  const tree = await encodeArchive([
    entry('run.sh', { mode: 0o755 }),
    entry('src', { type: 'directory', mode: 0o755, content: Buffer.alloc(0) }),
    entry('src/a'),
    entry('src/b'),
    entry('link', { type: 'symlink', mode: 0o777, content: Buffer.from('/etc') }),
    entry('plain'),
  ]);
  const attached = ['run.sh', 'src', 'link/passwd', 'plain/below'].map((path) => ({
    path,
    content: Buffer.from('new'),
  }));
  const { archive, files } = await layOver(tree, attached, 2);
  expect(shown(archive).sort()).toEqual([
    'file link/passwd 644 new',
    'file plain/below 644 new',
    'file run.sh 755 new',
    'file src 644 new',
  ]);
  expect(files.find(({ path }) => path === 'run.sh')?.executable).toBe(true);
});

it('without a tree there are the attached files alone, and without these an archive of nothing', async () => {
  expect(shown((await layOver(null, [{ path: 'a', content: Buffer.from('x') }], 0)).archive)).toEqual(['file a 644 x']);
  expect(shown((await layOver(null, [], 0)).archive)).toEqual([]);
});
