import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { keptOnce } from '../files/kept-once.ts';

/** Encrypts stored data with a secret that is not in the database. */
export interface Encryption {
  /** A digest that nobody can compute, or check a guess with, who only reads the database. */
  digest(...parts: string[]): Buffer;
  /** Encrypts a text under a key; the same key decrypts it. */
  encrypt(key: Buffer, text: string): Buffer;
  /** The text; null if another secret or key encrypted it. */
  decrypt(key: Buffer, encrypted: Buffer): string | null;
}

export function encryption(config: SecretSettings): Encryption {
  const secret = createHash('sha256')
    .update(config.AGORA_ENCRYPTION_KEY ?? keptSecret(config.AGORA_DATA_DIR))
    .digest();
  return {
    digest(...parts) {
      const sum = createHmac('sha256', secret);
      for (const part of parts) sum.update(part).update('\0');
      return sum.digest();
    },
    encrypt(key, text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
    },
    decrypt(key, encrypted) {
      const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12));
      decipher.setAuthTag(encrypted.subarray(12, 28));
      try {
        return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

type SecretSettings = Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>;

/** Tells secrets apart without telling them. */
export const secretMark = (config: SecretSettings): string =>
  encryption(config).digest('mark of the secret').toString('hex').slice(0, 16);

/** The same where there is a secret already; null where the next start would make one. */
export const keptSecretMark = (config: SecretSettings): string | null =>
  config.AGORA_ENCRYPTION_KEY !== undefined || existsSync(keyFile(config.AGORA_DATA_DIR)) ? secretMark(config) : null;

const keyFile = (dataDir: string): string => join(resolve(dataDir), 'encryption-key');

/** The secret of an installation without a configured one: made once, and kept beside the database. */
const keptSecret = (dataDir: string): string => keptOnce(keyFile(dataDir), () => randomBytes(32).toString('base64'));
