import type { Sandbox, SandboxDriver, SandboxLimits } from './driver.ts';

/** After a start that failed nobody tries for this long. */
const AFTER_FAILURE_MS = 30_000;

interface Starting {
  sandbox: Promise<Sandbox | undefined>;
}

/**
 * Sandboxes that were started before anybody asked, so that whoever asks need not wait. Each is handed out once and
 * ended by whoever got it; nothing comes back here.
 */
export class WarmPool {
  readonly #driver: SandboxDriver;
  readonly #limits: SandboxLimits;
  readonly #wanted: number;
  readonly #ready: Sandbox[] = [];
  #starting: Starting | undefined;
  #count = 0;
  #notBefore = 0;
  #closed = false;

  constructor(driver: SandboxDriver, limits: SandboxLimits, wanted: number) {
    this.#driver = driver;
    this.#limits = limits;
    this.#wanted = wanted;
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

  /** One of these, if need be the one that is just being started. */
  async takeAny(): Promise<Sandbox | undefined> {
    if (this.#ready.length === 0) await this.#starting?.sandbox;
    return this.take();
  }

  /** Starts what is missing, one after the other and as long as there is room, which live sandboxes take first. */
  async fill(room: () => number): Promise<void> {
    while (!this.#closed && !this.#starting && this.#ready.length < this.#wanted && room() > 0) {
      if (performance.now() < this.#notBefore) return;
      if (!(await this.#startOne())) this.#notBefore = performance.now() + AFTER_FAILURE_MS;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting?.sandbox;
    await Promise.all(this.#ready.splice(0).map((sandbox) => sandbox.destroy()));
  }

  async #startOne(): Promise<boolean> {
    // A driver that cannot start one says so to whoever asks for one; here nobody has asked.
    const sandbox = this.#driver.create(`warm-${++this.#count}`, this.#limits).catch(() => undefined);
    const starting: Starting = { sandbox: sandbox.then((started) => this.#keep(started)) };
    this.#starting = starting;
    return (await starting.sandbox) !== undefined;
  }

  #keep(sandbox: Sandbox | undefined): Sandbox | undefined {
    this.#starting = undefined;
    if (!sandbox) return undefined;
    this.#ready.push(sandbox);
    void sandbox.closed.then(() => {
      const at = this.#ready.indexOf(sandbox);
      if (at >= 0) this.#ready.splice(at, 1);
    });
    return sandbox;
  }
}
