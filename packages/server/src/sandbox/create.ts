import { BwrapDriver, type BwrapSettings } from './bwrap/bwrap.ts';
import { DockerDriver, type DockerSettings } from './docker/docker.ts';
import type { SandboxDriver } from './driver.ts';
import { FirstThatRuns } from './driver-order.ts';
import { KubernetesDriver, type KubernetesSettings } from './kubernetes/kubernetes.ts';

export interface SandboxSettings extends BwrapSettings {
  driver?: 'auto' | 'bwrap' | 'docker' | 'kubernetes';
  /** The container engine; `auto` turns to it where it names an image and bubblewrap cannot run. */
  docker?: Omit<DockerSettings, 'installationId' | 'nativeDir'>;
  /** The cluster; only where it is asked for. */
  kubernetes?: Omit<KubernetesSettings, 'installationId'>;
}

/** Never falls back to weaker isolation. If the driver cannot run, `probe` says so and `create` refuses. */
export function createSandboxDriver({ driver = 'auto', docker, kubernetes, ...bwrap }: SandboxSettings): SandboxDriver {
  const { installationId, nativeDir } = bwrap;
  const engine = () =>
    new DockerDriver({ image: undefined, ...docker, installationId, ...(nativeDir ? { nativeDir } : {}) });
  if (driver === 'docker') return engine();
  if (driver === 'kubernetes')
    return new KubernetesDriver({ image: undefined, agentImage: undefined, ...kubernetes, installationId });
  const own = new BwrapDriver(bwrap);
  return driver === 'auto' && docker?.image ? new FirstThatRuns([own, engine()]) : own;
}
