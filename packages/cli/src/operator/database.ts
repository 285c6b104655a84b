import { userInfo } from 'node:os';
import { type Config, createLog, readConfig } from '@agora-market/server/platform';
import { placeOfDatabase } from '@agora-market/server/postgres';
import { openDatabase } from '@agora-market/server/serve';
import { UsageError } from '../failure.ts';

/** Works on the database of the settings, which must be there, and stops it afterwards if that was started here. */
export async function withDatabase<R>(work: (databaseUrl: string, config: Config) => Promise<R>): Promise<R> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    return await work(database.url, config).catch((error) => nameDatabase(error, database.url));
  } finally {
    await database.stop();
  }
}

/** What PostgreSQL refuses says nothing of where it runs. */
function nameDatabase(error: Error & { severity?: string; code?: string }, url: string): never {
  const isOfPostgres = error.severity !== undefined || /^E[A-Z]+$/.test(error.code ?? '');
  if (!isOfPostgres) throw error;
  throw new Error(`The database ${placeOfDatabase(url)}: ${error.message || error.code}`, { cause: error });
}

/** Why and by whom something is done, for the audit trail. */
export function auditOf({ reason, by }: { reason: string; by?: string }): { reason: string; by: string } {
  if (reason.trim() === '') throw new UsageError('--reason must say why.');
  return { reason: reason.trim(), by: by ?? userInfo().username };
}
