import { hash, randomBytes } from 'node:crypto';

/** A credential as it is made: the text is shown to its holder once, only the hash is stored. */
export interface NewCredential {
  text: string;
  hash: Buffer;
  /** Enough of the text to recognise credentials in a list, too little to guess the rest. */
  shownPrefix: string;
}

/** In hex. SHA-256 is enough here: a credential has 256 random bits, so there is nothing to guess from its hash. */
export const hashCredential = (text: string): string => hash('sha256', text, 'hex');

/** `<prefix>` and 32 random bytes in base64url. */
export function newCredential(prefix: 'ac_sess_' | 'ac_dev_' | 'ac_live_' | 'ac_mail_' | 'tst_'): NewCredential {
  const text = prefix + randomBytes(32).toString('base64url');
  return { text, hash: Buffer.from(hashCredential(text), 'hex'), shownPrefix: text.slice(0, prefix.length + 6) };
}
