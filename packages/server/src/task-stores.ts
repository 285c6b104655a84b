import { join } from 'node:path';
import { openObjectStore } from './objects/index.ts';
import { type Hosts, watchDisk } from './platform/index.ts';
import { type SandboxDriver, Sandboxes } from './sandbox/index.ts';
import { sandboxLimits, sandboxQuota } from './sandbox-settings.ts';
import {
  createArchiveStore,
  createArtifacts,
  createDeliveries,
  createGateCpu,
  createInputs,
  createStorage,
  createTaskSandboxes,
  openArchivesDir,
} from './tasks/index.ts';

/** What tasks have outside the database. */
export async function taskStores(
  deps: Omit<Parameters<typeof createInputs>[0], 'objects'> & { driver: SandboxDriver; hosts: Hosts },
) {
  const { clock, config, driver } = deps;
  const objects = await openObjectStore(config, clock);
  const inputs = createInputs({ ...deps, objects });
  const { WORKSPACE_KEEP_MS: keepMs, WORKSPACE_KEEP_BYTES, SANDBOX_KEEP_BYTES, AGORA_DATA_DIR } = config;
  const storage = createStorage(deps.pool, config);
  const disk = watchDisk(AGORA_DATA_DIR, config.STORAGE_FLOOR_BYTES, deps.log);
  const archives = await createArchiveStore(
    deps.pool,
    await openArchivesDir(AGORA_DATA_DIR),
    { keepMs, maxBytes: WORKSPACE_KEEP_BYTES },
    clock,
  );
  const untilTheyEnd = { keepMs: Infinity, maxBytes: SANDBOX_KEEP_BYTES };
  const workspaces = await createArchiveStore(deps.pool, join(AGORA_DATA_DIR, 'workspaces'), untilTheyEnd, clock);
  const deliveries = await createDeliveries(join(AGORA_DATA_DIR, 'deliveries'), clock, archives);
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
  return {
    live,
    disk,
    sandboxes: createTaskSandboxes({ ...deps, disk, storage, sandboxes: live, inputs, workspaces }),
    storage,
    gateCpu: createGateCpu(deps),
    objects,
    inputs,
    artifacts: createArtifacts({ ...deps, objects, inputs }),
    archives,
    deliveries,
  };
}
