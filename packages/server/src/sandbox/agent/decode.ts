import { posix } from 'node:path';
import { TextDecoder } from 'node:util';
import { type SandboxEntry, SandboxError, type SandboxListing } from '../driver.ts';
import { pathOf } from '../path-bytes.ts';

/** Decodes the sandbox agent's bytes for the interface. Untrusted code may have made up all of it. */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Without the character that was cut in two at the end, if one was. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

export function isText(bytes: Buffer, cut: boolean): boolean {
  try {
    strict.decode(cut ? wholeCharacters(bytes) : bytes);
    return true;
  } catch {
    return false;
  }
}

/** Bytes that are no UTF-8 become U+FFFD. */
export function decodeText(bytes: Buffer, cut: boolean): string {
  return (cut ? wholeCharacters(bytes) : bytes).toString('utf8');
}

/** A reply writes a control character as six, `\\u0000`; honest text has few of them. */
const SPELLED_BYTES = 6;
const isSpelled = (byte: number) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;

/** The beginning that takes at most twice `capBytes` in a reply: all, but for output full of control characters. */
export function fitting(bytes: Buffer, capBytes: number): Buffer {
  if (bytes.length * SPELLED_BYTES <= 2 * capBytes) return bytes;
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    size += isSpelled(bytes[at]!) ? SPELLED_BYTES : 1;
    if (size > 2 * capBytes) return bytes.subarray(0, at);
  }
  return bytes;
}

/** The text of an output, of which the agent may have cut the end already. */
export function keptText(bytes: Buffer, wasCut: boolean, capBytes: number): { text: string; isCut: boolean } {
  const kept = fitting(bytes, capBytes);
  const isCut = wasCut || kept.length < bytes.length;
  return { text: decodeText(kept, isCut), isCut };
}

const TYPES: Record<string, SandboxEntry['type']> = { f: 'file', d: 'directory', l: 'symlink' };
const RECORD_HEAD = 19;
const LATEST = 8.64e15;

export function decodeListing(bytes: Buffer, directory: string): SandboxListing {
  const damaged = () => new SandboxError('REFUSED', 'The listing is damaged.');
  const entries: SandboxEntry[] = [];
  const flags = bytes[0];
  if (flags === undefined) throw damaged();
  let last = '';
  for (let at = 1; at < bytes.length; ) {
    const type = TYPES[String.fromCharCode(bytes[at]!)];
    const end = at + RECORD_HEAD <= bytes.length ? at + RECORD_HEAD + bytes.readUInt16LE(at + 17) : Infinity;
    if (!type || end > bytes.length) throw damaged();
    const name = pathOf(bytes.subarray(at + RECORD_HEAD, end));
    // The sandbox sets the time of a file, even to one that no date can express.
    const modified = Math.min(LATEST, Math.max(-LATEST, Number(bytes.readBigInt64LE(at + 9))));
    entries.push({
      name,
      path: posix.join(directory, name),
      type,
      sizeBytes: Number(bytes.readBigUInt64LE(at + 1)),
      modifiedAt: new Date(modified).toISOString(),
    });
    last = bytes.toString('hex', at + RECORD_HEAD, end);
    at = end;
  }
  return { entries, next: flags & 1 && last !== '' ? last : null, truncated: (flags & 2) !== 0 };
}
