import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashOfMod, hashOfZip } from './go/hash.ts';
import { commitOfZip } from './php/archive.ts';

/** Packages by their hashes, shared by all tasks; laid out as npm keeps them. */

export interface Integrity {
  algorithm: string;
  hex: string;
}

/** Hashes that are not those of all bytes; null for what has none. */
const ofContent: Record<string, (content: Buffer) => string | null | Promise<string | null>> = {
  'h1-mod': hashOfMod,
  'h1-zip': hashOfZip,
  'git-zip': commitOfZip,
};

async function has(content: Buffer, { algorithm, hex }: Integrity): Promise<boolean> {
  const own = ofContent[algorithm];
  return (own ? await own(content) : createHash(algorithm).update(content).digest('hex')) === hex;
}

/** Of a package in the cache of npm, and in ours. */
export const contentPath = ({ algorithm, hex }: Integrity): string =>
  join('content-v2', algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));

/** Of what comes from an owner's own registries: below the others, so that room is made in both. */
export const ownersHome = (home: string, ownerId: string): string => join(home, 'content-v2/owners', ownerId);

/** The package, or null where it is not there or has been damaged. */
export async function readPackage(home: string, integrity: Integrity, nowMs: number): Promise<Buffer | null> {
  const path = join(home, contentPath(integrity));
  const content = await readFile(path).catch(() => null);
  if (content === null) return null;
  if (!(await has(content, integrity))) {
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
): Promise<Buffer> {
  const path = join(home, contentPath(integrity));
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.${performance.now()}`;
  const file = await open(partial, 'wx', 0o600);
  try {
    for await (const chunk of body) {
      count(chunk.length);
      await file.write(chunk);
    }
    const content = await readFile(partial);
    if (!(await has(content, integrity))) throw new HashDiffers();
    await rename(partial, path);
    return content;
  } finally {
    await file.close();
    await rm(partial, { force: true });
  }
}
