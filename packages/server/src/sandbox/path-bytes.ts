import { isUtf8 } from 'node:buffer';

/**
 * A name in a sandbox is bytes, and need not be UTF-8. Everywhere here it is a text that gives the same bytes again: a byte
 * that is no part of UTF-8 becomes the private character U+10FE00 + byte, as do the bytes of such a character itself. So
 * two names are never one, a shown path is the one that calls take, and databases and JSON take it. Commands are
 * translated like paths, for they name files.
 */

const firstEscape = 0x10fe80;
const lastEscape = 0x10feff;
const base = 0x10fe00;
/** The first half of these characters, and of few others. */
const half = '\udbff';

const isEscape = (code: number) => code >= firstEscape && code <= lastEscape;

/** How many bytes a character takes that begins with this one. */
const lengthOf = (first: number) => (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);

export function pathOf(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    if (!text.includes(half)) return text;
  }
  let path = '';
  for (let at = 0; at < bytes.length; ) {
    const one = bytes.subarray(at, at + lengthOf(bytes[at]!));
    const character = isUtf8(one) ? one.toString('utf8') : '';
    const isWhole = character !== '' && !isEscape(character.codePointAt(0)!);
    path += isWhole ? character : String.fromCodePoint(base + bytes[at]!);
    at += isWhole ? one.length : 1;
  }
  return path;
}

export function bytesOf(path: string): Buffer {
  if (!path.includes(half)) return Buffer.from(path);
  const parts = [...path].map((character) => {
    const code = character.codePointAt(0)!;
    return isEscape(code) ? Buffer.from([code - base]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** The byte that a character of a path stands for; null for any other character. */
export function escapedByte(character: string): number | null {
  const code = character.codePointAt(0)!;
  return isEscape(code) ? code - base : null;
}

/** Whether the name is not UTF-8, so that others cannot be told it. */
export const isNotText = (path: string): boolean => [...path].some((character) => escapedByte(character) !== null);
