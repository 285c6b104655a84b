import { SandboxError, type SandboxUsage } from './driver.ts';

/** How much a sandbox may use over its whole life. Above that it is paused, not ended. */
export interface QuotaSettings {
  /** CPU time; each resume allows as much again. 0: any. */
  cpuMs: number;
  /** Of `/workspace`. 0: any, up to the disk's size. */
  diskBytes: number;
  /** How often a sandbox may be resumed. */
  resumes: number;
}

export type PauseReason = 'cpu' | 'disk';

export interface Pause {
  reason: PauseReason;
  since: Date;
  resumesLeft: number;
}

/** After a resume there is this much time to make room, in which the disk is not looked at. */
const ROOM_MS = 60_000;

/** The account of one sandbox: pure rules, without I/O. */
export class Quota {
  readonly #settings: QuotaSettings;
  #cpuMs: number;
  #resumes = 0;
  #diskFrom = 0;
  #pause: { reason: PauseReason; since: Date } | undefined;

  constructor(settings: QuotaSettings) {
    this.#settings = settings;
    this.#cpuMs = settings.cpuMs || Infinity;
  }

  get pause(): Pause | undefined {
    return this.#pause && { ...this.#pause, resumesLeft: this.#settings.resumes - this.#resumes };
  }

  /** True if the use requires a pause and the sandbox is not paused yet. */
  isExceeded(used: SandboxUsage, now: Date): boolean {
    if (this.#pause) return false;
    const { diskBytes } = this.#settings;
    if (used.cpuMs > this.#cpuMs) this.#pause = { reason: 'cpu', since: now };
    else if (diskBytes > 0 && used.diskBytes > diskBytes && now.getTime() >= this.#diskFrom) {
      this.#pause = { reason: 'disk', since: now };
    }
    return this.#pause !== undefined;
  }

  /** Ends the pause on the account and grants the next part of the quota. */
  resume(used: SandboxUsage, now: Date): void {
    if (!this.#pause) throw new SandboxError('REFUSED', 'The sandbox is not paused.');
    if (this.#resumes >= this.#settings.resumes) {
      throw new SandboxError('PAUSED', `The sandbox was resumed ${this.#resumes} times, which is all it may be.`);
    }
    this.#resumes += 1;
    if (this.#pause.reason === 'cpu') this.#cpuMs = used.cpuMs + this.#settings.cpuMs;
    else this.#diskFrom = now.getTime() + ROOM_MS;
    this.#pause = undefined;
  }
}
