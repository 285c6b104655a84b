import { isUtf8 } from 'node:buffer';
import { type ArchiveEntry, readArchive, readSnapshot, type SnapshotEntry } from '../../../sandbox/archive.ts';
import { isForbidden } from '../../inputs/forbidden-names.ts';

/** Differences between the original workspace and its present state: pure rules, without I/O. */

export interface Change {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  before: ArchiveEntry | undefined;
  after: SnapshotEntry | undefined;
}

/** Files without content count as unchanged if size and modification time equal those of the input. */
function isSame(before: ArchiveEntry, after: SnapshotEntry): boolean {
  if (after.type === 'file' && (before.mode & 0o100) !== (after.mode & 0o100)) return false;
  if (after.content !== undefined) return before.content.equals(after.content);
  return before.content.length === after.sizeBytes && before.modifiedMs === after.modifiedMs;
}

export function isBelow(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    if (directories.has(path.slice(0, at))) return true;
  }
  return false;
}

/** By path. A directory is listed only if nobody may read it. */
export function changesBetween(laid: Buffer, snapshot: Buffer): Change[] {
  const before = new Map<string, ArchiveEntry>();
  for (const entry of readArchive(laid)) if (entry.type !== 'directory') before.set(entry.path, entry);
  const changes: Change[] = [];
  const seen = new Set<string>();
  const closed = new Set<string>();
  for (const after of readSnapshot(snapshot)) {
    const { path } = after;
    // The platform's own, and nothing that Git would take.
    if (isForbidden(path.split('/', 1)[0]!)) continue;
    if (after.type === 'directory') {
      if (after.content !== undefined) continue;
      closed.add(path);
      changes.push({ path, change: 'modified', before: undefined, after });
      continue;
    }
    const former = before.get(path);
    seen.add(path);
    const became = former !== undefined && former.type !== after.type;
    if (became) changes.push({ path, change: 'deleted', before: former, after: undefined });
    if (!former || became) changes.push({ path, change: 'added', before: undefined, after });
    else if (!isSame(former, after)) changes.push({ path, change: 'modified', before: former, after });
  }
  for (const [path, entry] of before) {
    if (seen.has(path) || isBelow(path, closed)) continue;
    changes.push({ path, change: 'deleted', before: entry, after: undefined });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

export const isBinary = (content: Buffer): boolean => content.includes(0) || !isUtf8(content);

/** As Git writes it. */
export const modeOf = ({ type, mode }: { type: ArchiveEntry['type']; mode: number }): string =>
  type === 'symlink' ? '120000' : mode & 0o100 ? '100755' : '100644';
