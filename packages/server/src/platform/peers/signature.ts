import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** How far the clocks of two servers may be apart, and how long a signature is good. */
const windowMs = 30_000;

const parts = ['to', 'at', 'nonce', 'body', 'signature'] as const;

export type Signature = Record<`x-agora-${(typeof parts)[number]}`, string>;

interface Message {
  path: string;
  body: string;
}

/**
 * Signs messages between servers with their shared key. A message is valid once and for one receiver. The receiver is a
 * process, not an address: the next process at that address refuses it. The signature covers the hash of the body, so
 * that headers alone tell whether the body is worth reading.
 */
export function createSignatures(key: Buffer, now: () => number = Date.now) {
  /** Nonces that were used, oldest first, and until when they must be known. */
  const used = new Map<string, number>();
  const mac = (path: string, signed: Omit<Signature, 'x-agora-signature'>) =>
    createHmac('sha256', key)
      .update(
        [path, signed['x-agora-to'], signed['x-agora-at'], signed['x-agora-nonce'], signed['x-agora-body']].join('\n'),
      )
      .digest('hex');
  return {
    sign({ path, body }: Message, to: string): Signature {
      const signed = {
        'x-agora-to': to,
        'x-agora-at': String(now()),
        'x-agora-nonce': randomBytes(16).toString('hex'),
        'x-agora-body': hashOf(body),
      };
      return { ...signed, 'x-agora-signature': mac(path, signed) };
    },
    /** Why a message with these headers is not taken, or null if it is, with the body that they name. */
    objection(path: string, given: { [name: string]: unknown }, self: string): string | null {
      if (!isSigned(given)) return 'it has no signature';
      if (!isEqual(mac(path, given), given['x-agora-signature'])) return 'its signature is wrong';
      const at = Number(given['x-agora-at']);
      if (!(Math.abs(now() - at) <= windowMs)) return 'its time is not ours; check the clocks of the servers';
      for (const [old, untilMs] of used) if (untilMs < now()) used.delete(old);
      const nonce = given['x-agora-nonce'];
      if (used.has(nonce)) return 'it has come before';
      used.set(nonce, now() + 2 * windowMs);
      return given['x-agora-to'] === self ? null : 'it is for a process that has ended';
    },
  };
}

const isSigned = (given: { [name: string]: unknown }): given is Signature =>
  parts.every((part) => typeof given[`x-agora-${part}`] === 'string');

const hashOf = (body: string): string => hash('sha256', body);

/** Whether the body is the one that the headers name. */
export const isBodyOf = (given: { [name: string]: unknown }, body: string): boolean =>
  given['x-agora-body'] === hashOf(body);

const isEqual = (ours: string, given: string): boolean =>
  ours.length === given.length && timingSafeEqual(Buffer.from(ours), Buffer.from(given));
