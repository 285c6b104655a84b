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
} from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { showMebibytes } from '../progress.ts';
import { withDatabase } from './database.ts';
import { checkLedger, saidOf } from './verify-ledger.ts';

/** Writes a backup beside servers at work. */
export const backupCommand = (target: string, options: JsonOption): Promise<void> =>
  withDatabase(async (databaseUrl, config) => {
    const deps = { databaseUrl, config, clock: systemClock, progress: showMebibytes('written') };
    const { path, sizeBytes } = await backUp(deps, target);
    const secret =
      config.AGORA_ENCRYPTION_KEY === undefined ? 'the file encryption-key of AGORA_DATA_DIR' : 'AGORA_ENCRYPTION_KEY';
    print(
      options,
      { path, sizeBytes, secret },
      `${path}: ${Math.ceil(sizeBytes / 1024)} KiB, with its checksums.\n` +
        `The secret is not in it. Keep ${secret} too, in another place.`,
    );
  });

/** Restores a backup, brings its schema up to date and proves its ledger. Exits 1 if that contradicts itself. */
export async function restoreCommand(
  file: string,
  options: JsonOption & { force?: boolean; withoutKey?: boolean },
): Promise<void> {
  const config = readConfig();
  const asked = { force: options.force === true, withoutKey: options.withoutKey === true };
  const manifest = await checkBackup(file, config, asked, showMebibytes('checked'));
  const database = await openDatabase(config, createLog('warn'));
  try {
    const deps = { databaseUrl: database.url, config, clock: systemClock };
    await restore(deps, { file, manifest }, asked, showMebibytes('restored'));
    await migrate(database.url, { functions: schemaFunctions });
    const checks = await checkLedger(database.url);
    const { createdAt, version } = manifest;
    print(
      options,
      { createdAt, version, checks },
      () => `Restored as of ${createdAt}, written by Agora ${version}.\n${saidOf(checks)}`,
    );
  } finally {
    await database.stop();
  }
}
