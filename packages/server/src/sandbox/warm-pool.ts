import type { Sandbox, SandboxDriver, SandboxLimits } from './driver.ts';

/** After a start that failed nobody tries for this long. */
const AFTER_FAILURE_MS = 30_000;
/** One that has stood ready for so long is replaced: whatever bounds its life from outside counts from its start. */
export const WARM_AGE_MS = 3_600_000;

interface Starting {
  sandbox: Promise<Sandbox | undefined>;
}

/**
 * Sandboxes started ahead, so that a caller need not wait. Each is used once and ended by its user; none comes back.
 */
export class WarmPool {
  readonly #driver: SandboxDriver;
  readonly #limits: SandboxLimits;
  readonly #clock: { now(): Date };
  readonly #ready: Sandbox[] = [];
  readonly #readyAt = new WeakMap<Sandbox, number>();
  #starting: Starting | undefined;
  #count = 0;
  #notBefore = 0;
  #closed = false;

  constructor(driver: SandboxDriver, limits: SandboxLimits, clock: { now(): Date }) {
    this.#driver = driver;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Those that stand ready and the one being started. */
  get size(): number {
    return this.#ready.length + (this.#starting ? 1 : 0);
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  take(): Sandbox | undefined {
    return this.#ready.shift();
  }

  /** Whether one of its own may still be used for a whole lifetime. */
  isFresh(sandbox: Sandbox): boolean {
    return this.#clock.now().getTime() - (this.#readyAt.get(sandbox) ?? 0) <= WARM_AGE_MS;
  }

  /** Takes a warm sandbox, if necessary the one that is just starting. */
  async takeAny(): Promise<Sandbox | undefined> {
    if (this.#ready.length === 0) await this.#starting?.sandbox;
    return this.take();
  }

  /**
   * Ends those that are too old, and starts missing ones, one after the other, while there is room. Live sandboxes take
   * precedence.
   */
  async fill(wanted: number, room: () => number): Promise<void> {
    if (!this.#ready.every((sandbox) => this.isFresh(sandbox))) await this.#endOld();
    while (!this.#closed && !this.#starting && this.#ready.length < wanted && room() > 0) {
      if (performance.now() < this.#notBefore) return;
      if (!(await this.#startOne())) this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting?.sandbox;
    await Promise.all(this.#ready.splice(0).map((sandbox) => sandbox.destroy()));
  }

  async #endOld(): Promise<void> {
    const old = this.#ready.filter((sandbox) => !this.isFresh(sandbox));
    for (const sandbox of old) this.#ready.splice(this.#ready.indexOf(sandbox), 1);
    // A cluster that does not answer ends them later.
    await Promise.allSettled(old.map((sandbox) => sandbox.destroy()));
  }

  async #startOne(): Promise<boolean> {
    // If the driver cannot start one, the next caller gets the error; nobody waits for this one.
    const sandbox = this.#driver.create(`warm-${++this.#count}`, this.#limits).catch(() => undefined);
    const starting: Starting = { sandbox: sandbox.then((started) => this.#keep(started)) };
    this.#starting = starting;
    return (await starting.sandbox) !== undefined;
  }

  #keep(sandbox: Sandbox | undefined): Sandbox | undefined {
    this.#starting = undefined;
    if (!sandbox) return undefined;
    this.#ready.push(sandbox);
    this.#readyAt.set(sandbox, this.#clock.now().getTime());
    void sandbox.closed.then(() => {
      const at = this.#ready.indexOf(sandbox);
      if (at >= 0) this.#ready.splice(at, 1);
    });
    return sandbox;
  }
}
