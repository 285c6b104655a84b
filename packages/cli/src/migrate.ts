import { createLog, migrate, openDatabase, readConfig, schemaFunctions } from '@agora/server';

export async function migrateCommand(): Promise<void> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'));
  try {
    await migrate(database.url, { functions: schemaFunctions });
    console.log('The schema is up to date.');
  } finally {
    await database.stop();
  }
}
