import { readFile } from 'node:fs/promises';
import { rotateSecretInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

interface Options extends JsonOption {
  newKeyFile: string;
  reason: string;
  by?: string;
}

/** Encrypts what is stored with the key in a file, so that no process list or shell history shows it. */
export async function rotateEncryptionKeyCommand(options: Options): Promise<void> {
  const audit = auditOf(options);
  const newKey = (await readFile(options.newKeyFile, 'utf8')).trim();
  const counts = await withDatabase((url, config) => rotateSecretInDatabase(url, config, { newKey, ...audit }));
  const lines = Object.entries(counts).map(([what, { done, unreadable }]) => {
    const lost = unreadable > 0 ? `, ${unreadable} left that an earlier key encrypted` : '';
    return `${what}: ${done} encrypted anew${lost}`;
  });
  const next = 'Set AGORA_ENCRYPTION_KEY to the new key on every server before you start one.';
  print(options, counts, [...lines, next].join('\n'));
}
