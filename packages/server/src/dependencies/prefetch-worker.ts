import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type Outbound, openOutbound } from '../platform/outbound/index.ts';
import { type ArchiveEntry, encodeArchive, fileEntry } from './entries.ts';
import { wantedOfNpm } from './npm/wanted.ts';
import { type DependencyProblem, problem } from './problems.ts';
import type { PythonVersion } from './python/files.ts';
import { wantedOfPython } from './python/wanted.ts';
import { HashDiffers, readPackage, storePackage } from './store.ts';
import type { ProjectTexts, Wanted } from './wanted.ts';

/** Takes exactly what lockfiles name from the registries, and checks each hash. */

export interface PrefetchJob {
  projects: ProjectTexts[];
  /** Without a slash at the end; null where packages of the kind are not fetched. */
  registries: { npm: string | null; pypi: string | null };
  /** Of the sandbox; null where it has none. */
  python: PythonVersion | null;
  /** Directory of the store. */
  home: string;
  /** Of all packages together, as the registries send them. */
  maxBytes: number;
  /** When packages that are there already are used again. */
  nowMs: number;
}

/** What is to be installed of one project. */
export interface Fetched {
  /** By its place among those of the job. */
  project: number;
  /** Whether packages of npm have install scripts. */
  hasScripts: boolean;
  /** Whether the lock of Python names everything that is needed. */
  isWhole: boolean;
}

export interface Prefetched {
  problems: DependencyProblem[];
  /** Projects whose packages are all there. */
  fetched: Fetched[];
  /** For `/input`: the packages, as a cache of npm and as files for pip. */
  packages: Buffer<ArrayBuffer>;
  /** For `/workspace`: the files that an installation reads. */
  manifests: Buffer<ArrayBuffer>;
}

const mostPackages = 5_000;
const atOnce = 12;
const tries = 3;
const pauseMs = 500;
/** More are not told at once. */
const mostProblems = 5;
/** Of an index of Python: the largest lists of files have ten. */
const pageBytes = 32 * 1024 ** 2;
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

/** A project whose packages cannot all be had is left out; the others are installed without it. */
async function prefetch(job: PrefetchJob): Promise<Prefetched> {
  const { npm, pypi } = job.registries;
  const hosts = [npm, pypi].flatMap((each) => (each === null ? [] : [new URL(each).hostname]));
  const outbound = openOutbound({ allowLoopback: false, trustedHosts: hosts, maxReplyBytes: job.maxBytes });
  const problems: DependencyProblem[] = [];
  const wanted = new Map<string, Wanted>();
  const ready: (Fetched & { path: string; manifests: ArchiveEntry[]; leftOut: DependencyProblem[] })[] = [];
  /** Directories of packages that an outer project installs with its own. */
  const owned = new Set<string>();
  for (const [number, project] of job.projects.entries()) {
    const { path } = project.locks[0]!;
    if (project.tool === 'npm' && owned.has(project.directory || '.')) continue;
    const found = await wantedOf(job, project, outbound).catch((error) => failed(error, path));
    for (const directory of found.own ?? []) owned.add(directory);
    problems.push(...found.problems);
    if (found.problems.length > 0) continue;
    for (const one of found.wanted) wanted.set(one.place, one);
    const { hasScripts = false, isWhole = true, leftOut = [], manifests } = found;
    ready.push({ project: number, path, hasScripts, isWhole, leftOut, manifests });
    if (wanted.size > mostPackages) problems.push(problem('too_many', { path, limit: mostPackages }));
  }
  const entries = wanted.size > mostPackages ? [] : await fetchAll(job, [...wanted.values()], outbound, problems);
  await outbound.close();
  const whole = ready.filter(({ path }) => !problems.some((each) => each.path === path));
  return {
    problems: [...problems, ...whole.flatMap(({ leftOut }) => leftOut)],
    fetched: whole.map(({ project, hasScripts, isWhole }) => ({ project, hasScripts, isWhole })),
    packages: await encodeArchive(entries),
    manifests: await encodeArchive(whole.flatMap(({ manifests }) => manifests)),
  };
}

interface FoundWanted {
  wanted: Wanted[];
  manifests: ArchiveEntry[];
  problems: DependencyProblem[];
  leftOut?: DependencyProblem[];
  hasScripts?: boolean;
  isWhole?: boolean;
  own?: string[];
}

const failed = (error: unknown, path: string): FoundWanted => {
  const name = 'a list of files';
  const isRefused = error instanceof Refused && error.status < 500;
  const why = isRefused
    ? problem('refused', { path, name, limit: error.status })
    : problem('unreachable', { path, name });
  return { wanted: [], manifests: [], problems: [why] };
};

function wantedOf(
  { projects, registries, python }: PrefetchJob,
  project: ProjectTexts,
  outbound: Outbound,
): Promise<FoundWanted> {
  const { path } = project.locks[0]!;
  const registry = registries[project.tool === 'npm' ? 'npm' : 'pypi'];
  const without = (why: DependencyProblem) => Promise.resolve({ wanted: [], manifests: [], problems: [why] });
  if (registry === null) return without(problem('no_registry', { path }));
  // A package of the project's own may have a lock too, which nobody reads.
  const manifests = projects.flatMap((each) => (each.tool === 'npm' ? each.manifests : []));
  if (project.tool === 'npm') return Promise.resolve(wantedOfNpm({ ...project, manifests }, registry));
  if (python === null) return without(problem('no_tool', { path, name: 'pip3 of version 22.3 or newer' }));
  const ask = async (url: string, accept: string) => {
    let page = { text: '', type: '' };
    const known = await fetchOne(outbound, url, { accept }, async (body, type) => {
      page = { text: await textOf(body), type };
    }).catch((error) => {
      // An index without the package: then no file of it fits.
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    });
    return known === null ? { text: '{"files":[]}', type: 'json' } : page;
  };
  return wantedOfPython(project, { registry, python, ask, inTurn });
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > pageBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const next = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of next) await work(item);
    }),
  );
}

/** Everything that is wanted. Several problems are told at once. */
async function fetchAll(
  { home, maxBytes, nowMs }: PrefetchJob,
  wanted: readonly Wanted[],
  outbound: Outbound,
  problems: DependencyProblem[],
): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxBytes) throw new TooLarge();
  };
  await inTurn(wanted, async (each) => {
    if (problems.length >= mostProblems || bytes > maxBytes) return;
    const { integrity, url, place, isOptional } = each;
    try {
      let content = await readPackage(home, integrity, nowMs);
      if (content !== null) count(content.length);
      else {
        await fetchOne(outbound, url, {}, (body) => storePackage(home, integrity, body, count));
        content = await readPackage(home, integrity, nowMs);
      }
      if (content === null) throw new HashDiffers();
      entries.push(fileEntry(place, content));
    } catch (error) {
      // npm goes on without it; what only fails to come now must not be missing in every sandbox.
      if (!(isOptional && isGone(error))) problems.push(reasonOf(error, each, maxBytes));
    }
  });
  return entries;
}

async function fetchOne(
  outbound: Outbound,
  url: string,
  headers: Record<string, string>,
  take: (body: AsyncIterable<Uint8Array>, type: string) => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      const reply = await outbound.request(url, { headers });
      if (reply.statusCode === 200) return await take(reply.body, String(reply.headers['content-type'] ?? ''));
      await reply.body.dump();
      throw new Refused(reply.statusCode);
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

const isGone = (error: unknown) => error instanceof Refused && [404, 410, 451].includes(error.status);

function reasonOf(error: unknown, { name, lock: path }: Wanted, maxBytes: number): DependencyProblem {
  if (error instanceof TooLarge) return problem('too_large', { path, limit: inMiB(maxBytes) });
  if (error instanceof HashDiffers) return problem('hash_differs', { path, name });
  if (isGone(error)) return problem('not_found', { path, name });
  if (error instanceof Refused && error.status < 500 && error.status !== 429) {
    return problem('refused', { path, name, limit: error.status });
  }
  return problem('unreachable', { path, name });
}

const { packages, manifests, ...rest } = await prefetch(workerData as PrefetchJob);
parentPort!.postMessage({ ...rest, packages, manifests }, [packages.buffer, manifests.buffer]);
