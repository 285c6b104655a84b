import { NotHad, npmRegistry } from '@agora-market/examples/archives';
import { type Served, serveRegistries } from '@agora-market/examples/registries';
import { createDependencies } from '@agora-market/server/dependencies';
import type { Packages } from '@agora-market/server/gate';
import { createLog, readConfig, systemClock, watchDisk } from '@agora-market/server/platform';
import {
  type CreateOptions,
  createSandboxDriver,
  DEFAULT_LIMITS,
  type Sandbox,
  Sandboxes,
} from '@agora-market/server/sandbox';
import { archiveOf, filesOf, type Tree } from './tree.ts';

/** Where a project runs: sandboxes as the server's gate has them, with the packages that its files name. */
export interface Place {
  open(): Promise<Sandbox>;
  packages: Packages;
}

export interface Bench {
  /** `served`: packages of its lock that no public registry has. Rejects with `NotHad` where one cannot be installed. */
  placeFor(project: { tree: Tree; served?: readonly Served[] }): Promise<Place>;
  close(): Promise<void>;
}

interface Settings {
  /** As many sandboxes stand ready. */
  warm: number;
  /** Keeps packages, and what was installed. */
  cache: string;
  /** A registry, where it is not the one that this machine installs from. */
  npm?: string;
}

/** As a buyer asks for where a runner and a compiler share the memory. */
const roomy = { ...DEFAULT_LIMITS, memoryBytes: 1024 * 1024 ** 2 };

export async function openBench({ warm, cache, npm = npmRegistry() }: Settings): Promise<Bench> {
  const driver = createSandboxDriver({ driver: 'bwrap', installationId: `verdict-${process.pid}` });
  const probe = await driver.probe();
  if (!probe.available) throw new Error(probe.reason);
  const clock = systemClock;
  const sandboxes = new Sandboxes({
    driver,
    clock,
    limits: DEFAULT_LIMITS,
    lifetimeMs: 900_000,
    warm: { bwrap: warm },
  });
  let opened = 0;
  const openSandbox = async (start?: CreateOptions) => (await sandboxes.create(`verdict-${++opened}`, start)).sandbox;
  const served: Served[] = [];
  const registries = await serveRegistries(served);
  const config = readConfig({
    AGORA_DATA_DIR: cache,
    DEPENDENCY_REGISTRIES: `npm=${npm},pypi=${registries.pypi},go=${registries.go}`,
    DEPENDENCY_TIMEOUT_MS: '300000',
  });
  const log = createLog('silent');
  const stopping = new AbortController();
  const dependencies = await createDependencies({
    ...{ clock, config, log, openSandbox, stopping: stopping.signal, book: () => undefined },
    disk: watchDisk(cache, config.STORAGE_FLOOR_BYTES, log),
  });
  return {
    async placeFor({ tree, served: its = [] }) {
      served.push(...its);
      const start = { limits: roomy };
      const { layer, problems } = await dependencies.prepare({
        isOwners: true,
        ...{ ownerId: 'own_verdict', files: filesOf(tree), start, setup: null },
      });
      if (problems[0] !== undefined) throw new NotHad(problems[0].message);
      const packages = { installation: layer?.directory ?? null, lacking: [], hidden: null };
      return { open: () => openSandbox(layer === null ? {} : { ...start, layer }), packages };
    },
    async close() {
      stopping.abort();
      await registries.stop();
      await sandboxes.destroyAll();
      await driver.reclaim();
      driver.forget?.();
    },
  };
}

export interface Ended {
  passed: boolean;
  timedOut: boolean;
  ms: number;
  stdout: string;
}

/** Runs a command over a tree by itself, without the gate, and may read a file that it has left. */
export async function run(
  { open }: Place,
  tree: Tree,
  command: string,
  timeoutMs: number,
  stdin?: string,
): Promise<Ended> {
  const sandbox = await open();
  try {
    await sandbox.importWorkspace(await archiveOf(tree));
    const { exitCode, timedOut, durationMs, stdout } = await sandbox.exec({
      command,
      timeoutMs,
      ...(stdin !== undefined && { stdin }),
    });
    return { passed: exitCode === 0 && !timedOut, timedOut, ms: durationMs, stdout };
  } finally {
    await sandbox.destroy();
  }
}
