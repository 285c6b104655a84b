import { createLog, migrate, openDatabase, readConfig, schemaFunctions } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';

/** Brings the schema up to date; an embedded database that is not there yet is made. */
export async function migrateCommand(options: JsonOption): Promise<void> {
  const database = await openDatabase(readConfig(), createLog('warn'));
  try {
    await migrate(database.url, { functions: schemaFunctions });
    print(options, { migrated: true }, 'The schema is up to date.');
  } finally {
    await database.stop();
  }
}
