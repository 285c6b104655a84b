import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveEntry, encodeArchive, type SandboxFile } from '@agora-market/server/sandbox';

/** Files and links of a workspace, by path. Never changed: each edit makes another. */
export type Tree = ReadonlyMap<string, ArchiveEntry>;

const entry = (path: string, content: Buffer, type: 'file' | 'symlink' = 'file', mode = 0o644): ArchiveEntry => ({
  type,
  path,
  mode,
  modifiedMs: 0,
  content,
});

/** A file by its text; null removes it; `{ link }` is a symbolic link. */
export type Edits = Record<string, string | null | { link: string }>;

export function edited(tree: Tree, edits: Edits): Tree {
  const files = new Map(tree);
  for (const [path, text] of Object.entries(edits)) {
    if (text === null) files.delete(path);
    else if (typeof text === 'object') files.set(path, entry(path, Buffer.from(text.link), 'symlink', 0o777));
    else files.set(path, entry(path, Buffer.from(text), 'file', tree.get(path)?.mode));
  }
  return files;
}

export const treeOf = (edits: Edits): Tree => edited(new Map(), edits);

export const textOf = (tree: Tree, path: string): string => {
  const found = tree.get(path);
  if (found === undefined) throw new Error(`${path} is not there`);
  return found.content.toString('utf8');
};

/** All files below a directory of the host, under paths relative to it. */
export function readTree(directory: string, at = ''): Tree {
  const files = new Map<string, ArchiveEntry>();
  const names = readdirSync(directory, { recursive: true, withFileTypes: true });
  for (const each of names) {
    const full = join(each.parentPath, each.name);
    const path = join(at, full.slice(directory.length + 1));
    if (each.isSymbolicLink()) files.set(path, entry(path, Buffer.from(readlinkSync(full)), 'symlink', 0o777));
    else if (each.isFile()) files.set(path, entry(path, readFileSync(full), 'file', statSync(full).mode & 0o777));
  }
  return files;
}

export const archiveOf = (tree: Tree): Promise<Buffer> => encodeArchive(tree.values());

export const filesOf = (tree: Tree): SandboxFile[] =>
  [...tree.values()].filter(({ type }) => type === 'file').map(({ path, content }) => ({ path, content }));

export const linksOf = (tree: Tree) =>
  [...tree.values()]
    .filter(({ type }) => type === 'symlink')
    .map(({ path, content }) => ({ path, target: content.toString('utf8') }));
