import { systemClock, withTimeout } from '../platform/index.ts';
import type { Sandbox, SandboxDriver, SandboxLimits } from './driver.ts';

/** After a start that failed nobody tries for this long. */
const AFTER_FAILURE_MS = 30_000;
/** The end of the pool waits so long for a start that was called off to be undone; later it is undone without anybody waiting. */
const CALLED_OFF_MS = 5_000;
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
  readonly #end = new AbortController();
  #starting: Starting | undefined;
  #count = 0;
  #notBefore = 0;

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
    return this.#ready.some((sandbox) => this.isFresh(sandbox));
  }

  /** The oldest that is fresh; nobody waits for the end of those that are not. */
  take(): Sandbox | undefined {
    const first = this.#ready.findIndex((sandbox) => this.isFresh(sandbox));
    const old = this.#ready.splice(0, first < 0 ? this.#ready.length : first);
    for (const sandbox of old) void endLater(sandbox);
    return this.#ready.shift();
  }

  /** Whether one of its own may still be used for a whole lifetime. */
  isFresh(sandbox: Sandbox): boolean {
    return this.#clock.now().getTime() - (this.#readyAt.get(sandbox) ?? 0) <= WARM_AGE_MS;
  }

  /** Takes a warm sandbox of any age, the newest first, and if necessary the one that is just starting. */
  async takeAny(): Promise<Sandbox | undefined> {
    if (this.#ready.length === 0) await this.#starting?.sandbox;
    return this.#ready.pop();
  }

  /**
   * Ends one that is too old, so that those of one age are not replaced all at once, and starts missing ones, one after
   * the other, while there is room. Live sandboxes take precedence.
   */
  async fill(wanted: number, room: () => number): Promise<void> {
    const [oldest] = this.#ready;
    if (oldest && !this.isFresh(oldest)) await endLater(this.#ready.shift()!);
    while (!this.#end.signal.aborted && !this.#starting && this.#ready.length < wanted && room() > 0) {
      if (performance.now() < this.#notBefore) return;
      if (!(await this.#startOne())) this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    if (this.#starting) await withTimeout(systemClock, CALLED_OFF_MS, this.#starting.sandbox);
    await Promise.all(this.#ready.splice(0).map((sandbox) => sandbox.destroy()));
  }

  async #startOne(): Promise<boolean> {
    // If the driver cannot start one, the next caller gets the error; nobody waits for this one.
    const { signal } = this.#end;
    const sandbox = this.#driver.create(`warm-${++this.#count}`, this.#limits, { signal }).catch(() => undefined);
    const starting: Starting = { sandbox: sandbox.then((started) => this.#keep(started)) };
    this.#starting = starting;
    return (await starting.sandbox) !== undefined;
  }

  async #keep(sandbox: Sandbox | undefined): Promise<Sandbox | undefined> {
    const isUnwanted = () => this.#end.signal.aborted || sandbox?.ending.aborted;
    if (sandbox && isUnwanted()) await endLater(sandbox);
    this.#starting = undefined;
    if (!sandbox || isUnwanted()) return undefined;
    this.#ready.push(sandbox);
    this.#readyAt.set(sandbox, this.#clock.now().getTime());
    sandbox.ending.addEventListener('abort', () => {
      if (this.#forget(sandbox)) void endLater(sandbox);
    });
    void sandbox.closed.then(() => this.#forget(sandbox));
    return sandbox;
  }

  /** Whether it stood ready. */
  #forget(sandbox: Sandbox): boolean {
    const at = this.#ready.indexOf(sandbox);
    if (at >= 0) this.#ready.splice(at, 1);
    return at >= 0;
  }
}

/** A cluster that does not answer ends it when it can. */
const endLater = (sandbox: Sandbox): Promise<void> => sandbox.destroy().catch(() => undefined);
