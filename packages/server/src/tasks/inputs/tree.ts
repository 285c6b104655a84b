import git from 'isomorphic-git';
import { type ArchiveEntry, encodeArchive } from '../../sandbox/archive.ts';
import { isForbidden } from './forbidden-names.ts';
import { CloneRefused } from './pack.ts';

type Repo = Parameters<typeof git.readTree>[0];

export interface TreeLimits {
  modifiedMs: number;
  maxBytes: number;
  /** Directories count as files. */
  maxFiles: number;
}

/** Well below what a sandbox can write and export again. */
const maxDepth = 100;
const maxPathBytes = 1024;
const maxLinkBytes = 4095;

/** A commit's tree as an archive. Submodules become empty directories, as in any clone that does not fetch them. */
export async function treeArchive(
  repo: Omit<Repo, 'oid'>,
  root: string,
  { modifiedMs, maxBytes, maxFiles }: TreeLimits,
): Promise<Buffer> {
  const entries: ArchiveEntry[] = [];
  let total = 0;
  const add = (entry: Omit<ArchiveEntry, 'modifiedMs'>) => {
    total += entry.content.length;
    if (total > maxBytes) throw new CloneRefused('too_large');
    if (entries.length >= maxFiles) throw new CloneRefused('too_many_files');
    entries.push({ ...entry, modifiedMs });
  };
  const walk = async (oid: string, parent: string, depth: number): Promise<void> => {
    if (depth > maxDepth) throw new CloneRefused('unsafe_path');
    const { tree } = await git.readTree({ ...repo, oid });
    const names = new Set<string>();
    for (const { mode, path: name, oid: child, type } of tree) {
      const path = parent + name;
      const isUnsafe = isForbidden(name) || names.has(name) || Buffer.byteLength(name) > 255;
      if (isUnsafe || Buffer.byteLength(path) > maxPathBytes) throw new CloneRefused('unsafe_path');
      names.add(name);
      if (type === 'tree' || type === 'commit') {
        add({ type: 'directory', path, mode: 0o755, content: Buffer.alloc(0) });
        if (type === 'tree') await walk(child, `${path}/`, depth + 1);
        continue;
      }
      const content = Buffer.from((await git.readBlob({ ...repo, oid: child })).blob);
      add(fileOrLink(mode, path, content));
    }
  };
  await walk(root, '', 1);
  return encodeArchive(entries);
}

function fileOrLink(mode: string, path: string, content: Buffer): Omit<ArchiveEntry, 'modifiedMs'> {
  if (mode !== '120000') return { type: 'file', path, mode: mode === '100755' ? 0o755 : 0o644, content };
  if (content.length === 0 || content.length > maxLinkBytes || content.includes(0))
    throw new CloneRefused('unsafe_path');
  return { type: 'symlink', path, mode: 0o777, content };
}
