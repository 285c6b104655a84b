import { rotateKeyInDatabase } from '@agora-market/server';
import type { JsonOption } from '../options.ts';
import { print } from '../print.ts';
import { auditOf, withDatabase } from './database.ts';

/** A new key signs from now on. */
export async function rotateSigningKeyCommand(options: JsonOption & { reason: string; by?: string }): Promise<void> {
  const audit = auditOf(options);
  const keys = await withDatabase((url, config) => rotateKeyInDatabase(url, config, audit));
  print(
    options,
    keys,
    `The key ${keys.kid} signs from now on, on running servers within 5 seconds. The public key ${keys.retired} stays published, so what it signed verifies.`,
  );
}
