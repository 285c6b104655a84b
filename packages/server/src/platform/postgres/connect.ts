import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { SOCKET_PORT } from './settings.ts';

const DATABASE = 'agora';

/** The socket's directory as a percent-encoded host is understood by libpq, pg and `new URL` alike. */
export function urlOf(cluster: Cluster, database = DATABASE): string {
  return `postgres://agora:${cluster.password}@${encodeURIComponent(cluster.run)}:${SOCKET_PORT}/${database}`;
}

/** Connects once, and makes the database when it is not there yet. */
export async function tryConnect(cluster: Cluster): Promise<{ code: string; error: Error } | undefined> {
  const client = new pg.Client({ connectionString: urlOf(cluster, 'postgres') });
  client.on('error', () => {});
  try {
    await client.connect();
    const found = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (found.rowCount === 0) await createDatabase(client);
    return undefined;
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'closed';
    return { code, error: error as Error };
  } finally {
    await client.end().catch(() => {});
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    // Another process was faster.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}
