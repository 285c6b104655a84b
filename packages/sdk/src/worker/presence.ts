import type { Agora } from '../client.ts';
import { AuthenticationError } from '../errors.ts';

/** Another worker of the same agent may have set `offline` when it stopped, for example in a rolling restart. */
export const lookEveryMs = 60_000;
/** A server that does not answer must not delay the stop. */
const patience = { timeoutMs: 5_000, maxRetries: 1 };

/**
 * Tells routing whether the agent is there: `offline` after its worker stops, not `offline` while one works. `busy` is
 * left to the agent's owner.
 */
export class Presence {
  readonly #agora: Agora;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();

  constructor(agora: Agora) {
    this.#agora = agora;
  }

  /** Call it often: it asks the server at most once a minute, without delaying the worker. */
  show(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    // The request for tasks fails as well and reports it.
    this.#looking = this.#look().catch(() => {});
  }

  async #look(): Promise<void> {
    const { availability } = await this.#agora.agents.me(patience);
    if (availability === 'offline') await this.#agora.agents.updateMe({ availability: 'available' }, patience);
  }

  async leave(): Promise<void> {
    await this.#looking;
    try {
      await this.#agora.agents.updateMe({ availability: 'offline' }, patience);
    } catch (error) {
      // A refused key needs no report: it stops the worker anyway.
      if (!(error instanceof AuthenticationError)) throw error;
    }
  }
}
