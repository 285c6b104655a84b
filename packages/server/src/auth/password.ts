import { randomBytes } from 'node:crypto';
import { hash, type Options, verify } from '@node-rs/argon2';

/** OWASP's smallest recommended argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const cost: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keyboards and systems differ in how they write the same signs, `ü` as one or as two. */
const oneWriting = (password: string) => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => hash(oneWriting(password), cost);

export const passwordFits = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, oneWriting(password));

let decoy: Promise<string> | undefined;

/**
 * The hash of a password nobody knows. Sign-in checks unknown e-mails against it, so that the time of a reply does not
 * tell which accounts exist.
 */
export function decoyHash(): Promise<string> {
  decoy ??= hashPassword(randomBytes(32).toString('base64url'));
  return decoy;
}
