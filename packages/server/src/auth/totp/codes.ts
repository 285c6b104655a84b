import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { hashCredential } from '../credentials.ts';

/** Steps of 30 s by which the app's clock may be off, either way (RFC 6238, 5.2). */
const stepsOff = 1;
const recoveryCodes = 10;

/** A new secret of 160 bits in base32 (RFC 4226, 4), and the URI from which apps take it. */
export function newSecret(email: string): { secret: string; uri: string } {
  const secret = new Secret({ size: 20 });
  return { secret: secret.base32, uri: new TOTP({ issuer: 'Agora', label: email, secret }).toString() };
}

/** As people copy codes: with spaces, dashes and capitals. */
export const bare = (code: string): string => code.replace(/[\s-]/g, '').toLowerCase();

/** A recovery code is never of digits alone and of this length. */
export const isOfApp = (code: string): boolean => /^\d{6}$/.test(code);

/** The time step to which a code belongs; null if it is not the secret's code of about now. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  // The library throws for six signs that are more than six bytes.
  if (!isOfApp(code)) return null;
  const timestamp = now.getTime();
  const off = TOTP.validate({ token: code, secret: Secret.fromBase32(secret), timestamp, window: stepsOff });
  return off === null ? null : TOTP.counter({ timestamp }) + off;
}

/** In hex. A recovery code has 80 random bits, so nobody finds it by its hash. */
export const hashRecoveryCode = (code: string): string => hashCredential(`recovery code ${bare(code)}`);

/** Recovery codes as `xxxxx-xxxxx-xxxxx-xxxxx`, in hexadecimal. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () => (randomBytes(10).toString('hex').match(/.{5}/g) ?? []).join('-'));
