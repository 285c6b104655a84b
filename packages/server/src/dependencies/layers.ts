import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../platform/index.ts';
import { type ArchiveEntry, type Layer, unpack } from '../sandbox/index.ts';
import { environmentPath } from './projects.ts';

/** Installed packages by the digest of all that decides on them; each is shared by the sandboxes of many tasks. */

const metaName = 'layer.json';

export interface Layers {
  find(digest: string): Promise<Layer | null>;
  /** Another process of the server may have made the same meanwhile: then that one stays. */
  add(digest: string, entries: readonly ArchiveEntry[]): Promise<Layer>;
}

/** The directories that a layer fills: the outermost `node_modules`, and Python's environment; null for other files. */
export function layeredAt(path: string): string | null {
  if (path === environmentPath || path.startsWith(`${environmentPath}/`)) return environmentPath;
  const found = /^(?:.*?\/)??node_modules(?=\/|$)/.exec(path);
  return found === null ? null : found[0];
}

export function openLayers(home: string): Layers {
  const placeOf = (digest: string) => join(home, digest);
  async function find(digest: string): Promise<Layer | null> {
    const place = placeOf(digest);
    const text = await readFile(join(place, metaName), 'utf8').catch(() => null);
    if (text === null) return null;
    const now = systemClock.now();
    await utimes(place, now, now).catch(() => undefined);
    const { paths } = JSON.parse(text) as { paths: string[] };
    const programs = paths.includes(environmentPath) ? `${environmentPath}/bin` : null;
    return { directory: join(place, 'tree'), paths, programs };
  }
  return {
    find,
    async add(digest, entries) {
      const partial = `${placeOf(digest)}.${process.pid}.${performance.now()}`;
      try {
        await mkdir(join(partial, 'tree'), { recursive: true, mode: 0o755 });
        await unpack(join(partial, 'tree'), entries);
        const paths = [...new Set(entries.map(({ path }) => layeredAt(path)).filter((path) => path !== null))];
        await writeFile(join(partial, metaName), JSON.stringify({ paths }));
        await rename(partial, placeOf(digest)).catch(async (error) => {
          if ((await find(digest)) === null) throw error;
        });
      } finally {
        await rm(partial, { recursive: true, force: true });
      }
      return (await find(digest))!;
    },
  };
}

interface Kept {
  path: string;
  bytes: number;
  usedMs: number;
}

/** Bytes on disk below a path, whatever lies there. */
async function bytesBelow(path: string): Promise<number> {
  let bytes = 0;
  for (const found of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!found.isFile()) continue;
    const { size } = await stat(join(found.parentPath, found.name)).catch(() => ({ size: 0 }));
    bytes += size;
  }
  return bytes;
}

async function keptIn(directory: string, isWhole: boolean): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (const found of await readdir(directory, { recursive: !isWhole, withFileTypes: true }).catch(() => [])) {
    if (found.isDirectory() !== isWhole) continue;
    const path = join(found.parentPath, found.name);
    const facts = await stat(path).catch(() => null);
    if (facts === null) continue;
    kept.push({ path, usedMs: facts.mtimeMs, bytes: isWhole ? await bytesBelow(path) : facts.size });
  }
  return kept;
}

/**
 * Erases what was not used for the longest time, until the rest is within `maxBytes`; gives the bytes that are left. What
 * was used in the last `sparedMs` stays: a sandbox may have it mounted.
 */
export async function eraseUnused(
  { layers, content }: { layers: string; content: string },
  { maxBytes, sparedMs, nowMs }: { maxBytes: number; sparedMs: number; nowMs: number },
): Promise<number> {
  const kept = [...(await keptIn(layers, true)), ...(await keptIn(content, false))];
  kept.sort((a, b) => a.usedMs - b.usedMs);
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const each of kept) {
    if (bytes <= maxBytes || each.usedMs > nowMs - sparedMs) break;
    await rm(each.path, { recursive: true, force: true });
    bytes -= each.bytes;
  }
  return bytes;
}
