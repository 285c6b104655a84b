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
  closedAmong,
  createArchiveStore,
  createArtifacts,
  createDeliveries,
  createGateCpu,
  createInputs,
  createSharedArchiveStore,
  createStorage,
  createTaskSandboxes,
  endedAmong,
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
  const inBucket = objects.isShared ? placesInBucket(bucket, onDisk) : null;
  /** Once this process is among the servers of its database, which have one bucket. */
  const carryOver = async (signal: AbortSignal) => {
    if (inBucket) await carryIntoBucket(bucket, onDisk, deps.hosts.store, signal);
  };
  const storeIn = async (
    name: 'archives' | 'workspaces' | 'snapshots',
    limits: Parameters<typeof createArchiveStore>[2],
  ) =>
    inBucket
      ? createSharedArchiveStore(deps.pool, inBucket[name], limits)
      : createArchiveStore(deps.pool, onDisk[name], limits);
  const archives = await storeIn('archives', {
    maxBytes: WORKSPACE_KEEP_BYTES,
    over: (ids, now) => closedAmong(deps.pool, ids, now, { keepMs, inputTtlMs }),
  });
  const ofUnfinished = { maxBytes: SANDBOX_KEEP_BYTES, over: (ids: string[]) => endedAmong(deps.pool, ids) };
  const workspaces = await storeIn('workspaces', ofUnfinished);
  const snapshots = await storeIn('snapshots', ofUnfinished);
  const deliveries = await createDeliveries((inBucket ?? onDisk).deliveries, archives);
  // Last, for it starts sandboxes ahead: whoever gets these stores ends them.
  const live = new Sandboxes({
    driver,
    clock,
    limits: sandboxLimits(config),
    lifetimeMs: config.SANDBOX_LIFETIME_MS,
    maxLive: config.SANDBOX_MAX_LIVE,
    // Those of an engine are let be: it may be elsewhere and have other users.
    warm: config.ROLES.includes('sandboxes')
      ? { bwrap: config.SANDBOX_WARM, kubernetes: config.SANDBOX_KUBERNETES_WARM }
      : {},
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
      ...{ ...deps, disk, storage, sandboxes: live, objects, inputs, workspaces, snapshots, carryOver },
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
