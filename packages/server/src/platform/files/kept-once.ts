import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that is written once and then read by all; of several that make it at the same time, one stays. */
export function keptOnce(path: string, make: () => string): string {
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
  // Linked into place when it is complete, so that of two servers that start at once both read the same one.
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, make(), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
