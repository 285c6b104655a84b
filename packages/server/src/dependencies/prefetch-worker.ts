import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type Outbound, openOutbound, redirects } from '../platform/outbound/index.ts';
import {
  type FoundWanted,
  type InstallCommand,
  type ProjectTexts,
  RegistryFault,
  type Surroundings,
  type Wanted,
  without,
} from './ecosystem.ts';
import { type EcosystemName, ecosystems } from './ecosystems.ts';
import { type ArchiveEntry, encodeArchive, fileEntry } from './entries.ts';
import type { PrivateRegistry } from './private-registries/registries.ts';
import { type DependencyProblem, problem } from './problems.ts';
import { openSources, type Sources } from './sources.ts';
import { HashDiffers, type Integrity, readPackage, storePackage } from './store.ts';

/** Takes exactly what lockfiles name from the registries, and checks each hash. */

export interface PrefetchJob {
  projects: JobProject[];
  runsScripts: boolean;
  /** The owner's own registries. */
  own: PrivateRegistry[];
  /** Directories of the store: of all, and of this owner for what comes from its own registries. */
  home: string;
  ownHome: string;
  /** Development only, and for the owner's own registries. */
  allowLoopback: boolean;
  /** Of all packages together, as the registries send them. */
  maxBytes: number;
  /** When packages that are there already are used again. */
  nowMs: number;
}

interface JobProject extends ProjectTexts {
  ecosystem: EcosystemName;
  /** Without a slash at the end; null where packages of the kind are not fetched. */
  registry: string | null;
  /** Of the sandbox's programs for it. */
  versions: string;
}

/** What is to be installed of one project. */
export interface Fetched {
  /** By its place among those of the job. */
  project: number;
  commands: InstallCommand[];
  /** What commands that fail leave behind, relative to the workspace. */
  made: string[];
}

export interface Prefetched {
  problems: DependencyProblem[];
  /** Projects whose packages are all there. */
  fetched: Fetched[];
  /** Of packages that were not there before. */
  storedBytes: number;
  /** For `/input`: the packages, as their tools look for them. */
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
const mostLeftOut = 20;
/** Of a name, as file systems take it. */
const mostNameBytes = 255;
/** Of a list of files: the largest of Python's index have ten. */
const pageBytes = 32 * 1024 ** 2;
const inMiB = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`;

class TooLarge extends Error {}

class TooMany extends Error {}

/** What an answer of the registry says of a package. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** What was fetched, by its place: each has one file. */
type Taken = Map<string, { integrity: Integrity; content: Buffer }>;

/** A project whose packages cannot all be had is left out; the others are installed without it. */
async function prefetch(job: PrefetchJob): Promise<Prefetched> {
  const hosts = job.projects.flatMap(({ registry }) => (registry === null ? [] : [new URL(registry).hostname]));
  const outbounds = {
    ofServer: openOutbound({ allowLoopback: false, trustedHosts: hosts, maxReplyBytes: job.maxBytes }),
    // An owner's registry reaches no address of the operator's.
    ofOwner: openOutbound({ allowLoopback: job.allowLoopback, maxReplyBytes: job.maxBytes }),
  };
  const problems: DependencyProblem[] = [];
  const taken: Taken = new Map();
  let storedBytes = 0;
  const stored = (bytes: number) => {
    storedBytes += bytes;
  };
  const whole: { project: number; found: FoundWanted }[] = [];
  /** What is written for the tools, beside what was fetched. */
  const inputs = new Map<string, ArchiveEntry>();
  /** Directories whose packages an outer project installs with its own. */
  const owned = new Set<string>();
  for (const [number, project] of job.projects.entries()) {
    const { path } = project.locks[0]!;
    const place = (directory: string) => `${project.ecosystem} ${directory || '.'}`;
    if (owned.has(place(project.directory))) continue;
    const sources = openSources(
      project.registry ?? '',
      job.own.filter(({ kind }) => kind === ecosystems[project.ecosystem].registry),
    );
    const way: Way = { sources, outbounds, job, stored };
    const found = await wantedOf(way, project).catch((error) => failed(error, path, sources));
    for (const directory of found.own ?? []) owned.add(place(directory));
    const why = [
      ...found.problems,
      ...(found.problems.length === 0 ? layingFaults(found, { inputs, taken }, path) : []),
    ];
    if (why.length === 0) why.push(...(await take(way, path, found.wanted ?? [], taken)));
    problems.push(...why.slice(0, mostProblems));
    if (why.length > 0) continue;
    whole.push({ project: number, found: { ...found, leftOut: found.leftOut?.slice(0, mostLeftOut) } });
    for (const each of found.inputs ?? []) inputs.set(each.path, each);
  }
  await Promise.all(Object.values(outbounds).map((each) => each.close()));
  const packages = [...taken].map(([place, { content }]) => fileEntry(place, content));
  return {
    storedBytes,
    problems: [...problems, ...whole.flatMap(({ found }) => found.leftOut ?? [])],
    fetched: whole.map(({ project, found: { commands = [], made = [] } }) => ({ project, commands, made })),
    packages: await encodeArchive([...packages, ...inputs.values()]),
    manifests: await encodeArchive(whole.flatMap(({ found }) => found.manifests ?? [])),
  };
}

/** Why files of a lock cannot lie in a directory, together with those of the projects before. */
function layingFaults(
  { inputs = [], wanted = [] }: FoundWanted,
  before: { inputs: ReadonlyMap<string, ArchiveEntry>; taken: Taken },
  path: string,
): DependencyProblem[] {
  if (inputs.length > mostPackages) return [problem('too_many', { path, limit: mostPackages })];
  const places = new Set([...inputs.map((each) => each.path), ...wanted.map(({ place }) => place)]);
  for (const place of places) {
    const parts = place.split('/');
    const isLong = parts.some((part) => Buffer.byteLength(part) > mostNameBytes);
    if (isLong || parts.some((_, at) => at > 0 && places.has(parts.slice(0, at).join('/')))) {
      return [problem('unreadable_lock', { path })];
    }
  }
  const clash =
    inputs.find((each) => before.inputs.get(each.path)?.content.equals(each.content) === false)?.path ??
    inputs.find((each) => before.taken.has(each.path))?.path ??
    wanted.find(({ place }) => before.inputs.has(place))?.place;
  return clash === undefined ? [] : [problem('clashes', { path, name: clash.split('/').at(-1)! })];
}

/** A lock that no reader takes must not look as if it could pass by itself: the gate would wait for it. */
function failed(error: unknown, path: string, sources: Sources): FoundWanted {
  if (!(error instanceof RegistryFault)) return without(problem('unreadable_lock', { path }));
  return without(
    reasonOf(error.cause, { name: 'a list of files', lock: path, url: error.message }, pageBytes, sources),
  );
}

/** How packages of a project are fetched. */
interface Way {
  sources: Sources;
  outbounds: Record<'ofServer' | 'ofOwner', Outbound>;
  job: PrefetchJob;
  /** Is told the bytes of each package that was not there before. */
  stored(bytes: number): void;
}

async function wantedOf(way: Way, { ecosystem, registry, versions, ...project }: JobProject): Promise<FoundWanted> {
  const { projects, runsScripts } = way.job;
  if (registry === null) return without(problem('no_registry', project.locks[0]!));
  let asked = 0;
  const ask: Surroundings['ask'] = async (url, accept) => {
    asked += 1;
    if (asked > mostPackages) throw new RegistryFault(url, { cause: new TooMany() });
    let page = { text: '', type: '' };
    const isThere = await fetchOne(way, { url, accept }, async (body, type) => {
      page = { text: await textOf(body), type };
    }).then(
      () => true,
      (error) => {
        if (error instanceof Refused && error.status === 404) return false;
        throw new RegistryFault(url, { cause: error });
      },
    );
    return isThere ? page : null;
  };
  const same = projects.filter((each) => each.ecosystem === ecosystem);
  const around = { registry, ...way.sources, versions, projects: same, runsScripts, ask, inTurn };
  return ecosystems[ecosystem].wantedOf(project, around);
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

/** All that a project wants, beside what is taken for others; or nothing, with several of the reasons at once. */
async function take(way: Way, path: string, wanted: readonly Wanted[], taken: Taken): Promise<DependencyProblem[]> {
  const { maxBytes, nowMs, ...stores } = way.job;
  const missing = onceEach(wanted).filter(({ place, integrity }) => !isSame(taken.get(place)?.integrity, integrity));
  if (taken.size + missing.length > mostPackages) return [problem('too_many', { path, limit: mostPackages })];
  const problems: DependencyProblem[] = [];
  const fetched: Taken = new Map();
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxBytes) throw new TooLarge();
  };
  for (const { content } of taken.values()) bytes += content.length;
  await inTurn(missing, async (each) => {
    if (problems.length >= mostProblems || bytes > maxBytes) return;
    const { integrity, url, place, redirectHost, isOptional } = each;
    // A hash alone must not give an owner what another's registry has.
    const home = way.sources.ownerOf(url) === null ? stores.home : stores.ownHome;
    try {
      let content = await readPackage(home, integrity, nowMs);
      if (content !== null) count(content.length);
      else {
        await fetchOne(way, { url, redirectHost }, async (body) => {
          content = await storePackage(home, integrity, body, count);
          way.stored(content.length);
        });
      }
      const other = fetched.get(place) ?? taken.get(place);
      if (other !== undefined && !other.content.equals(content!)) throw new HashDiffers();
      fetched.set(place, { integrity, content: content! });
    } catch (error) {
      // The tool goes on without it; what only fails to come now must not be missing in every sandbox.
      if (!(isOptional && isGone(error))) problems.push(reasonOf(error, each, maxBytes, way.sources));
    }
  });
  if (problems.length === 0) for (const [place, each] of fetched) taken.set(place, each);
  return problems;
}

const isSame = (one: Integrity | undefined, other: Integrity) =>
  one?.algorithm === other.algorithm && one.hex === other.hex;

/** A lock may name a package several times; only where each may be missing, it may. */
function onceEach(wanted: readonly Wanted[]): Wanted[] {
  const once = new Map<string, Wanted>();
  for (const each of wanted) {
    const key = JSON.stringify([each.place, each.integrity]);
    once.set(key, { ...each, isOptional: each.isOptional && (once.get(key)?.isOptional ?? true) });
  }
  return [...once.values()];
}

async function fetchOne(
  { sources, outbounds }: Way,
  { url, redirectHost, accept = '*/*' }: { url: string; redirectHost?: string | undefined; accept?: string },
  use: (body: AsyncIterable<Uint8Array>, type: string) => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      const owner = sources.ownerOf(url);
      const outbound = outbounds[owner === null ? 'ofServer' : 'ofOwner'];
      const authorization = owner === null ? {} : { authorization: owner.authorization };
      let reply = await outbound.request(url, { headers: { accept, ...authorization } });
      const location = [...redirects, 303].includes(reply.statusCode) ? String(reply.headers.location) : '';
      // Private registries send on to an address that needs no token, and must get none; Azure's with 303.
      const isRight =
        owner === null ? location.startsWith(`https://${redirectHost}/`) : location.startsWith('https://');
      if (isRight) {
        await reply.body.dump();
        reply = await outbound.request(location, { headers: { accept } });
      }
      if (reply.statusCode === 200) return await use(reply.body, String(reply.headers['content-type'] ?? ''));
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

function reasonOf(
  error: unknown,
  { name, lock: path, url }: Pick<Wanted, 'name' | 'lock' | 'url'>,
  maxBytes: number,
  { ownerOf }: Sources,
): DependencyProblem {
  if (error instanceof TooMany) return problem('too_many', { path, limit: mostPackages });
  if (error instanceof TooLarge) return problem('too_large', { path, limit: inMiB(maxBytes) });
  if (error instanceof HashDiffers) return problem('hash_differs', { path, name });
  if (isGone(error)) return problem('not_found', { path, name });
  if (error instanceof Refused && error.status < 500 && error.status !== 429) {
    const own = ownerOf(url);
    if (own !== null) return problem('unauthorized', { path, name, from: new URL(own.url).host, limit: error.status });
    return problem('refused', { path, name, limit: error.status });
  }
  return problem('unreachable', { path, name });
}

const { packages, manifests, ...rest } = await prefetch(workerData as PrefetchJob);
parentPort!.postMessage({ ...rest, packages, manifests }, [packages.buffer, manifests.buffer]);
