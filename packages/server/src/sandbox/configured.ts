import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../platform/index.ts';
import { createSandboxDriver } from './create.ts';
import type { SandboxDriver } from './driver.ts';
import { WARM_AGE_MS } from './warm-pool.ts';

/** A server that cannot put work into the bucket spares its sandbox beyond the lifetime; so long does the cluster, too. */
export const POD_RESERVE_MS = 3_600_000;

/** What the settings say of each driver. */
export const driverSettings = (config: Config) => ({
  driver: config.SANDBOX_DRIVER,
  docker: {
    image: config.SANDBOX_DOCKER_IMAGE,
    images: config.SANDBOX_DOCKER_IMAGES,
    host: config.SANDBOX_DOCKER_HOST,
    ...(config.SANDBOX_DOCKER_CERT_PATH ? { certPath: config.SANDBOX_DOCKER_CERT_PATH } : {}),
    ...(config.SANDBOX_DOCKER_RUNTIME ? { runtime: config.SANDBOX_DOCKER_RUNTIME } : {}),
  },
  kubernetes: {
    image: config.SANDBOX_KUBERNETES_IMAGE,
    agentImage: config.SANDBOX_KUBERNETES_AGENT_IMAGE,
    namespace: config.SANDBOX_KUBERNETES_NAMESPACE,
    template: config.SANDBOX_KUBERNETES_TEMPLATE,
    startMs: config.SANDBOX_KUBERNETES_START_MS,
    // A Pod's own deadline counts from its start, and a task's from when it gets the Pod.
    lifetimeMs: config.SANDBOX_LIFETIME_MS + POD_RESERVE_MS + (config.SANDBOX_KUBERNETES_WARM > 0 ? WARM_AGE_MS : 0),
  },
});

/** The driver of the settings. The data directory tells the sandboxes of one installation from those of another. */
export const configuredDriver = (config: Config): SandboxDriver =>
  createSandboxDriver({
    ...driverSettings(config),
    installationId: createHash('sha256').update(resolve(config.AGORA_DATA_DIR)).digest('hex').slice(0, 16),
  });

/** Images that a task may name, besides the ordinary one. */
export const namedImages = (config: Config, driver: SandboxDriver['name']): readonly string[] =>
  ({ bwrap: [], docker: config.SANDBOX_DOCKER_IMAGES, kubernetes: config.SANDBOX_KUBERNETES_IMAGES })[driver];
