import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { ChangedFile } from '@agora-market/contract';
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff';
import { escapedByte } from '../../sandbox/archive.ts';
import { type Change, isBinary, modeOf } from '../workspace/diff/changes.ts';

/**
 * A change in the format that `git apply` takes (gitformat-diff(5)), binary contents included. Pure and in one piece for
 * each file: the caller bounds how many there are, in a thread of its own.
 */

interface Side {
  path: string;
  mode: string;
  content: Buffer;
}

/** One file of a change, and its text in the patch. Only files that moved without a change of content are renamed. */
export interface PatchedFile extends ChangedFile {
  /** Null where it does not fit. */
  patch: string | null;
}

/** Time for comparing all texts, and characters of the whole patch. */
export interface PatchBounds {
  timeoutMs: number;
  chars: number;
}

/** Bytes that may be packed for each character that there is room for. */
const mostPacked = 4;
/** Lines that stay the same, around those that change. */
const context = 3;
const fileMs = 1_000;
const maxEdits = 10_000;
/** Of both sides. */
const maxComparedChars = 2 * 1024 ** 2;

/** The name of a content in Git's store: only `git apply --3way` and binary patches look at it. */
const blobOf = (content: Buffer) => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
const noBlob = '0'.repeat(40);

/** In quotes where Git would misread the name. */
function quoted(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is for.
  if (!/["\\\u0000-\u001f\u007f\u{10fe80}-\u{10feff}]/u.test(path)) return path;
  const escapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is for.
  const inner = path.replace(/["\\\u0000-\u001f\u007f\u{10fe80}-\u{10feff}]/gu, (character) => {
    const byte = escapedByte(character) ?? character.charCodeAt(0);
    return escapes[character] ?? `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${inner}"`;
}

const digits = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~');
const bytesInLine = 52;

/** `A` to `Z` for 1 to 26 bytes, `a` to `z` for 27 to 52. */
const lengthDigit = (bytes: number) => (bytes <= 26 ? 64 : 70) + bytes;

/**
 * A content in Git's base 85, a line for 52 bytes of its deflated form: four bytes are five digits, the last ones filled
 * with zeros.
 */
function literal(content: Buffer): string {
  const packed = deflateSync(content);
  const out = Buffer.allocUnsafe(Math.ceil(packed.length / 4) * 5 + Math.ceil(packed.length / bytesInLine) * 2);
  let end = 0;
  for (let at = 0; at < packed.length; at += 4) {
    if (at % bytesInLine === 0) {
      if (at > 0) out[end++] = 10;
      out[end++] = lengthDigit(Math.min(bytesInLine, packed.length - at));
    }
    let value = 0;
    for (let n = 0; n < 4; n += 1) value = value * 256 + (packed[at + n] ?? 0);
    for (let n = 4; n >= 0; n -= 1) {
      out[end + n] = digits[value % 85]!;
      value = Math.floor(value / 85);
    }
    end += 5;
  }
  return `literal ${content.length}\n${out.toString('latin1', 0, end)}\n\n`;
}

const none = Buffer.alloc(0);

/** All lines out and all lines in: where the two have little in common, or comparing them takes too long. */
function replacement(before: string, after: string): string {
  const lines = (text: string, mark: string) => {
    if (text === '') return '';
    const ends = text.endsWith('\n');
    const body = (ends ? text.slice(0, -1) : text).replaceAll('\n', `\n${mark}`);
    return `${mark}${body}\n${ends ? '' : '\\ No newline at end of file\n'}`;
  };
  const range = (text: string) => (text === '' ? '0,0' : `1,${countLines(text)}`);
  return `@@ -${range(before)} +${range(after)} @@\n${lines(before, '-')}${lines(after, '+')}`;
}

function countLines(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The part of two texts in which they differ, with the lines around it: comparing costs no more than that. */
function differing(before: string, after: string): { linesBefore: number; before: string; after: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let alike = 0;
  while (
    alike < shorter - start &&
    before.charCodeAt(before.length - 1 - alike) === after.charCodeAt(after.length - 1 - alike)
  )
    alike += 1;
  let from = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1;
  for (let lines = 0; lines < context && from > 0; lines += 1)
    from = from === 1 ? 0 : before.lastIndexOf('\n', from - 2) + 1;
  let end = before.indexOf('\n', before.length - alike);
  for (let lines = 0; lines < context && end >= 0; lines += 1) end = before.indexOf('\n', end + 1);
  const rest = end < 0 ? 0 : before.length - (end + 1);
  return {
    linesBefore: from === 0 ? 0 : countLines(before.slice(0, from)),
    before: before.slice(from, before.length - rest),
    after: after.slice(from, after.length - rest),
  };
}

/** Compares two texts within what is left of the time for all of them. */
function hunks(before: string, after: string, timeoutMs: number): string {
  if (before === after) return '';
  if (timeoutMs <= 0) return replacement(before, after);
  const part = differing(before, after);
  if (part.before.length + part.after.length > maxComparedChars) return replacement(before, after);
  const bounds = { context, timeout: Math.min(fileMs, timeoutMs), maxEditLength: maxEdits };
  const patch = structuredPatch('', '', part.before, part.after, undefined, undefined, bounds);
  if (!patch) return replacement(before, after);
  for (const hunk of patch.hunks) {
    hunk.oldStart += part.linesBefore;
    hunk.newStart += part.linesBefore;
  }
  return formatPatch(patch, OMIT_HEADERS);
}

function linesOf(text: string): { added: number; removed: number } {
  const lines = { added: 0, removed: 0 };
  for (let at = 0; at < text.length; at = text.indexOf('\n', at) + 1) {
    if (text[at] === '+') lines.added += 1;
    if (text[at] === '-') lines.removed += 1;
  }
  return lines;
}

/** What stands before the lines of a file: names, modes, and the contents by their names in Git's store. */
function headOf(path: string, before: Side | null, after: Side | null): string[] {
  const from = before?.path ?? path;
  const head = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${path}`)}`];
  if (before === null) head.push(`new file mode ${after?.mode}`);
  else if (after === null) head.push(`deleted file mode ${before.mode}`);
  else if (before.mode !== after.mode) head.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
  if (from !== path) head.push('similarity index 100%', `rename from ${quoted(from)}`, `rename to ${quoted(path)}`);
  const blobs = [before, after].map((side) => (side === null ? noBlob : blobOf(side.content)));
  const isSameMode = before?.mode === after?.mode;
  if (blobs[0] !== blobs[1]) head.push(`index ${blobs.join('..')}${isSameMode ? ` ${after?.mode}` : ''}`);
  return head;
}

const changeOf = (before: Side | null, after: Side | null): PatchedFile['change'] => {
  if (before === null) return 'added';
  if (after === null) return 'deleted';
  return before.path === after.path ? 'modified' : 'renamed';
};

/** Null for contents that cannot fit, before they are packed. */
function binaryBody(was: Buffer, is: Buffer, room: number): string | null {
  if (was.equals(is)) return '';
  if (was.length + is.length > mostPacked * room) return null;
  return `GIT binary patch\n${literal(is)}${literal(was)}`;
}

/** Header and body of one file. */
function filePatch(path: string, before: Side | null, after: Side | null, left: PatchBounds): PatchedFile {
  const [was, is] = [before?.content ?? none, after?.content ?? none];
  const change = changeOf(before, after);
  const binary = isBinary(was) || isBinary(is);
  const text = binary ? '' : hunks(was.toString('utf8'), is.toString('utf8'), left.timeoutMs);
  const names = [before && quoted(`a/${before.path}`), after && quoted(`b/${path}`)].map((name) => name ?? '/dev/null');
  const body = text === '' ? '' : `--- ${names[0]}\n+++ ${names[1]}\n${text}`;
  return {
    ...{ path, from: change === 'renamed' ? (before?.path ?? null) : null, change },
    mode: { before: before?.mode ?? null, after: after?.mode ?? null },
    binary,
    lines: binary ? null : linesOf(text),
    patch: fitting(
      `${headOf(path, before, after).join('\n')}\n`,
      binary ? binaryBody(was, is, left.chars) : body,
      left,
    ),
  };
}

const fitting = (head: string, body: string | null, { chars }: PatchBounds) =>
  body === null || head.length + body.length > chars ? null : head + body;

const sideOf = (path: string, entry: NonNullable<Change['before']>): Side => ({
  ...{ path, content: entry.content },
  mode: modeOf(entry),
});

/** The former paths of files that were moved, by their new ones: deleted here and added there with one content. */
function moves(changes: readonly Change[]): Map<string, Change> {
  const gone = new Map<string, Change>();
  for (const change of changes) {
    const { before } = change;
    if (change.change === 'deleted' && before && before.content.length > 0)
      gone.set(`${before.type} ${blobOf(before.content)}`, change);
  }
  const found = new Map<string, Change>();
  for (const { path, change, after } of changes) {
    if (change !== 'added' || !after?.content || after.content.length === 0) continue;
    const key = `${after.type} ${blobOf(after.content)}`;
    const former = gone.get(key);
    if (former === undefined) continue;
    gone.delete(key);
    found.set(path, former);
  }
  return found;
}

/**
 * Every file of a change with its part of the patch, by path. Contents that were left out are left out here too. Files
 * beyond the time are replaced as a whole, and once a file does not fit no other has a part.
 */
export function* gitPatch(changes: readonly Change[], { timeoutMs, chars }: PatchBounds): Generator<PatchedFile> {
  const endsMs = performance.now() + timeoutMs;
  let room = chars;
  const moved = moves(changes);
  const former = new Set(moved.values());
  for (const change of changes) {
    const { path, before, after } = change;
    if (former.has(change) || after?.type === 'directory') continue;
    if (after !== undefined && after.content === undefined) continue;
    const source = moved.get(path);
    const was = source?.before ? sideOf(source.path, source.before) : before ? sideOf(path, before) : null;
    const is = after ? sideOf(path, { ...after, content: after.content ?? none }) : null;
    const file = filePatch(path, was, is, { timeoutMs: endsMs - performance.now(), chars: room });
    room = file.patch === null ? 0 : room - file.patch.length;
    yield file;
  }
}
