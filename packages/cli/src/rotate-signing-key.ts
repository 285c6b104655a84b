import { userInfo } from 'node:os';
import { createLog, openDatabase, readConfig, rotateKeyInDatabase } from '@agora/server';

/** A new key signs from now on. */
export async function rotateSigningKeyCommand(options: { reason: string; by?: string }): Promise<void> {
  const reason = options.reason.trim();
  if (reason === '') throw new Error('--reason must say why the key is replaced.');
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const by = options.by ?? userInfo().username;
    const { kid, retired } = await rotateKeyInDatabase(database.url, config, { reason, by });
    console.log(
      `The key ${kid} signs from now on, on running servers within 5 seconds. The public key ${retired} stays published, so what it signed verifies.`,
    );
  } finally {
    await database.stop();
  }
}
