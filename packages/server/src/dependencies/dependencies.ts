import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  type Config,
  createFairSemaphore,
  hourMs,
  type Job,
  type Logger,
  openWorkerThread,
  systemClock,
} from '../platform/index.ts';
import type { Layer, Sandbox, SandboxFile } from '../sandbox/index.ts';
import { install, pythonIn } from './install.ts';
import { eraseUnused, openLayers } from './layers.ts';
import type { Prefetched, PrefetchJob } from './prefetch-worker.ts';
import { type DependencyProblem, isPassing, problem } from './problems.ts';
import { mostLockBytes, type Project, projectsOf } from './projects.ts';

/** What sandboxes start with, so that a project's own tests find its packages without network. */
export interface Prepared {
  /** Null where the files name no packages, or these cannot be had. */
  layer: Layer | null;
  problems: DependencyProblem[];
}

export interface Dependencies {
  /**
   * The packages that the buyer's files name, installed once for all sandboxes of all tasks with the same lockfile. What
   * cannot be had is a problem; rejects only where no sandbox can be started.
   */
  prepare(of: { ownerId: string; files: readonly SandboxFile[] }): Promise<Prepared>;
  jobs: Job[];
}

interface Deps {
  clock: Clock;
  config: Config;
  log: Logger;
  stopping: AbortSignal;
  /** An empty one; the caller ends it. */
  openSandbox(): Promise<Sandbox>;
}

/** Installations of this process at once, one of them an owner's. */
const atOnce = 2;
const ownersShare = 1;
/** What a result depends on beside the files: a new number makes every layer anew. */
const version = 2;
/** So long a problem is told again without another try. */
const rememberedMs = { passing: 60_000, lasting: 600_000 };
const mostRemembered = 1_000;
const threadLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
const nothing: Prepared = { layer: null, problems: [] };

/** Keeps packages and installations below the data directory. */
export async function createDependencies(deps: Deps): Promise<Dependencies> {
  const { clock, config } = deps;
  const home = join(config.AGORA_DATA_DIR, 'dependencies');
  const places = { layers: join(home, 'layers'), content: join(home, 'content-v2') };
  for (const place of Object.values(places)) await mkdir(place, { recursive: true });
  for (const place of Object.values(places)) await removePartial(place);
  const layers = openLayers(places.layers);
  const slots = createFairSemaphore(atOnce, ownersShare);
  const running = new Map<string, Promise<Prepared>>();
  const remembered = new Map<string, { prepared: Prepared; untilMs: number }>();
  const nowMs = () => clock.now().getTime();
  const makeRoom = () =>
    eraseUnused(places, {
      maxBytes: config.DEPENDENCY_CACHE_BYTES,
      sparedMs: config.SANDBOX_LIFETIME_MS,
      // By the clock that stamps files.
      nowMs: systemClock.now().getTime(),
    });

  function remember(digest: string, prepared: Prepared): Prepared {
    const passes = prepared.problems.some(isPassing);
    remembered.delete(digest);
    remembered.set(digest, { prepared, untilMs: nowMs() + rememberedMs[passes ? 'passing' : 'lasting'] });
    if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value!);
    return prepared;
  }

  async function make(digest: string, projects: Project[]): Promise<Prepared> {
    const { path } = projects[0]!.locks[0]!;
    if ((await makeRoom()) > config.DEPENDENCY_CACHE_BYTES)
      return { layer: null, problems: [problem('no_room', { path })] };
    const sandbox = await deps.openSandbox();
    try {
      const python = projects.some(({ tool }) => tool === 'pip') ? await pythonIn(sandbox) : null;
      const fetched = await fetchPackages(deps, { home, python }, projects);
      if (fetched.packages === null) return { layer: null, problems: fetched.problems };
      const { entries, problems } = await install(sandbox, projects, fetched, {
        timeoutMs: Math.min(config.DEPENDENCY_TIMEOUT_MS, config.SANDBOX_MAX_EXEC_MS),
        maxBytes: config.DEPENDENCY_LAYER_BYTES,
        runsScripts: config.DEPENDENCY_SCRIPTS === 'on',
      });
      return { layer: entries === null ? null : await layers.add(digest, entries), problems };
    } finally {
      void sandbox.destroy().catch(() => undefined);
    }
  }

  async function prepared(digest: string, ownerId: string, projects: Project[]): Promise<Prepared> {
    const known = remembered.get(digest);
    if (known && known.untilMs > nowMs() && known.prepared.layer === null) return known.prepared;
    const layer = await layers.find(digest);
    if (layer !== null) return { layer, problems: known?.prepared.problems ?? [] };
    const existing = running.get(digest);
    if (existing) return existing;
    const work = slots(1, () => make(digest, projects), ownerId)
      .then((made) => {
        const told = made.problems.map(({ reason }) => reason);
        deps.log.info(
          { digest, problems: told, isLayer: made.layer !== null },
          'packages were installed for sandboxes',
        );
        return remember(digest, made);
      })
      .finally(() => running.delete(digest));
    running.set(digest, work);
    return work;
  }

  return {
    async prepare({ ownerId, files }) {
      if (config.DEPENDENCY_REGISTRIES === 'off') return nothing;
      const { projects, problems } = projectsOf(files);
      if (projects.length === 0) return problems.length === 0 ? nothing : { layer: null, problems };
      const read = projects.flatMap(({ locks, manifests }) => [...locks, ...manifests]);
      if (read.reduce((sum, { content }) => sum + content.length, 0) > mostLockBytes) {
        const { path } = projects[0]!.locks[0]!;
        return { layer: null, problems: [problem('too_large', { path, limit: `${mostLockBytes / 1024 ** 2} MiB` })] };
      }
      return prepared(digestOf(projects, config), ownerId, projects);
    },
    jobs: [{ name: 'dependencies', everyMs: hourMs, run: async () => void (await makeRoom()) }],
  };
}

/** What a process was writing when it ended has a dot in its name. */
async function removePartial(place: string): Promise<void> {
  const isLayers = place.endsWith('layers');
  for (const found of await readdir(place, { recursive: !isLayers, withFileTypes: true })) {
    if (found.name.includes('.')) await rm(join(found.parentPath, found.name), { recursive: true, force: true });
  }
}

function digestOf(projects: readonly Project[], { DEPENDENCY_SCRIPTS }: Pick<Config, 'DEPENDENCY_SCRIPTS'>): string {
  const hash = createHash('sha256').update(
    JSON.stringify([version, process.version, process.arch, DEPENDENCY_SCRIPTS]),
  );
  for (const { tool, directory, locks, manifests } of projects) {
    for (const { path, content } of [...locks, ...manifests]) {
      hash.update(JSON.stringify([tool, directory, path, content.length])).update(content);
    }
  }
  return hash.digest('hex');
}

/** By their kinds, from `npm=<address>,pypi=<address>`. */
function registriesOf({ DEPENDENCY_REGISTRIES }: Pick<Config, 'DEPENDENCY_REGISTRIES'>): PrefetchJob['registries'] {
  const named = new Map(DEPENDENCY_REGISTRIES.split(',').map((each) => each.split(/=(.*)/s, 2) as [string, string]));
  const addressOf = (kind: string) => named.get(kind)?.replace(/\/$/, '') ?? null;
  return { npm: addressOf('npm'), pypi: addressOf('pypi') };
}

/** In a thread: a lockfile is a party's text, and a registry sends what it likes. */
function fetchPackages(
  { config, stopping }: Deps,
  { home, python }: Pick<PrefetchJob, 'home' | 'python'>,
  projects: readonly Project[],
): Promise<Prefetched> {
  const textOf = ({ path, content }: SandboxFile) => ({ path, text: content.toString('utf8') });
  const job: PrefetchJob = {
    projects: projects.map(({ tool, directory, locks, manifests }) => {
      return { tool, directory, locks: locks.map(textOf), manifests: manifests.map(textOf) };
    }),
    registries: registriesOf(config),
    home,
    python,
    maxBytes: config.DEPENDENCY_MAX_BYTES,
    nowMs: systemClock.now().getTime(),
  };
  const { path } = projects[0]!.locks[0]!;
  const without = (why: DependencyProblem): Prefetched => {
    return { problems: [why], packages: null, manifests: null, hasScripts: false, isWhole: false };
  };
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
    worker.on('error', () => settle(without(problem('unreadable_lock', { path }))));
    worker.on('exit', () => settle(without(problem('unreadable_lock', { path }))));
  });
}

/** A thread sends plain bytes. */
function asBuffers({ packages, manifests, ...found }: Prefetched): Prefetched {
  const buffer = (bytes: Uint8Array<ArrayBuffer> | null) =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return { ...found, packages: buffer(packages), manifests: buffer(manifests) };
}
