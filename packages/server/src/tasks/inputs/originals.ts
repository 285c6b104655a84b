import { isBinLink, type Link } from '../../courts/index.ts';
import { type ArchiveEntry, encodeArchive, readArchive, type SandboxFile } from '../../sandbox/index.ts';

/** What the buyer provided, as it is laid out: the agent's sandbox and the gate start from the same bytes. */
export interface Originals {
  archive: Buffer;
  /** The regular files in it. */
  files: SandboxFile[];
  /** Links in it that decide which programs are started. */
  links: Link[];
}

/** The repository's tree with the attached files over it; where a file is in the way of another's path, it goes. */
export function layOver(tree: Buffer | null, attached: readonly SandboxFile[], modifiedMs: number): Originals {
  const entries = new Map<string, ArchiveEntry>();
  for (const entry of tree === null ? [] : readArchive(tree)) entries.set(entry.path, entry);
  const isDirectory = (path: string) => entries.get(path)?.type === 'directory';
  for (const { path, content } of attached) {
    if (isDirectory(path)) for (const below of entries.keys()) if (below.startsWith(`${path}/`)) entries.delete(below);
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at);
      if (!isDirectory(parent)) entries.delete(parent);
    }
    const replaced = entries.get(path);
    const mode = replaced?.type === 'file' ? replaced.mode : 0o644;
    entries.set(path, { type: 'file', path, mode, modifiedMs, content });
  }
  const all = [...entries.values()];
  const files = all
    .filter(({ type }) => type === 'file')
    .map(({ path, content, mode }) => ({ path, content, ...(mode & 0o100 && { executable: true }) }));
  const links = all
    .filter(({ type, path }) => type === 'symlink' && isBinLink(path))
    .map(({ path, content }) => ({ path, target: content.toString('utf8') }));
  return { archive: encodeArchive(all), files, links };
}
