import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Clock,
  type Config,
  createFairSemaphore,
  type Disk,
  hourMs,
  inStretches,
  isDiskFull,
  type Job,
  type Logger,
  openWorkerThread,
  registryOf,
  systemClock,
} from '../platform/index.ts';
import type { CreateOptions, Sandbox, SandboxFile, Toolchain } from '../sandbox/index.ts';
import { ecosystems } from './ecosystems.ts';
import { install, type Setup, setupPath, type Versions, versionsIn } from './install.ts';
import { bytesOnDisk, openLayers, type Prepared, removePartial } from './layers.ts';
import type { Prefetched, PrefetchJob } from './prefetch-worker.ts';
import type { PrivateRegistries, PrivateRegistry } from './private-registries/registries.ts';
import { type DependencyProblem, isGone, isOfSetup, isOfTry, isPassing, problem } from './problems.ts';
import { mostLockBytes, type Project, projectsOf } from './projects.ts';
import { ownersHome } from './store.ts';

export interface Dependencies {
  /**
   * The packages that the buyer's files name, installed once for all sandboxes of all tasks with the same lockfile and
   * tools; and what `setup` makes of the files. `isOwners`: the owner itself asks, so its private registries count.
   * `earlier`: what sandboxes of the same task started with, which serves as long as it is there. What cannot be had is a
   * problem; rejects only where the platform has no sandbox or no disk.
   */
  prepare(of: Wanted & { ownerId: string; isOwners: boolean; earlier?: Earlier | null }): Promise<Prepared>;
  jobs: Job[];
}

/** What a sandbox of the task has started with. */
export interface Earlier {
  /** The digest of its layer; null without one. */
  layer: string | null;
  problems: DependencyProblem[];
}

/** Of what a layer is made. */
interface Wanted {
  files: readonly SandboxFile[];
  /** The sandbox in which it is made, as all are that start with it. */
  start: Pick<CreateOptions, 'limits' | 'toolchains' | 'image'>;
  setup: Setup | null;
}

/** With the owner's own registries for it. */
interface Asked extends Wanted {
  own: PrivateRegistry[];
}

interface Deps {
  clock: Clock;
  config: Config;
  log: Logger;
  disk: Disk;
  stopping: AbortSignal;
  /** Without it, nobody has any. */
  privateRegistries?: Pick<PrivateRegistries, 'of'>;
  /** An empty one; the caller ends it. */
  openSandbox(start?: CreateOptions): Promise<Sandbox>;
  /** Counts the CPU time of a sandbox against the owner, once it has ended; with `waits` all of its time. */
  book(ownerId: string, sandbox: Sandbox, options: { waits: boolean }): void;
}

/** Installations of this process at once, and as many setups; one of them an owner's. */
const atOnce = 2;
const ownersShare = 1;
/** What a result depends on beside the files: a new number makes every layer anew. */
const version = 7;
/** So long a problem is told again without another try. */
const rememberedMs = { passing: 3_000, lasting: 600_000 };
const mostRemembered = 1_000;
/** Of the cache, what the installations of one owner may take within an hour. */
const ownersPart = 0.25;
const threadLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Keeps packages and installations below the data directory. */
export async function createDependencies(deps: Deps): Promise<Dependencies> {
  const { clock, config, disk } = deps;
  const home = resolve(config.AGORA_DATA_DIR, 'dependencies');
  const places = { layers: join(home, 'layers'), content: join(home, 'content-v2') };
  for (const place of Object.values(places)) await mkdir(place, { recursive: true });
  await removePartial(places.layers, places.content);
  const layers = openLayers(places.layers, places.content);
  const slots = createFairSemaphore(atOnce, ownersShare);
  /** A setup may do nothing for minutes: those without one do not wait for it. */
  const setups = createFairSemaphore(atOnce, ownersShare);
  const running = new Map<string, Promise<Prepared>>();
  const remembered = new Map<string, { prepared: Prepared; untilMs: number }>();
  const made = ownersBytes(clock);
  const nowMs = () => clock.now().getTime();
  const registriesOf = async (ownerId: string) => (await deps.privateRegistries?.of(ownerId)) ?? [];
  /** By tools: few tasks differ in them. */
  const versions = new Map<string, Promise<Versions>>();

  async function inSandbox<R>(start: CreateOptions, work: (sandbox: Sandbox) => Promise<R>): Promise<R> {
    const sandbox = await deps.openSandbox(start);
    try {
      return await work(sandbox);
    } finally {
      void sandbox.destroy().catch(() => undefined);
    }
  }

  function findVersions({ toolchains, image }: Wanted['start']): Promise<Versions> {
    const key = toolsKey({ toolchains, image });
    const known = versions.get(key);
    if (known) return known;
    const asked = inSandbox({ toolchains, image }, versionsIn).catch((error) => {
      versions.delete(key);
      throw error;
    });
    versions.set(key, asked);
    return asked;
  }

  function remember(tried: string, prepared: Prepared): Prepared {
    const passes = prepared.problems.some(isPassing);
    remembered.delete(tried);
    remembered.set(tried, { prepared, untilMs: nowMs() + rememberedMs[passes ? 'passing' : 'lasting'] });
    if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value!);
    return prepared;
  }

  async function make(digest: string, ownerId: string, projects: Project[], wanted: Asked): Promise<Prepared> {
    const path = nameOf(projects);
    const busy: Prepared = { layer: null, problems: [problem('busy', { path })] };
    await disk.requireRoom();
    const maxBytes = config.DEPENDENCY_CACHE_BYTES;
    if (made.of(ownerId) > ownersPart * maxBytes || (await layers.makeRoom(maxBytes)) > maxBytes) return busy;
    const { start, setup, files } = wanted;
    const prefetched =
      projects.length === 0
        ? nothing
        : await fetchPackages(
            deps,
            { home, ownHome: ownersHome(home, ownerId), own: wanted.own, versions: await findVersions(start) },
            projects,
          );
    const { problems } = prefetched;
    made.add(ownerId, prefetched.storedBytes);
    // A layer without what may come later would be everybody's.
    if (problems.some(isPassing)) return { layer: null, problems };
    if (prefetched.fetched.length === 0 && setup === null) return { layer: null, problems };
    const limits = {
      timeoutMs: Math.min(config.DEPENDENCY_TIMEOUT_MS, config.SANDBOX_MAX_EXEC_MS),
      maxBytes: config.DEPENDENCY_LAYER_BYTES,
    };
    const installed = await inSandbox(start, (sandbox) => {
      deps.book(ownerId, sandbox, { waits: setup !== null });
      return install(sandbox, projects, prefetched, limits, setup && { ...setup, files });
    });
    const all = [...problems, ...installed.problems];
    // Its halves would be everybody's for good.
    if (installed.entries.length === 0 || installed.problems.some(isOfTry)) return { layer: null, problems: all };
    made.add(ownerId, bytesOnDisk(installed.entries));
    try {
      const about = { problems: all, ownerId: wanted.own.length > 0 ? ownerId : null };
      return await layers.add(digest, installed, about);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      disk.noteFull();
      return busy;
    }
  }

  async function prepared(digest: string, ownerId: string, projects: Project[], wanted: Asked): Promise<Prepared> {
    const found = await layers.find(digest);
    if (found !== null) return found;
    // Another token is another try.
    const tried = [digest, ...wanted.own.map(({ url, updatedAt }) => `${url} ${updatedAt}`)].join('\n');
    const existing = running.get(tried);
    if (existing) return existing;
    const known = remembered.get(tried);
    if (known && known.untilMs > nowMs()) return known.prepared;
    const patience = AbortSignal.timeout(config.DEPENDENCY_TIMEOUT_MS);
    const work = (wanted.setup === null ? slots : setups)(
      1,
      () => make(digest, ownerId, projects, wanted),
      ownerId,
      false,
      patience,
    )
      .catch((error): Prepared => {
        // Others' installations took all the time.
        if (!patience.aborted || error !== patience.reason) throw error;
        return { layer: null, problems: [problem('busy', { path: nameOf(projects) })] };
      })
      .then((result) => {
        const problems = result.problems.map(({ reason }) => reason);
        deps.log.info({ digest, problems, isLayer: result.layer !== null }, 'packages were installed for sandboxes');
        return result.layer === null ? remember(tried, result) : result;
      })
      .finally(() => running.delete(tried));
    running.set(tried, work);
    return work;
  }

  async function layerOf(ownerId: string, projects: Project[], asked: Asked): Promise<Prepared> {
    const versions = projects.length === 0 ? null : await findVersions(asked.start);
    const digest = await digestOf(ownerId, projects, config, versions, asked);
    return prepared(digest, ownerId, projects, asked);
  }

  async function ownRegistries(ownerId: string, projects: readonly Project[]): Promise<PrivateRegistry[]> {
    if (projects.length === 0) return [];
    const kinds = new Set(projects.map(({ ecosystem }) => ecosystems[ecosystem].registry));
    return (await registriesOf(ownerId)).filter(({ kind }) => kinds.has(kind));
  }

  async function prepareAnew(ownerId: string, isOwners: boolean, wanted: Wanted): Promise<Prepared> {
    const { files, setup } = wanted;
    const found = projectsOf(files, config);
    const { projects } = found;
    // A setup may install what is committed.
    const problems = setup === null ? found.problems : found.problems.filter(({ reason }) => reason !== 'switched_off');
    if (projects.length === 0 && setup === null) return { layer: null, problems };
    const read = projects.flatMap(({ locks, manifests }) => [...locks, ...manifests]);
    if (read.reduce((sum, { content }) => sum + content.length, 0) > mostLockBytes) {
      const { path } = projects[0]!.locks[0]!;
      const limit = `${mostLockBytes / 1024 ** 2} MiB`;
      return { layer: null, problems: [...problems, problem('too_large', { path, limit })] };
    }
    const asked = { ...wanted, own: isOwners ? await ownRegistries(ownerId, projects) : [] };
    const made = await layerOf(ownerId, projects, asked);
    const isPlain = projects.length > 0 && made.problems.some(isOfSetup);
    // The packages are of use without what the setup would have made.
    const { layer } = isPlain ? await layerOf(ownerId, projects, { ...asked, setup: null }) : made;
    return { layer, problems: [...problems, ...made.problems] };
  }

  return {
    async prepare({ ownerId, isOwners, earlier = null, ...wanted }) {
      const kept = earlier?.layer ? await layers.find(earlier.layer) : null;
      // Nobody gains by what an owner's registries, or a setup, say by now.
      if (earlier !== null && kept !== null) return { layer: kept.layer, problems: earlier.problems };
      const { layer, problems } = await prepareAnew(ownerId, isOwners, wanted);
      return { layer, problems: [...problems, ...goneSince(earlier, problems)] };
    },
    jobs: [
      {
        name: 'dependencies.makeRoom',
        isOwn: true,
        everyMs: hourMs,
        async run() {
          await layers.eraseOfOwners(async (ownerId) => (await registriesOf(ownerId)).length === 0);
          await layers.makeRoom(config.DEPENDENCY_CACHE_BYTES);
        },
      },
    ],
  };
}

/** That packages which the sandbox before had cannot be had any more; what it lacked already is nothing new. */
function goneSince(earlier: Earlier | null, problems: readonly DependencyProblem[]): DependencyProblem[] {
  if (earlier === null || earlier.layer === null) return [];
  const known = new Set(earlier.problems.map(({ message }) => message));
  const lost = problems.find((each) => !isPassing(each) && !known.has(each.message));
  const was = earlier.problems.find(isGone);
  if (was) return [was];
  return lost ? [problem('gone', lost)] : [];
}

/** Where nothing is fetched. */
const none = Buffer.alloc(0) as Buffer<ArrayBuffer>;
const nothing: Prefetched = { problems: [], storedBytes: 0, fetched: [], packages: none, manifests: none };

/** For problems that are no lockfile's. */
const nameOf = (projects: readonly Project[]): string => projects[0]?.locks[0]?.path ?? setupPath;

/** What tells tools from others. */
const toolsKey = ({ toolchains = [], image }: Pick<CreateOptions, 'toolchains' | 'image'>): string =>
  JSON.stringify([image, toolchains.map(({ name, version }: Toolchain) => `${name}@${version}`)]);

/** What the installations of each owner took in the last hour, more or less. */
function ownersBytes(clock: Clock) {
  let hour = 0;
  const bytes = new Map<string, number>();
  const now = () => {
    const current = Math.floor(clock.now().getTime() / hourMs);
    if (current !== hour) bytes.clear();
    hour = current;
    return bytes;
  };
  return {
    of: (ownerId: string) => now().get(ownerId) ?? 0,
    add: (ownerId: string, more: number) => now().set(ownerId, (bytes.get(ownerId) ?? 0) + more),
  };
}

async function digestOf(
  ownerId: string,
  projects: readonly Project[],
  { DEPENDENCY_SCRIPTS }: Pick<Config, 'DEPENDENCY_SCRIPTS'>,
  versions: Versions | null,
  { start, setup, files, own }: Asked,
): Promise<string> {
  const { cpus, memoryBytes, diskBytes } = start.limits ?? {};
  const sizes = [cpus, memoryBytes, diskBytes, setup?.timeoutMs];
  // What is installed stays what it is for the gate, whatever the owner changes meanwhile.
  const whose = own.length > 0 ? ownerId : null;
  const parts = [version, versions, process.arch, DEPENDENCY_SCRIPTS, toolsKey(start), sizes, setup?.command, whose];
  const hash = createHash('sha256').update(JSON.stringify(parts));
  // A command may read any of them.
  await inStretches(setup === null ? [] : files, ({ path, content }) => {
    hash.update(JSON.stringify([path, content.length])).update(content);
  });
  for (const { ecosystem, directory, locks, manifests } of projects) {
    for (const { path, content } of [...locks, ...manifests]) {
      hash.update(JSON.stringify([ecosystem, directory, path, content.length])).update(content);
    }
  }
  return hash.digest('hex');
}

/** In a thread: a lockfile is a party's text, and a registry sends what it likes. */
function fetchPackages(
  { config, stopping }: Deps,
  { versions, ...places }: Pick<PrefetchJob, 'home' | 'ownHome' | 'own'> & { versions: Versions },
  projects: readonly Project[],
): Promise<Prefetched> {
  const textOf = ({ path, content }: SandboxFile) => ({ path, text: content.toString('utf8') });
  const job: PrefetchJob = {
    projects: projects.map(({ ecosystem, directory, locks, manifests }) => ({
      ...{ ecosystem, directory, locks: locks.map(textOf), manifests: manifests.map(textOf) },
      registry: registryOf(config.DEPENDENCY_REGISTRIES, ecosystems[ecosystem].registry),
      versions: versions[ecosystem],
    })),
    runsScripts: config.DEPENDENCY_SCRIPTS === 'on',
    ...places,
    allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
    maxBytes: config.DEPENDENCY_MAX_BYTES,
    nowMs: systemClock.now().getTime(),
  };
  const { path } = projects[0]!.locks[0]!;
  const without = (why: DependencyProblem): Prefetched => ({ ...nothing, problems: [why] });
  const limit = `${config.DEPENDENCY_TIMEOUT_MS / 1000} s`;
  return new Promise((resolve) => {
    const worker = openWorkerThread(import.meta.url, './prefetch-worker', { data: job, limits: threadLimits });
    const settle = (found: Prefetched) => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(found);
    };
    const stop = () => settle(without(problem('timed_out', { path, limit })));
    const timer = setTimeout(stop, config.DEPENDENCY_TIMEOUT_MS);
    if (stopping.aborted) stop();
    else stopping.addEventListener('abort', stop);
    worker.on('message', (found: Prefetched) => settle(asBuffers(found)));
    worker.on('error', (error) => {
      const isFull = isDiskFull(error);
      settle(without(problem(isFull ? 'busy' : 'unreadable_lock', { path })));
    });
    worker.on('exit', () => settle(without(problem('unreadable_lock', { path }))));
  });
}

/** A thread sends plain bytes. */
function asBuffers({ packages, manifests, ...found }: Prefetched): Prefetched {
  const buffer = (bytes: Uint8Array<ArrayBuffer>) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return { ...found, packages: buffer(packages), manifests: buffer(manifests) };
}
