import { ApiError, type Clock } from '../../platform/index.ts';
import type { ExecResult } from '../../sandbox/index.ts';

/**
 * So long a command runs on, and its result waits, for a caller that has lost its connection. A client comes again within
 * seconds; where the server died that took its call, its key is free after 10 s.
 */
export const AWAITED_MS = 30_000;

/** So many characters of output wait for callers in a server. Beyond them the oldest result is dropped. */
export const MOST_WAITING = 32 * 1024 ** 2;

interface Command {
  result: Promise<ExecResult>;
  callers: number;
  /** Characters of its output, once it has ended. */
  size: number;
  /** Called where a caller comes in time. */
  stay(): void;
  end(): void;
}

/** The commands of a server's sandboxes that run under an Idempotency-Key, by the subject of its claim. */
export class JoinedCommands {
  readonly #commands = new Map<string, Command>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The result of the command that runs under this subject, which is begun if there is none. */
  async join(
    subject: string,
    gone: AbortSignal,
    run: (ending: AbortSignal) => Promise<ExecResult>,
  ): Promise<ExecResult> {
    const command = this.#commands.get(subject) ?? this.#begin(subject, gone, run);
    command.stay();
    command.callers += 1;
    try {
      return await Promise.race([command.result, leaving(gone)]);
    } finally {
      command.callers -= 1;
      if (!gone.aborted) this.#forget(subject, command);
      else if (command.callers === 0) this.#await(command);
    }
  }

  #begin(subject: string, gone: AbortSignal, run: (ending: AbortSignal) => Promise<ExecResult>): Command {
    if (gone.aborted) throw callerGone();
    const ending = new AbortController();
    const command: Command = {
      result: run(ending.signal),
      callers: 0,
      size: 0,
      stay: () => {},
      end: () => {
        ending.abort();
        this.#forget(subject, command);
      },
    };
    this.#commands.set(subject, command);
    command.result.then(
      ({ stdout, stderr }) => {
        command.size = stdout.length + stderr.length;
        this.#makeRoom();
      },
      // The next caller begins it again.
      () => this.#forget(subject, command),
    );
    return command;
  }

  #await(command: Command): void {
    command.stay = this.#clock.after(AWAITED_MS, () => command.end());
    this.#makeRoom();
  }

  #makeRoom(): void {
    const waiting = [...this.#commands.values()].filter(({ callers, size }) => callers === 0 && size > 0);
    let total = waiting.reduce((sum, { size }) => sum + size, 0);
    for (const command of waiting) {
      if (total <= MOST_WAITING) return;
      total -= command.size;
      command.stay();
      command.end();
    }
  }

  #forget(subject: string, command: Command): void {
    if (this.#commands.get(subject) === command) this.#commands.delete(subject);
  }
}

const callerGone = () => new ApiError('NOT_READY', 'The caller has gone.', {}, { isOurs: false });

/** Rejects when the caller goes; nobody hears it. */
const leaving = (gone: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = () => reject(callerGone());
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
