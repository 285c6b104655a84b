import { chmod, lstat, mkdir, open, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, encodeArchive } from './archive.ts';
import { bytesOf, pathOf } from './path-bytes.ts';

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
  const at = (path: string) => Buffer.concat([Buffer.from(`${root}/`), bytesOf(path)]);
  const made = new Set<string>(['.']);
  const makeDirectory = async (path: string): Promise<void> => {
    if (made.has(path)) return;
    await makeDirectory(dirname(path));
    await mkdir(at(path));
    await chmod(at(path), 0o755);
    made.add(path);
  };
  for (const path of directories) await makeDirectory(path);
  const next = files[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: filesAtOnce }, async () => {
      for (const file of next) await writeNew(at(file.path), file);
    }),
  );
  for (const { path, content } of links) await symlink(content, at(path));
}

async function writeNew(path: Buffer, { content, mode, modifiedMs }: ArchiveEntry): Promise<void> {
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
  const walk = async (directory: Buffer, above: string): Promise<void> => {
    for (const name of await readdir(directory, { encoding: 'buffer' })) {
      const place = Buffer.concat([directory, Buffer.from('/'), name]);
      const path = above + pathOf(name);
      const facts = await lstat(place);
      const { mode, mtimeMs: modifiedMs } = facts;
      const type = facts.isSymbolicLink() ? 'symlink' : facts.isDirectory() ? 'directory' : 'file';
      const content = {
        symlink: () => readlink(place, { encoding: 'buffer' }),
        directory: async () => Buffer.alloc(0),
        file: () => readFile(place),
      }[type];
      entries.push({ type, path, mode: mode & 0o777, modifiedMs, content: await content() });
      if (type === 'directory') await walk(place, `${path}/`);
    }
  };
  await walk(Buffer.from(root), '');
  return encodeArchive(entries);
}
