import { createHash, randomBytes } from 'node:crypto';

/** A credential as it is made: the text is shown to its holder once, only the hash is stored. */
export interface NewCredential {
  text: string;
  hash: Buffer;
  /** Enough of the text to tell credentials apart in a list, too little to guess the rest. */
  shownPrefix: string;
}

/** SHA-256 is enough here: a credential has 256 random bits, so there is nothing to guess from its hash. */
export const hashCredential = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `<prefix>` and 32 random bytes in base64url. */
export function newCredential(prefix: 'ac_sess_' | 'ac_dev_' | 'ac_live_'): NewCredential {
  const text = prefix + randomBytes(32).toString('base64url');
  return { text, hash: hashCredential(text), shownPrefix: text.slice(0, prefix.length + 6) };
}
