import { CloneRefused } from '../inputs/pack.ts';

/**
 * Tree objects of Git as bytes: names need not be UTF-8, and a new tree has its untouched entries byte for byte. The library
 * would read each name as UTF-8 and write that.
 */

export interface TreeEntry {
  /** As it is written, `40000` for a directory. */
  mode: string;
  oid: string;
}

/** By name; each character of a name is a byte. */
export type Tree = Map<string, TreeEntry>;

const idBytes = 20;
export const isDirectory = ({ mode }: TreeEntry): boolean => /^0*40000$/.test(mode);

export function parseTree(object: Buffer): Tree {
  const tree: Tree = new Map();
  for (let at = 0; at < object.length; ) {
    const [space, end] = [object.indexOf(' ', at), object.indexOf(0, at)];
    if (space < at || end < space || end + idBytes >= object.length) throw new CloneRefused('damaged');
    const oid = object.toString('hex', end + 1, end + 1 + idBytes);
    tree.set(object.toString('latin1', space + 1, end), { mode: object.toString('latin1', at, space), oid });
    at = end + 1 + idBytes;
  }
  return tree;
}

/** In Git's order: a directory as if its name ended in a slash. */
export function encodeTree(tree: Tree): Buffer {
  const keyed = [...tree].map(([name, entry]) => ({ key: isDirectory(entry) ? `${name}/` : name, name, ...entry }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    keyed.flatMap(({ name, mode, oid }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]),
  );
}
