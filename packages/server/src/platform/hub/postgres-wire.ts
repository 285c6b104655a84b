import type pg from 'pg';
import { DatabaseClient } from '../postgres/client.ts';
import { connectionSettings } from '../postgres/db.ts';
import type { Wire } from './wire.ts';

const channel = 'agora';
const answerTimeoutMs = 10_000;

/** LISTEN and NOTIFY of the database. */
export const postgresWire = (url: string): Wire => ({
  // PostgreSQL takes payloads shorter than 8,000 bytes.
  maxPayload: 7_900,
  async dial(heard) {
    // A notification is worth no wait for the disk.
    const client = new DatabaseClient(connectionSettings(url, '-c statement_timeout=30000 -c synchronous_commit=off'));
    const end = () => client.end().catch(() => {});
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => void end());
    client.on('notification', ({ payload = '' }) => heard(payload));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      void end();
      throw error;
    }
    return {
      ended,
      end,
      async send(payload) {
        const query = {
          name: 'hub_send',
          text: 'select pg_notify($1, $2)',
          values: [channel, payload],
          query_timeout: answerTimeoutMs,
        };
        await client.query(query as pg.QueryConfig);
      },
    };
  },
});
