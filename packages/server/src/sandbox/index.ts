import { BwrapDriver, type BwrapSettings } from './bwrap.ts';
import { type SandboxDriver, SandboxError } from './driver.ts';

export * from './driver.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { type LiveSandbox, Sandboxes, type SandboxesSettings } from './sandboxes.ts';

export interface SandboxSettings extends BwrapSettings {
  driver?: 'auto' | 'bwrap' | 'docker';
}

/** Stands in where no driver can work, so that callers have one way to learn why. */
class UnavailableDriver implements SandboxDriver {
  readonly name = 'docker';
  readonly #reason: string;

  constructor(reason: string) {
    this.#reason = reason;
  }

  async probe() {
    return { available: false as const, reason: this.#reason };
  }

  async create(): Promise<never> {
    throw new SandboxError('SANDBOX_UNAVAILABLE', this.#reason);
  }

  async reclaim(): Promise<void> {}
}

/** Never falls back to something weaker: what cannot run says so by `probe` and refuses to create. */
export function createSandboxDriver(settings: SandboxSettings): SandboxDriver {
  if (settings.driver === 'docker') {
    return new UnavailableDriver('The docker driver is not part of this version. Set SANDBOX_DRIVER to auto or bwrap.');
  }
  return new BwrapDriver(settings);
}
