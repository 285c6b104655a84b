import { reencryptTotp } from './auth/index.ts';
import { reencryptRegistries } from './dependencies/index.ts';
import { appendEvent } from './events/index.ts';
import { reencryptForges } from './forges/index.ts';
import {
  type Config,
  encryption,
  liveHosts,
  lockHosts,
  newUuid,
  type Pool,
  type Reencrypted,
  reencryptSigningKey,
  systemClock,
  transaction,
} from './platform/index.ts';
import { reencryptWebhooks } from './webhooks/index.ts';

/** By what was encrypted. */
export type Rotated = Record<
  'signingKey' | 'webhookSecrets' | 'githubTokens' | 'packageRegistries' | 'totpSecrets',
  Reencrypted
>;

/**
 * Encrypts all that the database keeps encrypted with another AGORA_ENCRYPTION_KEY, all or nothing. Servers must be stopped:
 * one that ran would go on with the secret before. Kept replies are not among it, for their keys come of what callers
 * sent; they are only lost.
 */
export function rotateEncryptionKey(
  pool: Pool,
  config: Config,
  asked: { newKey: string; reason: string; by: string },
): Promise<Rotated> {
  const { newKey, reason, by } = asked;
  if (newKey.length < 32) throw new Error('The new key must have 32 characters or more. Nothing was changed.');
  const secrets = { from: encryption(config), to: encryption({ ...config, AGORA_ENCRYPTION_KEY: newKey }) };
  if (secrets.from.digest('same').equals(secrets.to.digest('same'))) {
    throw new Error('The new key is the one in use. Nothing was changed.');
  }
  return transaction(pool, 'write', async (tx) => {
    // A server that starts meanwhile waits for this lock.
    await lockHosts(tx);
    const live = (await liveHosts(tx)).filter(({ silentMs }) => silentMs < config.PEER_DEAD_MS);
    if (live.length > 0) throw new Error('A server is running. Stop all servers first. Nothing was changed.');
    const signingKey = await reencryptSigningKey(tx, secrets);
    if (signingKey.unreadable > 0) {
      throw new Error(
        'This AGORA_ENCRYPTION_KEY, or the secret in AGORA_DATA_DIR, is not the one that the servers had. Nothing was changed.',
      );
    }
    const webhookSecrets = await reencryptWebhooks(tx, secrets);
    const rotated = {
      signingKey,
      webhookSecrets,
      githubTokens: await reencryptForges(tx, secrets),
      packageRegistries: await reencryptRegistries(tx, secrets),
      totpSecrets: await reencryptTotp(tx, secrets),
    };
    const data = { ...rotated, reason, by };
    const [at, correlationId] = [systemClock.now(), newUuid(systemClock)];
    await appendEvent(tx, { type: 'encryption_key.rotated', district: 'auth', at, correlationId, data });
    return rotated;
  });
}
