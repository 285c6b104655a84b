import { inStretches, joined } from '../platform/concurrency/index.ts';
import { SandboxError } from './driver.ts';
import { bytesOf, pathOf } from './path-bytes.ts';

export { bytesOf, escapedByte, isNotText, pathOf } from './path-bytes.ts';

/**
 * The archive that `exportWorkspace` returns and `importWorkspace` takes; `native/files.c` uses the same format.
 * Untrusted code may have made what is read here.
 */

export interface ArchiveEntry {
  type: 'file' | 'directory' | 'symlink';
  /** Relative to the workspace, without `.` and `..`, as `pathOf` gives it. */
  path: string;
  /** Permission bits; ignored for links. */
  mode: number;
  modifiedMs: number;
  /** A file's content or a link's target; empty for directories. */
  content: Buffer;
}

/** Bytes before the path of an entry. */
export const headBytes = 21;
const letters = { file: 'f', directory: 'd', symlink: 'l' } as const;
/** `s` and `S` are a file and a directory without their content. */
const types: Record<string, ArchiveEntry['type']> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  s: 'file',
  S: 'directory',
};

function head(
  letter: string,
  entry: Pick<ArchiveEntry, 'mode' | 'modifiedMs'>,
  size: number,
  pathBytes: number,
): Buffer {
  const bytes = Buffer.alloc(headBytes);
  bytes.write(letter, 0, 'latin1');
  bytes.writeUInt16LE(entry.mode & 0o777, 1);
  bytes.writeBigUInt64LE(BigInt(size), 3);
  bytes.writeBigInt64LE(BigInt(Math.trunc(entry.modifiedMs)), 11);
  bytes.writeUInt16LE(pathBytes, 19);
  return bytes;
}

/** Directories that hold a file need no entry of their own. */
export async function encodeArchive(entries: Iterable<ArchiveEntry>): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  await inStretches(entries, (entry) => {
    const path = bytesOf(entry.path);
    parts.push(head(letters[entry.type], entry, entry.content.length, path.length), path, entry.content);
  });
  parts.push(head('e', { mode: 0, modifiedMs: 0 }, 0, 0));
  return joined(parts);
}

const damaged = () => new SandboxError('REFUSED', 'The archive is damaged.');

/** As found in a workspace; `content` is undefined if it was left out. */
export interface SnapshotEntry extends Omit<ArchiveEntry, 'content'> {
  sizeBytes: number;
  content: Buffer | undefined;
}

/** Contents are views into the archive. A path that leads out of the workspace is refused. */
export function* readArchive(archive: Buffer): Generator<ArchiveEntry> {
  for (const { sizeBytes: _, content, ...entry } of readSnapshot(archive)) {
    if (content === undefined) throw damaged();
    yield { ...entry, content };
  }
}

/** What stands before the content of an entry. */
export interface ArchiveHead extends Pick<ArchiveEntry, 'type' | 'path' | 'mode' | 'modifiedMs'> {
  sizeBytes: number;
  /** Null where it was left out. */
  contentBytes: number | null;
  /** From the entry's beginning to its content. */
  bytes: number;
}

/** Reads the head of an entry from at least `bytes` of it; null at the end of the archive. */
export function headAt(archive: Buffer, at = 0): ArchiveHead | null {
  if (at + headBytes > archive.length) throw damaged();
  const letter = String.fromCharCode(archive[at]!);
  if (letter === 'e') return null;
  const type = types[letter];
  const sizeBytes = type === 'directory' ? 0 : Number(archive.readBigUInt64LE(at + 3));
  const pathEnd = at + headBytes + archive.readUInt16LE(at + 19);
  if (!type || pathEnd > archive.length) throw damaged();
  const path = pathOf(archive.subarray(at + headBytes, pathEnd));
  if (path.includes('\0') || path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw damaged();
  }
  const mode = archive.readUInt16LE(at + 1) & 0o777;
  const modifiedMs = Number(archive.readBigInt64LE(at + 11));
  const isLeftOut = letter === 's' || letter === 'S';
  return { type, path, mode, modifiedMs, sizeBytes, contentBytes: isLeftOut ? null : sizeBytes, bytes: pathEnd - at };
}

/** The entries of an archive with their places in it. */
function* placed(archive: Buffer): Generator<ArchiveHead & { at: number; begin: number; end: number }> {
  for (let at = 0; ; ) {
    const found = headAt(archive, at);
    if (found === null) return;
    const begin = at + found.bytes;
    const end = begin + (found.contentBytes ?? 0);
    if (!(end <= archive.length)) throw damaged();
    yield { ...found, at, begin, end };
    at = end;
  }
}

/** Reads what `snapshot` gives, and archives. */
export function* readSnapshot(archive: Buffer): Generator<SnapshotEntry> {
  for (const { at: _, begin, end, bytes: __, contentBytes, ...entry } of placed(archive)) {
    yield { ...entry, content: contentBytes === null ? undefined : archive.subarray(begin, end) };
  }
}

/** Gives all entries this time, where they stand. */
export const setModified = (archive: Buffer, modifiedMs: number): Promise<void> =>
  inStretches(placed(archive), ({ at }) => void archive.writeBigInt64LE(BigInt(Math.trunc(modifiedMs)), at + 11));
