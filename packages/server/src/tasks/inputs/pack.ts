import { inflateSync } from 'node:zlib';

/** Refusals of the clone, by reason. */
export class CloneRefused extends Error {
  readonly reason: CloneReason;
  constructor(reason: CloneReason, options?: { cause?: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

/** Why a repository could not be cloned. None names the repository, whose address agents must not learn. */
export const cloneReasons = {
  unreachable: 'its server cannot be reached',
  refused_address: 'its server is not on the public Internet',
  redirected: 'its server redirects to another server, or more than once; give the address where it is',
  not_found: 'there is no such repository, or it is not public',
  not_a_repository: 'there is no git repository at its address',
  empty: 'it has no commits',
  sha256: 'it uses SHA-256 object ids, which this server cannot clone; give a copy with SHA-1 ids',
  ref_not_found: 'it has no such branch, tag or commit',
  too_large: 'it is larger than this server takes',
  too_many_files: 'it has more files than this server takes',
  unsafe_path: 'it holds a path that cannot be laid out safely',
  timed_out: 'cloning it takes too long',
  damaged: 'what is sent of it is damaged',
  not_a_bundle: 'it is no bundle; make one with `git bundle create <file> HEAD`',
  partial: 'its bundle lacks what it is built on; make it of all of HEAD, with `git bundle create <file> HEAD`',
  no_head: 'its bundle names several commits and no HEAD; make it with `git bundle create <file> HEAD`',
  not_kept: 'its bundle is not kept any more',
} as const;
export type CloneReason = keyof typeof cloneReasons;

export interface PackLimits {
  /** Of all objects together, unpacked, and so of each. */
  maxBytes: number;
  maxObjects: number;
}

/** Objects of a pack that are no files: directories and commits. */
const objectsPerFile = 4;

export const limitsOf = ({ maxBytes, maxFiles }: { maxBytes: number; maxFiles: number }): PackLimits => ({
  maxBytes,
  maxObjects: objectsPerFile * maxFiles,
});

const TYPES = { ofsDelta: 6, refDelta: 7 } as const;
const HEAD = 12;
const TRAILER = 20;

/** Seven bits a byte, the lowest first. */
function size(bytes: Buffer, at: number, first = 0, shift = 0): { value: number; next: number } {
  let value = first;
  for (let bits = shift; ; bits += 7) {
    const byte = bytes[at];
    if (byte === undefined || bits > 45) throw new CloneRefused('damaged');
    value += (byte & 127) * 2 ** bits;
    at += 1;
    if (byte < 128) return { value, next: at };
  }
}

/**
 * Checks a pack before anything reads it. Each object must be as large as it says. All together, with what deltas make,
 * must stay below the limit.
 */
export function inspectPack(pack: Buffer, { maxBytes, maxObjects }: PackLimits): void {
  if (pack.length < HEAD + TRAILER || pack.toString('latin1', 0, 4) !== 'PACK') throw new CloneRefused('damaged');
  const objects = pack.readUInt32BE(8);
  if (objects > maxObjects) throw new CloneRefused('too_many_files');
  const end = pack.length - TRAILER;
  let total = 0;
  const count = (bytes: number) => {
    total += bytes;
    if (total > maxBytes) throw new CloneRefused('too_large');
  };
  let at = HEAD;
  for (let object = 0; object < objects; object++) {
    const first = pack[at] ?? 0;
    const type = (first >> 4) & 7;
    const declared = first < 128 ? { value: first & 15, next: at + 1 } : size(pack, at + 1, first & 15, 4);
    at = declared.next;
    if (type === TYPES.ofsDelta) while (at < end && pack[at++]! >= 128);
    if (type === TYPES.refDelta) at += 20;
    count(declared.value);
    const { content, used } = inflate(pack.subarray(at, end), declared.value);
    if (type === TYPES.ofsDelta || type === TYPES.refDelta) count(size(content, size(content, 0).next).value);
    at += used;
  }
  if (at !== end) throw new CloneRefused('damaged');
}

function inflate(bytes: Buffer, length: number): { content: Buffer; used: number } {
  try {
    const options = { maxOutputLength: Math.max(1, length), info: true } as const;
    const { buffer, engine } = inflateSync(bytes, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    if (buffer.length !== length) throw new CloneRefused('damaged');
    return { content: buffer, used: engine.bytesWritten };
  } catch (error) {
    throw new CloneRefused('damaged', { cause: error });
  }
}
