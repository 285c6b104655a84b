import { createLog, migrate, openDatabase, readConfig, schemaFunctions } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';

/** Brings the schema up to date; an embedded database that is not there yet is made. */
export async function migrateCommand(options: JsonOption & { contract?: boolean }): Promise<void> {
  const { contract = false } = options;
  const database = await openDatabase(readConfig(), createLog('warn'));
  try {
    await migrate(database.url, { functions: schemaFunctions, contract });
    const said = contract
      ? 'The schema is up to date, and without what only earlier releases need.'
      : 'The schema is up to date.';
    print(options, { migrated: true, contracted: contract }, said);
  } finally {
    await database.stop();
  }
}
