/** Longer files are no pointers. */
const maxBytes = 1_024;
const firstLine = Buffer.from('version https://git-lfs.github.com/spec/v1\n');

/** The large file for which a file of Git LFS stands; null for any other file. */
export function lfsPointer(content: Buffer): { oid: string; size: number } | null {
  if (content.length > maxBytes || !content.subarray(0, firstLine.length).equals(firstLine)) return null;
  const text = content.toString('latin1');
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d{1,15})$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}
