import type { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseClient } from './client.ts';

/** A statement may take its time; one that is this old is asked after. */
const silentMs = 5_000;
const lookEveryMs = 1_000;

/** Connections with a statement under way, since when. */
export interface Busy {
  begin(client: pg.ClientBase): void;
  end(client: pg.ClientBase): void;
}

/**
 * Ends the connections whose sessions are gone without a word: of a host that lost its power or its network. TCP would
 * notice after many minutes. A new connection says so at once: PostgreSQL does not answer it, or does not know the session.
 */
export function watchSilence(settings: pg.ClientConfig): Busy {
  const busy = new Map<pg.ClientBase, number>();
  let isWatching = false;

  async function look(): Promise<void> {
    const before = performance.now() - silentMs;
    const silent = [...busy].filter(([, since]) => since < before).map(([client]) => client as pg.Client);
    if (silent.length > 0) {
      const known = await sessionsOf(settings);
      for (const client of silent) if (known !== 'all' && !known.has(processIdOf(client))) hangUp(client);
    }
    isWatching = busy.size > 0;
    if (isWatching) lookLater();
  }
  const lookLater = () => void setTimeout(look, lookEveryMs).unref();

  return {
    begin(client) {
      busy.set(client, performance.now());
      if (isWatching) return;
      isWatching = true;
      lookLater();
    },
    end: (client) => void busy.delete(client),
  };
}

/** The process ids of all sessions; none where nobody answers, `all` where PostgreSQL answers but cannot tell. */
async function sessionsOf(settings: pg.ClientConfig): Promise<Set<number> | 'all'> {
  const client = new DatabaseClient({ ...settings, query_timeout: silentMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
    const known = new Set(rows.map(({ pid }) => pid));
    // A proxy has numbers of its own.
    return known.has(processIdOf(client)) ? known : 'all';
  } catch (error) {
    return error instanceof pg.DatabaseError ? 'all' : new Set();
  } finally {
    hangUp(client);
  }
}

const processIdOf = (client: pg.Client) => (client as unknown as { processID: number }).processID;

/** Without a goodbye, which a session with statements under way would wait for. */
const hangUp = (client: pg.Client) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
