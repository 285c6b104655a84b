import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../platform/index.ts';
import { createSandboxDriver } from './create.ts';
import type { SandboxDriver } from './driver.ts';

/** The driver of the settings. The data directory tells the sandboxes of one installation from those of another. */
export const configuredDriver = (config: Config): SandboxDriver =>
  createSandboxDriver({
    driver: config.SANDBOX_DRIVER,
    installationId: createHash('sha256').update(resolve(config.AGORA_DATA_DIR)).digest('hex').slice(0, 16),
    docker: {
      image: config.SANDBOX_DOCKER_IMAGE,
      images: config.SANDBOX_DOCKER_IMAGES,
      host: config.SANDBOX_DOCKER_HOST,
      ...(config.SANDBOX_DOCKER_CERT_PATH ? { certPath: config.SANDBOX_DOCKER_CERT_PATH } : {}),
      ...(config.SANDBOX_DOCKER_RUNTIME ? { runtime: config.SANDBOX_DOCKER_RUNTIME } : {}),
    },
  });
