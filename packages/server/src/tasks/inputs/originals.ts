import { posix } from 'node:path';
import { isBinLink, type Link } from '../../gate/index.ts';
import { inStretches } from '../../platform/index.ts';
import { type ArchiveEntry, encodeArchive, readArchive, type SandboxFile } from '../../sandbox/index.ts';

/** The buyer's inputs as written to /workspace. The agent's sandbox and the gate start from the same bytes. */
export interface Originals {
  /** Of nobody else: it can be handed to a thread. */
  archive: Buffer<ArrayBuffer>;
  /** The regular files in it. */
  files: SandboxFile[];
  /** Links in it that decide which programs are started. */
  links: Link[];
  /** Its empty directories: Git has none but those of submodules that could not be had. */
  emptyDirectories: number;
}

/** The directories above a path. */
function* above(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) yield path.slice(0, at);
}

/**
 * The repository's tree with the attached files over it. A file in the way of another's path is removed. A tree names
 * each directory before its content. It may have a hundred megabytes, so the event loop gets turns meanwhile.
 */
export async function layOver(
  tree: Buffer | null,
  attached: readonly SandboxFile[],
  modifiedMs: number,
): Promise<Originals> {
  const entries = new Map<string, ArchiveEntry>();
  const over = new Set(attached.map(({ path }) => path));
  const directories = new Set(attached.flatMap(({ path }) => [...above(path)]));
  /** Everything below a directory that a file takes the place of. */
  let gone = '/';
  await inStretches(tree === null ? [] : readArchive(tree), (entry) => {
    const { path, type } = entry;
    if (path.startsWith(gone) || (type !== 'directory' && directories.has(path))) return;
    if (type === 'directory' && over.has(path)) gone = `${path}/`;
    entries.set(path, entry);
  });
  for (const { path, content } of attached) {
    const replaced = entries.get(path);
    const mode = replaced?.type === 'file' ? replaced.mode : 0o644;
    entries.set(path, { type: 'file', path, mode, modifiedMs, content });
  }
  const files: SandboxFile[] = [];
  const links: Link[] = [];
  const empty = new Set<string>();
  await inStretches(entries.values(), ({ type, path, content, mode }) => {
    empty.delete(posix.dirname(path));
    if (type === 'directory') empty.add(path);
    if (type === 'file') files.push({ path, content, ...(mode & 0o100 && { executable: true }) });
    else if (type === 'symlink' && isBinLink(path)) links.push({ path, target: content.toString('utf8') });
  });
  return { archive: await encodeArchive(entries.values()), files, links, emptyDirectories: empty.size };
}
