import type { PatchFile } from '../../../reading/patch.ts';

/** A row of the tree of files. */
export type TreeRow =
  | { is: 'folder'; path: string; name: string; depth: number; isFolded: boolean }
  | { is: 'file'; nth: number; path: string; name: string; depth: number };

interface Folder {
  path: string;
  folders: Map<string, Folder>;
  files: { nth: number; name: string; path: string }[];
}

const newFolder = (path: string): Folder => ({ path, folders: new Map(), files: [] });
/** Deeper folders are one with that of their file. */
const mostDepth = 30;

function treeOf(files: readonly Pick<PatchFile, 'path'>[], words: string): Folder {
  const root = newFolder('');
  const wanted = words.trim().toLowerCase();
  for (const [nth, { path }] of files.entries()) {
    if (!path.toLowerCase().includes(wanted)) continue;
    const parts = path.split('/');
    const names = [...parts.slice(0, Math.min(parts.length - 1, mostDepth))];
    let folder = root;
    for (const name of names) {
      let inner = folder.folders.get(name);
      if (inner === undefined) {
        inner = newFolder(folder === root ? name : `${folder.path}/${name}`);
        folder.folders.set(name, inner);
      }
      folder = inner;
    }
    folder.files.push({ nth, path, name: parts.slice(names.length).join('/') });
  }
  return root;
}

/** The rows that are shown: folders that have nothing else but one folder are one row with it. */
export function treeRows(
  files: readonly Pick<PatchFile, 'path'>[],
  words: string,
  folded: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (folder: Folder, depth: number) => {
    for (let inner of folder.folders.values()) {
      const above = folder.path === '' ? 0 : folder.path.length + 1;
      while (inner.files.length === 0 && inner.folders.size === 1) inner = [...inner.folders.values()][0] as Folder;
      const isFolded = words.trim() === '' && folded.has(inner.path);
      rows.push({ is: 'folder', path: inner.path, name: inner.path.slice(above), depth, isFolded });
      if (!isFolded) walk(inner, depth + 1);
    }
    for (const file of folder.files) rows.push({ is: 'file', depth, ...file });
  };
  walk(treeOf(files, words), 0);
  return rows;
}
