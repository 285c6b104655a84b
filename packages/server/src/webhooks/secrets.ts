import { createHmac, randomBytes } from 'node:crypto';
import { type Config, type Encryption, encryption } from '../platform/index.ts';

/** The secrets of webhooks: 32 random bytes, encrypted in the database, `whsec_` and base64 to their holder. */
export interface Secrets {
  create(): { text: string; encrypted: Buffer };
  /** Null if another AGORA_ENCRYPTION_KEY encrypted it. */
  open(encrypted: Buffer): Buffer | null;
  /** What a client gave to be sent with each message. */
  seal(text: string): Buffer;
  unseal(encrypted: Buffer): string | null;
}

/** Under which the secrets are encrypted. */
export const keyOf = (safe: Encryption): Buffer => safe.digest('webhook secrets');

export function createSecrets(config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>): Secrets {
  const safe = encryption(config);
  const key = keyOf(safe);
  const unseal = (encrypted: Buffer) => safe.decrypt(key, encrypted);
  return {
    create() {
      const text = randomBytes(32).toString('base64');
      return { text: `whsec_${text}`, encrypted: safe.encrypt(key, text) };
    },
    open(encrypted) {
      const text = unseal(encrypted);
      return text === null ? null : Buffer.from(text, 'base64');
    },
    seal: (text) => safe.encrypt(key, text),
    unseal,
  };
}

/**
 * The headers that Standard Webhooks asks for, with a signature for each secret
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). Node's HMAC, because that
 * of the library `standardwebhooks` is JavaScript and takes 14 ms of the event loop for half a megabyte, ten times as long.
 */
export function signedHeaders(secrets: readonly Buffer[], message: { id: string; at: Date; body: string }) {
  const timestamp = String(Math.floor(message.at.getTime() / 1000));
  const sign = (secret: Buffer) =>
    createHmac('sha256', secret).update(`${message.id}.${timestamp}.`).update(message.body).digest('base64');
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
