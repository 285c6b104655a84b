import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';

export interface DeliveredFiles {
  /** Paths relative to the workspace, sorted. */
  paths: string[];
  /** Those that the buyer did not supply in this form. */
  changed: string[];
  /** Whether anything at all differs, removals included. */
  differs: boolean;
}

const hashOf = (file: SandboxFile) => createHash('sha256').update(file.content).digest('hex');

interface Listing {
  listing: string;
  truncated: boolean;
}

/** Compares the workspace's files, listed with their hashes, with the buyer's files. */
export function compareFiles(originalFiles: readonly SandboxFile[], { listing, truncated }: Listing): DeliveredFiles {
  const originals = new Map<string, SandboxFile>();
  for (const file of originalFiles) originals.set(posix.normalize(file.path), file);
  const delivered: DeliveredFiles = { paths: [], changed: [], differs: false };
  // The output limit cut off everything after the last terminator.
  for (const record of listing.split('\0').slice(0, -1)) {
    const path = posix.normalize(record.slice(66));
    delivered.paths.push(path);
    const original = originals.get(path);
    originals.delete(path);
    if (original === undefined || hashOf(original) !== record.slice(0, 64)) delivered.changed.push(path);
  }
  delivered.paths.sort();
  delivered.changed.sort();
  const removed = !truncated && [...originals.values()].some((file) => file.content.length < 4_000_000);
  delivered.differs = delivered.changed.length > 0 || removed;
  return delivered;
}
