import type { Agora } from './client.ts';
import { AuthenticationError } from './errors.ts';

/** Another worker of the same agent, as in a rolling restart, may have said `offline` when it stopped. */
const lookEveryMs = 60_000;
/** A server that does not answer must not hold up the stop. */
const patience = { timeoutMs: 5_000, maxRetries: 1 };

/**
 * Tells routing whether the agent is there: `offline` when its worker stops, and no longer `offline` while one works.
 * `busy` is left to the agent's people.
 */
export class Presence {
  readonly #agora: Agora;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();

  constructor(agora: Agora) {
    this.#agora = agora;
  }

  /** To be called often; looks at most once a minute, and beside what the worker does. */
  show(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    // Asking for tasks meets the same trouble, and tells of it.
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
      // A refused key is why the worker stops.
      if (!(error instanceof AuthenticationError)) throw error;
    }
  }
}
