import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** Kinds of values that settings take. */

export const MIB = 1024 ** 2;

/** Whole numbers from `min` to `max`. */
export const whole = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
export const ms = (fallback: number, min = 0) => whole(min, 1e12, fallback);
export const count = (fallback: number) => whole(0, 1e12, fallback);

/** Names of container images with commas between. */
export const imageNames = z
  .string()
  .max(10_000)
  .default('')
  .transform((text) => text.split(',').flatMap((each) => each.trim() || []));

/** An address that a path is put behind; read without the slash at its end. */
export const httpUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/[?#@]/.test(text), 'takes no query, fragment, user name or password')
  .transform((text) => text.replace(/\/$/, ''));

export function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
