import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Packages by their hashes, shared by all tasks; laid out as npm keeps them. */

export interface Integrity {
  algorithm: string;
  hex: string;
}

/** Of a package in the cache of npm, and in ours. */
export const contentPath = ({ algorithm, hex }: Integrity): string =>
  join('content-v2', algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));

/** The package, or null where it is not there or has been damaged. */
export async function readPackage(home: string, integrity: Integrity, nowMs: number): Promise<Buffer | null> {
  const path = join(home, contentPath(integrity));
  const content = await readFile(path).catch(() => null);
  if (content === null) return null;
  if (createHash(integrity.algorithm).update(content).digest('hex') !== integrity.hex) {
    await rm(path, { force: true });
    return null;
  }
  await utimes(path, nowMs / 1000, nowMs / 1000).catch(() => undefined);
  return content;
}

export class HashDiffers extends Error {}

/** Stores what a registry sends, if it is what the lock names; `count` is told each chunk's size and may throw. */
export async function storePackage(
  home: string,
  integrity: Integrity,
  body: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): Promise<void> {
  const path = join(home, contentPath(integrity));
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.${performance.now()}`;
  const hash = createHash(integrity.algorithm);
  const file = await open(partial, 'wx', 0o600);
  try {
    for await (const chunk of body) {
      count(chunk.length);
      hash.update(chunk);
      await file.write(chunk);
    }
    if (hash.digest('hex') !== integrity.hex) throw new HashDiffers();
    await rename(partial, path);
  } finally {
    await file.close();
    await rm(partial, { force: true });
  }
}
