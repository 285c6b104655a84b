import { lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../platform/index.ts';
import { type ArchiveEntry, type Layer, unpack } from '../sandbox/index.ts';
import { needsOf } from './ecosystems.ts';
import type { DependencyProblem } from './problems.ts';

/** Installed packages by the digest of all that decides on them; each is shared by the sandboxes of many tasks. */

const metaName = 'layer.json';
/** What a file, a directory or a link takes of a disk at least. */
const blockBytes = 4096;

/** Kept beside the files, so that nobody counts them again. */
interface Meta {
  paths: string[];
  bytes: number;
  /** What could not be had of it. */
  problems: DependencyProblem[];
  /** Whose own registries it may have packages of; null where it is everybody's. */
  ownerId: string | null;
}

/** What sandboxes start with, so that a project's own tests find its packages without network. */
export interface Prepared<L = Layer | null> {
  /** Null where the files name no packages, or these cannot be had. */
  layer: L;
  problems: DependencyProblem[];
}

export interface Layers {
  find(digest: string): Promise<Prepared<Layer> | null>;
  /** Another call may have made the same meanwhile: then that one stays. */
  add(
    digest: string,
    made: { entries: readonly ArchiveEntry[]; paths: string[] },
    about: Pick<Meta, 'problems' | 'ownerId'>,
  ): Promise<Prepared<Layer>>;
  /**
   * Erases what was not used for the longest time, layers and packages, until the rest is within `maxBytes`; gives the
   * bytes that are left. What a sandbox uses, and what was used in the last minutes, stays.
   */
  makeRoom(maxBytes: number): Promise<number>;
  /** Erases unused layers and packages of owners of whom this is said. */
  eraseOfOwners(isGone: (ownerId: string) => Promise<boolean>): Promise<void>;
}

/** What entries take of a disk. */
export const bytesOnDisk = (entries: readonly ArchiveEntry[]): number =>
  entries.reduce((sum, { content }) => sum + Math.max(blockBytes, content.length), 0);

/** A sandbox that is about to start with a layer has found it so lately. */
const sparedMs = 600_000;

interface Kept {
  path: string;
  bytes: number;
  usedMs: number;
}

/** Names with a dot are being written or erased; what a process left of them goes at the next start. */
const isWhole = (name: string) => !name.includes('.');

/** `content`: where packages lie by their hashes. */
export function openLayers(home: string, content: string): Layers {
  const placeOf = (digest: string) => join(home, digest);
  /** Sandboxes that live, by digest. */
  const uses = new Map<string, number>();
  let makingRoom: Promise<number> | null = null;

  function use(digest: string): () => void {
    uses.set(digest, (uses.get(digest) ?? 0) + 1);
    return () => {
      const left = (uses.get(digest) ?? 1) - 1;
      if (left > 0) uses.set(digest, left);
      else uses.delete(digest);
    };
  }

  async function find(digest: string): Promise<Prepared<Layer> | null> {
    const place = placeOf(digest);
    const meta = await metaIn(place);
    if (meta === null) return null;
    const now = systemClock.now();
    await utimes(place, now, now).catch(() => undefined);
    const { paths } = meta;
    const layer = { digest, directory: join(place, 'tree'), paths, ...needsOf(paths), use: () => use(digest) };
    return { layer, problems: meta.problems };
  }

  async function erase({ path }: Pick<Kept, 'path'>): Promise<void> {
    // Whole or not at all, also after a crash in the middle.
    const gone = `${path}.gone`;
    await rename(path, gone);
    await rm(gone, { recursive: true, force: true });
  }

  async function eraseUnused(maxBytes: number): Promise<number> {
    const kept = [...(await layersIn(home)), ...(await packagesIn(content))].sort((a, b) => a.usedMs - b.usedMs);
    let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
    for (const each of kept) {
      if (bytes <= maxBytes) break;
      const nowMs = systemClock.now().getTime();
      // It may have been used since it was listed.
      const { mtimeMs: usedMs } = await lstat(each.path).catch(() => ({ mtimeMs: nowMs }));
      if (usedMs > nowMs - sparedMs || uses.has(each.path.slice(home.length + 1))) continue;
      await erase(each);
      bytes -= each.bytes;
    }
    return bytes;
  }

  return {
    find,
    async eraseOfOwners(isGone) {
      const stores = join(content, 'owners');
      for (const ownerId of await readdir(stores).catch(() => [])) {
        if (isWhole(ownerId) && (await isGone(ownerId))) await erase({ path: join(stores, ownerId) }).catch(isMissing);
      }
      for (const { path, ownerId } of await layersIn(home)) {
        if (ownerId === null || uses.has(path.slice(home.length + 1))) continue;
        if (await isGone(ownerId)) await erase({ path }).catch(isMissing);
      }
    },
    async add(digest, { entries, paths }, about) {
      const partial = `${placeOf(digest)}.${process.pid}.${performance.now()}`;
      try {
        await mkdir(join(partial, 'tree'), { recursive: true, mode: 0o755 });
        await unpack(join(partial, 'tree'), entries);
        const meta: Meta = { paths, bytes: bytesOnDisk(entries), ...about };
        await writeFile(join(partial, metaName), JSON.stringify(meta));
        await rename(partial, placeOf(digest)).catch(async (error) => {
          if ((await find(digest)) === null) throw error;
        });
      } finally {
        await rm(partial, { recursive: true, force: true });
      }
      return (await find(digest))!;
    },
    makeRoom(maxBytes) {
      makingRoom ??= eraseUnused(maxBytes).finally(() => {
        makingRoom = null;
      });
      return makingRoom;
    },
  };
}

/** Another sweep was quicker. */
function isMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function metaIn(place: string): Promise<Meta | null> {
  const text = await readFile(join(place, metaName), 'utf8').catch(() => null);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // A machine that lost its power may have kept the name alone.
    return null;
  }
}

async function layersIn(home: string): Promise<(Kept & Pick<Meta, 'ownerId'>)[]> {
  const kept: (Kept & Pick<Meta, 'ownerId'>)[] = [];
  for (const name of (await readdir(home)).filter(isWhole)) {
    const path = join(home, name);
    const [meta, facts] = await Promise.all([metaIn(path), lstat(path).catch(() => null)]);
    if (meta !== null && facts !== null) {
      kept.push({ path, bytes: meta.bytes, usedMs: facts.mtimeMs, ownerId: meta.ownerId ?? null });
    }
  }
  return kept;
}

async function packagesIn(content: string): Promise<Kept[]> {
  const kept: Kept[] = [];
  const found = await readdir(content, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const { parentPath, name } of found.filter((each) => each.isFile() && isWhole(each.name))) {
    const path = join(parentPath, name);
    const facts = await lstat(path).catch(() => null);
    if (facts !== null) kept.push({ path, bytes: Math.max(blockBytes, facts.size), usedMs: facts.mtimeMs });
  }
  return kept;
}

/** What a process was writing or erasing when it ended, and layers without what tells of them. */
export async function removePartial(home: string, content: string): Promise<void> {
  for (const name of await readdir(home)) {
    const path = join(home, name);
    if (!isWhole(name) || (await metaIn(path)) === null) await rm(path, { recursive: true, force: true });
  }
  for (const found of await readdir(content, { recursive: true, withFileTypes: true })) {
    if (!isWhole(found.name)) await rm(join(found.parentPath, found.name), { recursive: true, force: true });
  }
}
