import { ApiError, type Clock } from '../../platform/index.ts';

/**
 * So long a command runs on, and its result waits, for a caller that has lost its connection. A client comes again within
 * seconds; where the server died that took its call, its key is free after 10 s.
 */
export const AWAITED_MS = 30_000;

/** So many of one sandbox run on. Beyond them a command ends when its caller goes. */
const MOST = 24;

interface Running<R> {
  result: Promise<R>;
  callers: number;
  /** Called where a caller comes in time. */
  stay(): void;
  end(): void;
}

/** The commands of one sandbox by the subjects of their Idempotency-Keys. */
export class JoinedCommands<R> {
  readonly #running = new Map<string, Running<R>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The result of the command that runs under this subject, which is begun if there is none. */
  async join(subject: string, gone: AbortSignal, run: (ending: AbortSignal) => Promise<R>): Promise<R> {
    const known = this.#running.get(subject);
    if (!known && this.#running.size >= MOST) return run(gone);
    const command = known ?? this.#begin(subject, run);
    command.stay();
    command.callers += 1;
    try {
      return await Promise.race([command.result, leaving(gone)]);
    } finally {
      command.callers -= 1;
      if (!gone.aborted) this.#forget(subject, command);
      else if (command.callers === 0) command.stay = this.#clock.after(AWAITED_MS, () => command.end());
    }
  }

  #begin(subject: string, run: (ending: AbortSignal) => Promise<R>): Running<R> {
    const ending = new AbortController();
    const command: Running<R> = {
      result: run(ending.signal),
      callers: 0,
      stay: () => {},
      end: () => {
        ending.abort();
        this.#forget(subject, command);
      },
    };
    this.#running.set(subject, command);
    // The next caller begins it again.
    command.result.catch(() => this.#forget(subject, command));
    return command;
  }

  #forget(subject: string, command: Running<R>): void {
    if (this.#running.get(subject) === command) this.#running.delete(subject);
  }
}

/** Rejects when the caller goes; nobody hears it. */
const leaving = (gone: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = () => reject(new ApiError('NOT_READY', 'The caller has gone.', {}, { isOurs: false }));
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
