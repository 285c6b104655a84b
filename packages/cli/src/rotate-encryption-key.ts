import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { createLog, openDatabase, readConfig, rotateSecretInDatabase } from '@agora/server';

/** Encrypts what is stored with the key in a file, so that no process list or shell history shows it. */
export async function rotateEncryptionKeyCommand(options: {
  newKeyFile: string;
  reason: string;
  by?: string;
}): Promise<void> {
  const reason = options.reason.trim();
  if (reason === '') throw new Error('--reason must say why the key is replaced.');
  const newKey = (await readFile(options.newKeyFile, 'utf8')).trim();
  const config = readConfig();
  const database = await openDatabase(config, createLog('warn'), { mustExist: true });
  try {
    const by = options.by ?? userInfo().username;
    const counts = await rotateSecretInDatabase(database.url, config, { newKey, reason, by });
    for (const [what, { done, unreadable }] of Object.entries(counts)) {
      const lost = unreadable > 0 ? `, ${unreadable} left that an earlier key encrypted` : '';
      console.log(`${what}: ${done} encrypted anew${lost}`);
    }
    console.log('Set AGORA_ENCRYPTION_KEY to the new key on every server before you start one.');
  } finally {
    await database.stop();
  }
}
