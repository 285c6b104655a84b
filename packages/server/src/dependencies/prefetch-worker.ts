import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type Outbound, openOutbound } from '../platform/outbound/index.ts';
import { type ArchiveEntry, encodeArchive } from '../sandbox/archive.ts';
import { type LockedPackage, type NpmLock, readNpmLock } from './npm-lock.ts';
import { type DependencyProblem, problem } from './problems.ts';
import { contentPath, HashDiffers, readPackage, storePackage } from './store.ts';

/** Takes exactly what lockfiles name from the registry, and checks each hash. */

export interface PrefetchJob {
  projects: { directory: string; lock: TextFile; manifests: TextFile[] }[];
  /** Of npm, without a slash at its end. */
  registry: string;
  /** Directory of the store. */
  home: string;
  /** Of all packages together, as the registry sends them. */
  maxBytes: number;
  /** When packages that are there already are used again. */
  nowMs: number;
}

export interface TextFile {
  path: string;
  text: string;
}

export interface Prefetched {
  problems: DependencyProblem[];
  /** For `/input`: the packages as a cache of npm. Null where some cannot be had. */
  cache: Buffer<ArrayBuffer> | null;
  /** For `/workspace`: the files that an installation reads. */
  manifests: Buffer<ArrayBuffer> | null;
  hasScripts: boolean;
}

const mostPackages = 5_000;
const atOnce = 12;
const tries = 3;
const pauseMs = 500;
/** Hosts whose packages every registry of npm has under the same names. */
const publicHosts = ['registry.npmjs.org', 'registry.yarnpkg.com'];
const inMiB = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`;

class TooLarge extends Error {}

/** What an answer of the registry says of a package. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

async function prefetch(job: PrefetchJob): Promise<Prefetched> {
  const addressOf = (name: string, version: string) =>
    `${job.registry}/${name}/-/${name.split('/').pop()}-${version}.tgz`;
  const problems: DependencyProblem[] = [];
  const wanted = new Map<string, { locked: LockedPackage; path: string }>();
  const manifests: ArchiveEntry[] = [];
  let hasScripts = false;
  for (const { directory, lock, manifests: all } of job.projects) {
    const { path } = lock;
    const read = readNpmLock(lock.text, addressOf);
    if (read === null) {
      problems.push(problem('unreadable_lock', { path }));
      continue;
    }
    manifests.push(entry(path, read.text), ...ownManifests(directory, read, all));
    for (const locked of read.packages) {
      const fault = faultOf(locked, path, job.registry);
      if (fault !== null && !locked.isOptional) problems.push(fault);
      if (fault !== null || locked.integrity === null) continue;
      hasScripts ||= locked.hasScripts;
      wanted.set(contentPath(locked.integrity), { locked, path });
    }
    if (wanted.size > mostPackages) problems.push(problem('too_many', { path, limit: mostPackages }));
  }
  if (problems.length > 0) return { problems, cache: null, manifests: null, hasScripts };
  const cache = await fetchAll(job, [...wanted.values()], addressOf, problems);
  if (problems.length > 0) return { problems, cache: null, manifests: null, hasScripts };
  return { problems, cache: await encodeArchive(cache), manifests: await encodeArchive(manifests), hasScripts };
}

const entry = (path: string, content: string | Buffer): ArchiveEntry => ({
  ...{ type: 'file', path, mode: 0o644, modifiedMs: 0 },
  content: Buffer.from(content as string),
});

/** The package.json of each package of the project's own, and its settings. */
function ownManifests(directory: string, { directories }: NpmLock, all: readonly TextFile[]): ArchiveEntry[] {
  const own = new Set(directories.map((each) => posix.join(directory, each, 'package.json')));
  const settings = posix.join(directory, '.npmrc');
  return all.filter(({ path }) => own.has(path) || path === settings).map(({ path, text }) => entry(path, text));
}

/** Why a package cannot be fetched, as far as its lock tells. */
function faultOf({ name, version, url, integrity }: LockedPackage, path: string, registry: string) {
  const about = { path, name: `${name} ${version}` };
  const place = url !== null && URL.canParse(url) ? new URL(url) : null;
  if (url !== null && !['http:', 'https:'].includes(place?.protocol ?? '')) return problem('not_from_registry', about);
  if (place !== null && !publicHosts.includes(place.host) && place.host !== new URL(registry).host) {
    return problem('unknown_registry', { ...about, from: place.host });
  }
  return integrity === null ? problem('no_integrity', about) : null;
}

/** Everything that is wanted, as a cache of npm. Several problems are told at once. */
async function fetchAll(
  job: PrefetchJob,
  wanted: readonly { locked: LockedPackage; path: string }[],
  addressOf: (name: string, version: string) => string,
  problems: DependencyProblem[],
): Promise<ArchiveEntry[]> {
  const { home, maxBytes, registry, nowMs } = job;
  const outbound = openOutbound({
    allowLoopback: false,
    trustedHosts: [new URL(registry).hostname],
    maxReplyBytes: maxBytes,
  });
  const entries: ArchiveEntry[] = [];
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxBytes) throw new TooLarge();
  };
  const next = wanted[Symbol.iterator]();
  const fetchSome = async () => {
    for (const { locked, path } of next) {
      if (problems.length >= 5) return;
      const integrity = locked.integrity!;
      try {
        let content = await readPackage(home, integrity, nowMs);
        if (content === null) {
          const url = addressOf(locked.name, locked.version);
          await fetchOne(outbound, url, (body) => storePackage(home, integrity, body, count));
          content = await readPackage(home, integrity, nowMs);
        } else count(content.length);
        if (content !== null) entries.push(entry(posix.join('cache/_cacache', contentPath(integrity)), content));
        else throw new HashDiffers();
      } catch (error) {
        if (!locked.isOptional || error instanceof TooLarge) problems.push(reasonOf(error, locked, path, maxBytes));
        if (error instanceof TooLarge) return;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, fetchSome));
  await outbound.close();
  return entries;
}

async function fetchOne(
  outbound: Outbound,
  url: string,
  take: (body: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      const { statusCode, body } = await outbound.request(url);
      if (statusCode === 200) return await take(body);
      await body.dump();
      throw new Refused(statusCode);
    } catch (error) {
      const isFinal =
        error instanceof TooLarge ||
        error instanceof HashDiffers ||
        (error instanceof Refused && error.status < 500 && error.status !== 429);
      if (isFinal || tried === tries) throw error;
      await sleep(pauseMs * tried);
    }
  }
}

function reasonOf(error: unknown, { name, version }: LockedPackage, path: string, maxBytes: number): DependencyProblem {
  const about = { path, name: `${name} ${version}` };
  if (error instanceof TooLarge) return problem('too_large', { path, limit: inMiB(maxBytes) });
  if (error instanceof HashDiffers) return problem('hash_differs', about);
  const isGone = error instanceof Refused && [404, 410, 451].includes(error.status);
  return problem(isGone ? 'not_found' : 'unreachable', about);
}

const { cache, manifests, ...found } = await prefetch(workerData as PrefetchJob);
const transfer = [cache, manifests].flatMap((each) => (each === null ? [] : [each.buffer]));
parentPort!.postMessage({ ...found, cache, manifests }, transfer);
