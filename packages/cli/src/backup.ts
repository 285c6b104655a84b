import {
  backUp,
  checkBackup,
  createLog,
  migrate,
  openDatabase,
  readConfig,
  restore,
  schemaFunctions,
  systemClock,
} from '@agora/server';
import { showMebibytes } from './progress.ts';
import { printChecks } from './verify-ledger.ts';

/** Writes a backup beside servers at work. */
export async function backupCommand(target: string): Promise<void> {
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const deps = { databaseUrl: database.url, config, clock: systemClock, progress: showMebibytes('written') };
    const { path, sizeBytes } = await backUp(deps, target);
    console.log(`${path}: ${Math.ceil(sizeBytes / 1024)} KiB, with its checksums.`);
    const secret =
      config.AGORA_ENCRYPTION_KEY === undefined ? 'the file encryption-key of AGORA_DATA_DIR' : 'AGORA_ENCRYPTION_KEY';
    console.log(`The secret is not in it. Keep ${secret} too, in another place.`);
  } finally {
    await database.stop();
  }
}

/** Restores a backup, brings its schema up to date and proves its ledger. Exits 1 if that contradicts itself. */
export async function restoreCommand(file: string, options: { force?: boolean; withoutKey?: boolean }): Promise<void> {
  const config = readConfig();
  const asked = { force: options.force === true, withoutKey: options.withoutKey === true };
  const manifest = await checkBackup(file, config, asked, showMebibytes('checked'));
  const database = await openDatabase(config, createLog('warn'));
  try {
    const deps = { databaseUrl: database.url, config, clock: systemClock };
    await restore(deps, { file, manifest }, asked, showMebibytes('restored'));
    await migrate(database.url, { functions: schemaFunctions });
    console.log(`Restored as of ${manifest.createdAt}, written by Agora ${manifest.version}.`);
    await printChecks(database.url, {});
  } finally {
    await database.stop();
  }
}
