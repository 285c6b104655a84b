import { type Config, type Encryption, encryption, type Pool } from '../platform/index.ts';
import { findConnection } from './sql.ts';

/** Tokens for GitHub, encrypted in the database. */
export interface Tokens {
  encrypt(ownerId: string, token: string): Buffer;
  /** The owner's token; null without a connection, or if another AGORA_ENCRYPTION_KEY encrypted it. */
  of(ownerId: string): Promise<string | null>;
  /** The token with which an owner's clone of this URL is made; null for other hosts. */
  forClone(ownerId: string, url: string): Promise<string | null>;
}

type Settings = Pick<Config, 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR' | 'GITHUB_BASE_URL'>;

/** Each owner's own key, so that a token copied into another's row opens nothing. */
export const keyOf = (safe: Encryption, ownerId: string): Buffer => safe.digest('github token', ownerId);

export function createTokens(pool: Pool, config: Settings): Tokens {
  const safe = encryption(config);
  async function of(ownerId: string): Promise<string | null> {
    const found = await findConnection(pool, ownerId);
    return found && safe.decrypt(keyOf(safe, ownerId), found.token);
  }
  return {
    encrypt: (ownerId, token) => safe.encrypt(keyOf(safe, ownerId), token),
    of,
    forClone: async (ownerId, url) => (isBelow(url, config.GITHUB_BASE_URL) ? of(ownerId) : null),
  };
}

function isBelow(url: string, base: string): boolean {
  const [{ origin, pathname }, root] = [new URL(url), new URL(base)];
  return origin === root.origin && (root.pathname === '/' || pathname.startsWith(`${root.pathname}/`));
}
