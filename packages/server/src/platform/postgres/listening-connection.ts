import type pg from 'pg';
import type { Logger } from '../log.ts';
import { DatabaseClient } from './client.ts';
import { connectionSettings } from './db.ts';

/** One connection that listens to a channel, opened again whenever it is lost. */
export interface ListeningConnection {
  /** Rejects where the connection is down; it is then opened again. */
  send(payload: string): Promise<void>;
  isOpen(): boolean;
  /** Sends the payload, if it can, and ends. */
  close(lastPayload: string): Promise<void>;
}

interface Ears {
  channel: string;
  /** The connection listens from now on; earlier notifications are lost. */
  opened(): void;
  heard(payload: string): void;
}

const answerTimeoutMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export function listeningConnection(url: string, log: Logger, { channel, opened, heard }: Ears): ListeningConnection {
  let client: pg.Client | null = null;
  let closing = false;
  let skipPause = () => {};

  async function send(payload: string): Promise<void> {
    const on = client;
    if (!on) throw new Error('the listening connection is down');
    const query = {
      name: 'hub_send',
      text: 'select pg_notify($1, $2)',
      values: [channel, payload],
      query_timeout: answerTimeoutMs,
    };
    await on.query(query as pg.QueryConfig).catch((error) => {
      if (client === on) client = null;
      void on.end().catch(() => {});
      throw error;
    });
  }

  /** Listens until the connection ends. */
  async function listen(): Promise<void> {
    // A notification is worth no wait for the disk.
    const on = new DatabaseClient(connectionSettings(url, '-c statement_timeout=30000 -c synchronous_commit=off'));
    const ended = new Promise<void>((resolve) => on.once('end', resolve));
    on.on('error', () => void on.end().catch(() => {}));
    on.on('notification', ({ payload = '' }) => {
      // Until it is opened nothing counts as heard: a hello would be answered before our own was said.
      if (client === on) heard(payload);
    });
    try {
      await on.connect();
      await on.query(`listen ${channel}`);
      if (closing) return;
      client = on;
      opened();
      await ended;
    } finally {
      if (client === on) client = null;
      void on.end().catch(() => {});
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
    isOpen: () => client !== null,
    async close(lastPayload) {
      closing = true;
      skipPause();
      const on = client;
      await send(lastPayload).catch(() => {});
      await on?.end().catch(() => {});
      await running;
    },
  };
}
