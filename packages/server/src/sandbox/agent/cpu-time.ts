/** A sandbox that does not say at its end what it used is ended all the same. */
const LOOK_MS = 500;

/** CPU time of a sandbox, in ms, which is known also when it has ended. */
export class CpuTime {
  readonly #ofHost: (() => number | undefined) | undefined;
  #said: number | undefined;
  #commandsMs = 0;
  #looking: Promise<void> | undefined;

  /** `ofHost`: what the host counts, where it does. */
  constructor(ofHost?: () => number | undefined) {
    this.#ofHost = ofHost;
  }

  get ms(): number {
    return this.#ofHost?.() ?? this.#said ?? this.#commandsMs;
  }

  get isCountedByHost(): boolean {
    return this.#ofHost !== undefined;
  }

  /** Whether this is the last question, because the sandbox is about to end. */
  get isFinal(): boolean {
    return this.#looking !== undefined;
  }

  /** A command has ended that took so long. */
  add(commandMs: number): void {
    this.#commandsMs += commandMs;
  }

  /** Has the sandbox itself say it, before it ends. Never rejects. */
  look(ask: () => Promise<number>): Promise<void> {
    this.#looking ??= new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      ask()
        .then(
          (ms) => {
            this.#said = ms;
          },
          // It has died: the time of its commands stands in.
          () => undefined,
        )
        .finally(() => {
          clearTimeout(timer);
          resolve();
        });
    });
    return this.#looking;
  }
}
