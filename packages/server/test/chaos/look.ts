import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLog, readConfig } from '../../src/platform/index.ts';
import { openDatabase } from '../../src/serve.ts';
import type { Installation } from './server-process.ts';

export type Query = <R extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;

/** A look into the database of an installation from outside. Joins the PostgreSQL that runs, for as long as it takes. */
export async function lookInto<R>(server: Installation, look: (query: Query) => Promise<R>): Promise<R> {
  const database = await openDatabase(readConfig({ AGORA_DATA_DIR: server.dataDir }), createLog('silent'));
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    return await look(async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
      const { rows } = await client.query<Row>(text, values);
      return rows;
    });
  } finally {
    await client.end().catch(() => undefined);
    await database.stop();
  }
}

/** Where other servers find the installation's PostgreSQL. */
export async function databaseUrlOf(server: Installation): Promise<string> {
  const database = await openDatabase(readConfig({ AGORA_DATA_DIR: server.dataDir }), createLog('silent'));
  await database.stop();
  return database.url;
}

/** The process id of the installation's PostgreSQL. */
export const postmaster = (server: Installation): Promise<number> =>
  lookInto(server, async (query) => {
    const [row] = await query<{ data_directory: string }>('show data_directory');
    return Number(readFileSync(join(row!.data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  });

/** Between two servers: the time passes for which the dead one has taken work, so the next one need not wait for it. */
export const endLeases = (server: Installation): Promise<void> =>
  lookInto(server, async (query) => {
    for (const table of ['queued_jobs', 'pull_requests'])
      await query(`update ${table} set due_at = now() where due_at > now()`);
  });
