import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Sandbox, SandboxFile } from '../../sandbox/index.ts';
import { execIn } from './stage.ts';

/** Pinned versions are looked at however long their list is. */
const lockfiles = ['package-lock.json', 'npm-shrinkwrap.json', 'requirements*.txt', 'go.mod', 'Cargo.lock'];

/** Files that are listed and compared: larger ones are data, and dependencies are nobody's delivered work. */
const inventoryCommand = [
  "find . '(' -name node_modules -o -name .git -o -name .agora ')' -prune",
  `-o -type f '(' -size -4096k ${lockfiles.map((name) => `-o -name '${name}'`).join(' ')} ')'`,
  '-exec sha256sum -z -- {} +',
].join(' ');

export interface Delivered {
  /** Paths relative to the workspace, sorted. */
  paths: string[];
  /** Those that the buyer did not supply in this form. */
  changed: string[];
  /** Whether anything at all differs, removals included. */
  differs: boolean;
}

const hashOf = (file: SandboxFile) => createHash('sha256').update(file.content).digest('hex');

/** Compares the workspace with what the buyer supplied; null when the sandbox lacks the tools for it. */
export async function deliveredFiles(
  sandbox: Sandbox,
  originalFiles: readonly SandboxFile[],
): Promise<Delivered | null> {
  const listed = await execIn(sandbox, inventoryCommand, 30_000, { env: { LC_ALL: 'C' } });
  if (listed.exitCode !== 0 || listed.timedOut) return null;
  const originals = new Map<string, SandboxFile>();
  for (const file of originalFiles) originals.set(posix.normalize(file.path), file);
  const delivered: Delivered = { paths: [], changed: [], differs: false };
  // Whatever follows the last terminator was cut off by the output limit.
  for (const record of listed.stdout.split('\0').slice(0, -1)) {
    const path = posix.normalize(record.slice(66));
    delivered.paths.push(path);
    const original = originals.get(path);
    originals.delete(path);
    if (original === undefined || hashOf(original) !== record.slice(0, 64)) delivered.changed.push(path);
  }
  delivered.paths.sort();
  delivered.changed.sort();
  const removed = !listed.truncated && [...originals.values()].some((file) => file.content.length < 4_000_000);
  delivered.differs = delivered.changed.length > 0 || removed;
  return delivered;
}
