/** What each stream may hold even if the budget is used up; enough for most commands. */
const FREE_BYTES = 16 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Output that a process holds for replies it has not given yet, all sandboxes together. Many commands that each stay
 * below their own cap must not fill the server's memory together: past the budget output is cut, and said to be.
 */
export class OutputBudget {
  readonly #maxBytes: number;
  #held = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** How much of `wanted` a stream may take that has `kept` so far. It holds this until `release`. */
  take(kept: number, wanted: number): number {
    const free = Math.min(wanted, Math.max(0, FREE_BYTES - kept));
    const charged = Math.min(wanted - free, Math.max(0, this.#maxBytes - this.#held));
    this.#held += charged;
    return free + charged;
  }

  /** For a stream that has kept so much in all. */
  release(kept: number): void {
    this.#held -= Math.max(0, kept - FREE_BYTES);
  }
}

/** That of this process. */
export const outputBudget = new OutputBudget();
