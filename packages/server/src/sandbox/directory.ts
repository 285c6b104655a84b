import { chmod, mkdir, open, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, encodeArchive } from './archive.ts';

/** Archives as directories of the host. */

const filesAtOnce = 16;

/**
 * Every directory is made here, and links come last, so nothing is ever written through a link. Links are kept as
 * they are: only the sandbox follows them, and there they lead to its own files.
 */
export async function unpack(root: string, entries: Iterable<ArchiveEntry>): Promise<void> {
  const files: ArchiveEntry[] = [];
  const links: ArchiveEntry[] = [];
  const directories = new Set<string>();
  await inStretches(entries, (entry) => {
    if (entry.type === 'symlink') links.push(entry);
    else if (entry.type === 'file') files.push(entry);
    directories.add(entry.type === 'directory' ? entry.path : dirname(entry.path));
  });
  const made = new Set<string>([root]);
  const makeDirectory = async (path: string): Promise<void> => {
    if (made.has(path)) return;
    await makeDirectory(dirname(path));
    await mkdir(path);
    await chmod(path, 0o755);
    made.add(path);
  };
  for (const path of directories) await makeDirectory(join(root, path));
  const next = files[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: filesAtOnce }, async () => {
      for (const file of next) await writeNew(join(root, file.path), file);
    }),
  );
  for (const { path, content } of links) {
    await symlink(content.toString('utf8'), join(root, path));
  }
}

async function writeNew(path: string, { content, mode, modifiedMs }: ArchiveEntry): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.chmod(mode & 0o100 ? 0o755 : 0o644);
    await handle.utimes(modifiedMs / 1000, modifiedMs / 1000);
  } finally {
    await handle.close();
  }
}

/** A directory that `unpack` has filled. */
export async function archiveOfDirectory(root: string): Promise<Buffer> {
  const entries: ArchiveEntry[] = [];
  for (const found of await readdir(root, { recursive: true, withFileTypes: true })) {
    const place = join(found.parentPath, found.name);
    const path = place.slice(root.length + 1);
    if (found.isSymbolicLink()) {
      entries.push({ type: 'symlink', path, mode: 0o777, modifiedMs: 0, content: Buffer.from(await readlink(place)) });
      continue;
    }
    const { mode, mtimeMs: modifiedMs } = await stat(place);
    const type = found.isDirectory() ? 'directory' : 'file';
    const content = type === 'file' ? await readFile(place) : Buffer.alloc(0);
    entries.push({ type, path, mode: mode & 0o777, modifiedMs, content });
  }
  return encodeArchive(entries);
}
