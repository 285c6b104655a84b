import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ensure } from '../platform/index.ts';
import { command, type Delivery } from './forge.ts';
import { excessOf } from './json.ts';

/** What the webhooks of all forges have in common. */

/** Whether two texts are equal, in a time that says nothing of where they differ. */
export function isEqual(ours: string, given: unknown): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(typeof given === 'string' ? given : '')];
  return one.length === other.length && timingSafeEqual(one, other);
}

export const hmacOf = (secret: string, { rawBody }: Delivery): string =>
  createHmac('sha256', secret).update(rawBody).digest('hex');

const deliveryId = z.string().min(1).max(100);

/** The id of a delivery by the first of these headers that it has; null where it has none that is usable. */
export function deliveryIdOf({ headers }: Delivery, ...names: string[]): string | null {
  const given = names.map((name) => headers[name]).find((value) => value !== undefined);
  return deliveryId.safeParse(given).data ?? null;
}

/** The body where the schema takes it. VALIDATION_ERROR. */
export function bodyOf<T>({ rawBody }: Delivery, schema: z.ZodType<T>): T | null {
  const excess = excessOf(rawBody);
  ensure(excess === null, 'VALIDATION_ERROR', `The body has ${excess}. No message of a forge has so many.`, {
    ...{ in: 'body', fields: [] },
  });
  try {
    return schema.safeParse(JSON.parse(rawBody)).data ?? null;
  } catch {
    return null;
  }
}

export const spotNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
export const asking = z.string().refine((text) => text.trimStart().startsWith(command));
