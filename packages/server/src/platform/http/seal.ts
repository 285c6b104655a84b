import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';

/** Seals what the database keeps with a secret that the database does not know. */
export interface Sealer {
  /** A digest that nobody can compute, or check a guess with, who only reads the database. */
  digest(...parts: string[]): Buffer;
  /** Seals a text under a key; the same key opens it. */
  seal(key: Buffer, text: string): Buffer;
  /** The text; null where another secret or key sealed it. */
  open(key: Buffer, sealed: Buffer): string | null;
}

export function sealer(config: Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>): Sealer {
  const secret = createHash('sha256')
    .update(config.AGORA_ENCRYPTION_KEY ?? keptSecret(resolve(config.AGORA_DATA_DIR)))
    .digest();
  return {
    digest(...parts) {
      const sum = createHmac('sha256', secret);
      for (const part of parts) sum.update(part).update('\0');
      return sum.digest();
    },
    seal(key, text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    },
    open(key, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
      decipher.setAuthTag(sealed.subarray(12, 28));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** The secret of an installation that was given none: made once, and kept beside the database, not in it. */
function keptSecret(dataDir: string): string {
  const path = join(dataDir, 'encryption-key');
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  // Linked into place when it is complete, so that of two servers that start at once both read the same one.
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
