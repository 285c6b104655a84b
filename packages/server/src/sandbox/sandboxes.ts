import { type Sandbox, type SandboxDriver, SandboxError, type SandboxLimits } from './driver.ts';

export interface SandboxesSettings {
  driver: SandboxDriver;
  clock: { now(): Date };
  limits: SandboxLimits;
  /** The longest a sandbox lives, whatever its creator asks for. */
  lifetimeMs: number;
  /** How many may live at once; the machine's memory sets this. */
  maxLive?: number;
}

export interface LiveSandbox {
  sandbox: Sandbox;
  expiresAt: Date;
}

interface Held {
  starting: Promise<LiveSandbox>;
  live: LiveSandbox | undefined;
}

/** The live sandboxes of this process by id. It keeps no record beyond them: what they are for, tasks know. */
export class Sandboxes {
  readonly #settings: SandboxesSettings;
  readonly #held = new Map<string, Held>();

  constructor(settings: SandboxesSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#held.size;
  }

  /** The same id again gives the same sandbox, so a repeated request starts no second one. */
  create(id: string, options: { limits?: SandboxLimits; lifetimeMs?: number } = {}): Promise<LiveSandbox> {
    const held = this.#held.get(id);
    if (held) return held.starting;
    const { maxLive = Infinity } = this.#settings;
    if (this.#held.size >= maxLive) {
      const reason = `All ${maxLive} sandboxes of this server are in use; try again later.`;
      return Promise.reject(new SandboxError('SANDBOX_UNAVAILABLE', reason));
    }
    const fresh: Held = { starting: this.#start(id, options), live: undefined };
    this.#held.set(id, fresh);
    const forget = () => {
      if (this.#held.get(id) === fresh) this.#held.delete(id);
    };
    fresh.starting.then((live) => {
      fresh.live = live;
      live.sandbox.closed.then(forget, forget);
    }, forget);
    return fresh.starting;
  }

  /** Undefined while it is still starting, and from the moment it has ended or expired. */
  get(id: string): LiveSandbox | undefined {
    const live = this.#held.get(id)?.live;
    return live && live.expiresAt > this.#settings.clock.now() ? live : undefined;
  }

  /** Resolves when nothing of it is left, also when it was still starting; no such sandbox is no error. */
  async destroy(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (!held) return;
    const live = await held.starting.catch(() => undefined);
    await live?.sandbox.destroy();
    if (this.#held.get(id) === held) this.#held.delete(id);
  }

  async destroyAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((id) => this.destroy(id)));
  }

  /** Ends what has outlived its time; called by whoever owns the schedule. Returns the ids. */
  async sweep(): Promise<string[]> {
    const now = this.#settings.clock.now();
    const expired = [...this.#held].filter(([, { live }]) => live && live.expiresAt <= now).map(([id]) => id);
    await Promise.all(expired.map((id) => this.destroy(id)));
    return expired;
  }

  async #start(id: string, options: { limits?: SandboxLimits; lifetimeMs?: number }): Promise<LiveSandbox> {
    const { driver, clock, limits, lifetimeMs } = this.#settings;
    const sandbox = await driver.create(id, options.limits ?? limits);
    const life = Math.min(lifetimeMs, options.lifetimeMs ?? lifetimeMs);
    return { sandbox, expiresAt: new Date(clock.now().getTime() + life) };
  }
}
