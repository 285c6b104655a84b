import { toId } from '@agora-market/contract';
import { createDependencies, type PrivateRegistries } from './dependencies/index.ts';
import { createEnvironments } from './environments/index.ts';
import { openObjectStore } from './objects/index.ts';
import { type Config, type Hosts, newUuid, watchDisk } from './platform/index.ts';
import {
  type CreateOptions,
  type QuotaSettings,
  type Sandbox,
  type SandboxDriver,
  Sandboxes,
  type SandboxLimits,
} from './sandbox/index.ts';
import {
  carryIntoBucket,
  createArchiveStore,
  createArtifacts,
  createDeliveries,
  createGateCpu,
  createInputs,
  createStorage,
  createTaskSandboxes,
  placesInBucket,
  placesOnDisk,
} from './tasks/index.ts';

/** What tasks have outside the database. */
export async function taskStores(
  deps: Omit<Parameters<typeof createInputs>[0], 'objects' | 'openSandbox'> & {
    driver: SandboxDriver;
    hosts: Hosts;
    privateRegistries: PrivateRegistries;
  },
) {
  const { clock, config, driver } = deps;
  const objects = await openObjectStore(config, clock);
  const openSandbox = async (start?: CreateOptions) =>
    (await live.create(toId('sandbox', newUuid(clock)), start)).sandbox;
  const inputs = createInputs({ ...deps, objects, openSandbox });
  const {
    WORKSPACE_KEEP_MS: keepMs,
    INPUT_TTL_MS: inputTtlMs,
    WORKSPACE_KEEP_BYTES,
    SANDBOX_KEEP_BYTES,
    AGORA_DATA_DIR,
  } = config;
  const storage = createStorage(deps.pool, config);
  const disk = watchDisk(AGORA_DATA_DIR, config.STORAGE_FLOOR_BYTES, deps.log);
  const bucket = { ...deps, objects };
  const onDisk = await placesOnDisk(AGORA_DATA_DIR, deps.hosts.store, clock);
  const places = objects.isShared ? placesInBucket(bucket, onDisk) : onDisk;
  /** Once this process is among the servers of its database, which have one bucket. */
  const carryOver = async (signal?: AbortSignal) => {
    if (objects.isShared) await carryIntoBucket(bucket, onDisk, deps.hosts.store, signal);
  };
  const forAppeals = { keepMs, inputTtlMs, maxBytes: WORKSPACE_KEEP_BYTES };
  const archives = await createArchiveStore(deps.pool, places.archives, forAppeals);
  const untilTheyEnd = { keepMs: Infinity, inputTtlMs, maxBytes: SANDBOX_KEEP_BYTES };
  const workspaces = await createArchiveStore(deps.pool, places.workspaces, untilTheyEnd);
  const deliveries = await createDeliveries(places.deliveries, archives);
  // Last, for it starts sandboxes ahead: whoever gets these stores ends them.
  const live = new Sandboxes({
    driver,
    clock,
    limits: sandboxLimits(config),
    lifetimeMs: config.SANDBOX_LIFETIME_MS,
    maxLive: config.SANDBOX_MAX_LIVE,
    warm: config.SANDBOX_WARM,
    quota: sandboxQuota(config),
  });
  const gateCpu = createGateCpu(deps);
  const book = (buyerId: string, sandbox: Sandbox, { waits }: { waits: boolean }) => {
    const startedMs = performance.now();
    const usedMs = async () => {
      await sandbox.closed;
      return Math.round(Math.max(sandbox.cpuMs(), waits ? performance.now() - startedMs : 0));
    };
    gateCpu.book({ usedMs }, { buyerId, assessmentId: null });
  };
  const dependencies = await createDependencies({ ...deps, disk, openSandbox, book });
  const environments = createEnvironments({ config, driver, limits: sandboxLimits(config), openSandbox });
  return {
    live,
    disk,
    environments,
    dependencies,
    sandboxes: createTaskSandboxes({
      ...{ ...deps, disk, storage, sandboxes: live, objects, inputs, workspaces, carryOver },
      ...{ environments, dependencies },
    }),
    storage,
    gateCpu,
    objects,
    inputs,
    artifacts: createArtifacts({ ...deps, objects, inputs }),
    archives,
    deliveries,
    carryOver,
  };
}

/** The ceilings of a sandbox as the settings say. */
const sandboxLimits = (config: Config): SandboxLimits => ({
  cpus: config.SANDBOX_CPUS,
  memoryBytes: config.SANDBOX_MEMORY_BYTES,
  processes: config.SANDBOX_PROCESSES,
  diskBytes: config.SANDBOX_DISK_BYTES,
  execMs: config.SANDBOX_EXEC_TIMEOUT_MS,
  maxExecMs: config.SANDBOX_MAX_EXEC_MS,
  maxOutputBytes: config.SANDBOX_MAX_OUTPUT_BYTES,
  maxStreamBytes: config.SANDBOX_MAX_STREAM_BYTES,
  background: config.SANDBOX_BACKGROUND,
  backgroundOutputBytes: config.SANDBOX_BACKGROUND_OUTPUT_BYTES,
});

/** CPU time and disk that a task's sandbox may use before it is paused. */
const sandboxQuota = (config: Config): QuotaSettings => ({
  cpuMs: config.SANDBOX_CPU_QUOTA_MS,
  diskBytes: config.SANDBOX_DISK_QUOTA_BYTES,
  resumes: config.SANDBOX_RESUMES,
});
