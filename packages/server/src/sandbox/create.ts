import { BwrapDriver, type BwrapSettings } from './bwrap/bwrap.ts';
import { DockerDriver, type DockerSettings } from './docker/docker.ts';
import type { SandboxDriver } from './driver.ts';
import { FirstThatRuns } from './driver-order.ts';

export interface SandboxSettings extends BwrapSettings {
  driver?: 'auto' | 'bwrap' | 'docker';
  /** The container engine; `auto` turns to it where it names an image and bubblewrap cannot run. */
  docker?: Omit<DockerSettings, 'installationId' | 'nativeDir'>;
}

/** Never falls back to weaker isolation. If the driver cannot run, `probe` says so and `create` refuses. */
export function createSandboxDriver({ driver = 'auto', docker, ...bwrap }: SandboxSettings): SandboxDriver {
  const { installationId, nativeDir } = bwrap;
  const engine = () =>
    new DockerDriver({ image: undefined, ...docker, installationId, ...(nativeDir ? { nativeDir } : {}) });
  if (driver === 'docker') return engine();
  const own = new BwrapDriver(bwrap);
  return driver === 'auto' && docker?.image ? new FirstThatRuns([own, engine()]) : own;
}
