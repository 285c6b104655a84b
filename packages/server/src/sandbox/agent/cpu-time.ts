/** A sandbox that does not report its use at the end is ended anyway. */
const LOOK_MS = 500;

/** CPU time of a sandbox, in ms, which is known also when it has ended. */
export class CpuTime {
  readonly #ofHost: (() => number | undefined) | undefined;
  #said: number | undefined;
  #commandsMs = 0;
  #looking: Promise<void> | undefined;

  /** `ofHost`: the figure of the host, if it has one. */
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
          // The sandbox has died: use the time of its commands.
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
