import { systemClock, withTimeout } from '../platform/index.ts';
import {
  NoRoom,
  type Sandbox,
  type SandboxDriver,
  SandboxError,
  type SandboxLimits,
  type SandboxStart,
  type SandboxUsage,
} from './driver.ts';
import { type Pause, Quota, type QuotaSettings } from './quota.ts';
import { WarmPool } from './warm-pool.ts';

export interface SandboxesSettings {
  driver: SandboxDriver;
  clock: { now(): Date };
  limits: SandboxLimits;
  /** Longest lifetime of a sandbox, whatever its creator requests. */
  lifetimeMs: number;
  /** How many of ordinary size may live at once; the machine's memory sets this. */
  maxLive?: number;
  /** How many sandboxes the warm pool keeps of a driver, if there is room; none of those that are not named. */
  warm?: Partial<Record<SandboxDriver['name'], number>>;
  quota?: QuotaSettings;
}

export interface CreateOptions extends Omit<SandboxStart, 'signal'> {
  limits?: SandboxLimits | undefined;
  lifetimeMs?: number;
  /** Above these quotas the sandbox is paused. */
  hasQuota?: boolean;
}

export interface LiveSandbox {
  sandbox: Sandbox;
  expiresAt: Date;
  quota: Quota | undefined;
}

/** How long a sweep waits for a sandbox that does not report its use. */
const LOOK_MS = 2_000;
/** After one was handed out, the next is started when whoever got it has begun. */
const REFILL_AFTER_MS = 100;

interface Held {
  /** As many ordinary sandboxes have its memory and disk. */
  weight: number;
  starting: Promise<LiveSandbox>;
  live: LiveSandbox | undefined;
}

/** Empty and with the default limits, as those of the warm pool. */
const isOrdinary = ({ limits, layer, image, toolchains = [] }: CreateOptions): boolean =>
  [limits, layer, image, toolchains[0]].every((each) => each === undefined);

/** The live sandboxes of this process by id. Which task each belongs to is known to tasks only. */
export class Sandboxes {
  readonly #settings: SandboxesSettings;
  readonly #held = new Map<string, Held>();
  readonly #looking = new Set<string>();
  readonly #warm: WarmPool;
  #refill: NodeJS.Timeout | undefined;

  constructor(settings: SandboxesSettings) {
    this.#settings = settings;
    this.#warm = new WarmPool(settings.driver, settings.limits, settings.clock);
  }

  /** Those that live; a larger one counts as several. */
  get size(): number {
    return [...this.#held.values()].reduce((sum, { weight }) => sum + weight, 0);
  }

  /** As how many ordinary sandboxes one with these limits counts. */
  weightOf({ memoryBytes, diskBytes }: SandboxLimits = this.#settings.limits): number {
    const ordinary = this.#settings.limits;
    return Math.max(1, Math.ceil(memoryBytes / ordinary.memoryBytes), Math.ceil(diskBytes / ordinary.diskBytes));
  }

  /** Whether such a one is there already, so that nobody need wait for it. */
  hasReady(options: CreateOptions): boolean {
    return this.#warm.hasReady && isOrdinary(options);
  }

  /** The same id again gives the same sandbox, so a repeated request starts no second one. */
  create(id: string, options: CreateOptions = {}): Promise<LiveSandbox> {
    const held = this.#held.get(id);
    if (held) return held.starting;
    const { maxLive = Infinity } = this.#settings;
    const weight = this.weightOf(options.limits);
    if (this.size + weight > maxLive) {
      return Promise.reject(new NoRoom(`All ${maxLive} sandboxes of this server are in use. Try again later.`));
    }
    const fresh: Held = { weight, starting: this.#start(id, options), live: undefined };
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

  /** The end of this object: nothing is started ahead any more. */
  async destroyAll(): Promise<void> {
    clearTimeout(this.#refill);
    await Promise.all([this.#warm.close(), ...[...this.#held.keys()].map((id) => this.destroy(id))]);
  }

  /** Refills the warm pool; resolves when it is full. */
  fill(): Promise<void> {
    const { maxLive = Infinity, driver, warm = {} } = this.#settings;
    return this.#warm.fill(warm[driver.name] ?? 0, () => maxLive - this.size - this.#warm.size);
  }

  /** Why and since when a sandbox is paused; undefined if it is not. */
  pauseOf(id: string): Pause | undefined {
    return this.#held.get(id)?.live?.quota?.pause;
  }

  /** Resumes a paused sandbox within its limits. REFUSED if it is not paused, PAUSED if no resume is left. */
  async resume(id: string): Promise<void> {
    const live = this.#held.get(id)?.live;
    if (!live?.quota) throw new SandboxError('REFUSED', 'The sandbox is not paused.');
    const used = await live.sandbox.usage();
    live.quota.resume(used, this.#settings.clock.now());
    await live.sandbox.resume();
  }

  /**
   * Ends sandboxes whose lifetime is over and returns their ids. The caller ends those that `isSpared` itself.
   * It also decides when this runs.
   */
  async sweep(isSpared: (id: string) => boolean = () => false): Promise<string[]> {
    const now = this.#settings.clock.now();
    const over = [...this.#held].filter(([, { live }]) => live && live.expiresAt <= now).map(([id]) => id);
    const expired = over.filter((id) => !isSpared(id));
    await Promise.all(expired.map((id) => this.destroy(id)));
    await Promise.all([...this.#held.keys()].map((id) => this.#look(id)));
    this.#refillSoon();
    return expired;
  }

  /** Pauses a sandbox that has used up its quota. One that does not answer delays nobody. */
  async #look(id: string): Promise<void> {
    const live = this.#held.get(id)?.live;
    if (!live?.quota || live.quota.pause || this.#looking.has(id)) return;
    this.#looking.add(id);
    const look = live.sandbox
      .usage()
      .then((used) => this.#pauseIfExceeded(live, used))
      // It has ended meanwhile, or will be ended for its silence.
      .catch(() => undefined)
      .finally(() => this.#looking.delete(id));
    await withTimeout(systemClock, LOOK_MS, look);
  }

  async #pauseIfExceeded({ sandbox, quota }: LiveSandbox, used: SandboxUsage): Promise<void> {
    if (quota?.isExceeded(used, this.#settings.clock.now())) await sandbox.pause();
  }

  #refillSoon(): void {
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => void this.fill(), REFILL_AFTER_MS).unref();
  }

  async #start(id: string, options: CreateOptions): Promise<LiveSandbox> {
    const { clock, lifetimeMs, quota } = this.#settings;
    const fits = isOrdinary(options);
    const warm = await this.#takeWarm(fits);
    // A warm sandbox is empty and has the default limits. If it does not fit, it is only ended to make room.
    const usable = fits && warm && this.#warm.isFresh(warm) ? warm : undefined;
    if (!usable) await warm?.destroy();
    const sandbox = usable ?? (await this.#create(id, options));
    const life = Math.min(lifetimeMs, options.lifetimeMs ?? lifetimeMs);
    const expiresAt = new Date(clock.now().getTime() + life);
    return { sandbox, expiresAt, quota: options.hasQuota && quota ? new Quota(quota) : undefined };
  }

  async #create(
    id: string,
    { limits = this.#settings.limits, layer, toolchains, image }: CreateOptions,
  ): Promise<Sandbox> {
    const release = layer?.use?.() ?? (() => {});
    try {
      const sandbox = await this.#settings.driver.create(id, limits, { layer, toolchains, image });
      void sandbox.closed.then(release);
      return sandbox;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** At the machine's limit this includes the sandbox that is just starting, so that there is never one too many. */
  #takeWarm(fits: boolean): Promise<Sandbox | undefined> {
    const { maxLive = Infinity } = this.#settings;
    const isCrowded = this.size + this.#warm.size >= maxLive;
    if (this.#warm.size === 0 || !(fits || isCrowded)) return Promise.resolve(undefined);
    this.#refillSoon();
    return isCrowded ? this.#warm.takeAny() : Promise.resolve(this.#warm.take());
  }
}
