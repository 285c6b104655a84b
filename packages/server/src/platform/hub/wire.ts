import type { Logger } from '../log.ts';

/** Carries text to all processes of an installation, as long as it lasts. */
export interface Line {
  send(payload: string): Promise<void>;
  /** Resolves when it is lost, with the reason if there is one. */
  ended: Promise<unknown>;
  end(): Promise<void>;
}

/** A way to the other processes. */
export interface Wire {
  /** Longest payload in bytes. */
  maxPayload: number;
  /** How often everybody looks while it is down; not at all where nothing can be read then either. */
  lookMs?: number;
  /** Opens a line that hears what the processes send, this one too. `heard` never throws. Its errors tell no secret. */
  dial(heard: (payload: string) => void): Promise<Line>;
}

/** A line that is opened again whenever it is lost. */
export interface LastingLine {
  /** Rejects where the line is down; it is then opened again. */
  send(payload: string): Promise<void>;
  isOpen(): boolean;
  /** Sends the payload, if it can, and ends. */
  close(lastPayload: string): Promise<void>;
}

interface Ears {
  /** The line hears from now on; what was sent earlier is lost. */
  opened(): void;
  heard(payload: string): void;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

export function keepOpen(wire: Wire, log: Logger, { opened, heard }: Ears): LastingLine {
  let line: Line | null = null;
  let closing = false;
  let skipPause = () => {};

  async function send(payload: string): Promise<void> {
    const on = line;
    if (!on) throw new Error('the line to the other processes is down');
    await on.send(payload).catch((error) => {
      if (line === on) line = null;
      void on.end();
      throw error;
    });
  }

  /** Listens until the line ends. */
  async function listen(): Promise<void> {
    const on = await wire.dial((payload) => {
      // Until it is opened nothing counts as heard: a hello would be answered before our own was said.
      if (line !== null && line === on) heard(payload);
    });
    try {
      if (closing) return;
      line = on;
      opened();
      const cause = await on.ended;
      if (cause instanceof Error && !closing) throw cause;
    } finally {
      if (line === on) line = null;
      void on.end();
    }
  }

  async function stayOpen(): Promise<void> {
    for (let failures = 0; !closing; ) {
      const began = performance.now();
      await listen().catch((error) => log.warn({ err: error }, 'changes made by other processes cannot be heard'));
      if (closing) return;
      failures = performance.now() - began > longestPauseMs ? 0 : failures + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        skipPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
  const running = stayOpen();

  return {
    send,
    isOpen: () => line !== null,
    async close(lastPayload) {
      closing = true;
      skipPause();
      const on = line;
      await send(lastPayload).catch(() => {});
      await on?.end();
      await running;
    },
  };
}
