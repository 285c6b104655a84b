import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How far the clocks of two servers may be apart, and how long a signature is good. */
const windowMs = 30_000;

export type Signature = Record<'x-agora-to' | 'x-agora-at' | 'x-agora-nonce' | 'x-agora-signature', string>;

interface Message {
  path: string;
  body: string;
}

/**
 * Signs messages between servers with their shared key. A message is valid once and for one receiver. The receiver is a
 * process, not an address: the next process at that address refuses it.
 */
export function createSignatures(key: Buffer, now: () => number = Date.now) {
  /** Nonces that were used, oldest first, and until when they must be known. */
  const used = new Map<string, number>();
  const mac = ({ path, body }: Message, to: string, at: string, nonce: string) =>
    createHmac('sha256', key)
      .update([path, to, at, nonce, createHash('sha256').update(body).digest('hex')].join('\n'))
      .digest('hex');
  return {
    sign(message: Message, to: string): Signature {
      const at = String(now());
      const nonce = randomBytes(16).toString('hex');
      return {
        'x-agora-to': to,
        'x-agora-at': at,
        'x-agora-nonce': nonce,
        'x-agora-signature': mac(message, to, at, nonce),
      };
    },
    /** Why a message is not taken, or null if it is. */
    objection(message: Message, given: { [name: string]: unknown }, self: string): string | null {
      const [to, at, nonce, signature] = ['to', 'at', 'nonce', 'signature'].map((name) => given[`x-agora-${name}`]);
      if (
        typeof to !== 'string' ||
        typeof at !== 'string' ||
        typeof nonce !== 'string' ||
        typeof signature !== 'string'
      )
        return 'it has no signature';
      if (!isEqual(mac(message, to, at, nonce), signature)) return 'its signature is wrong';
      if (!(Math.abs(now() - Number(at)) <= windowMs)) return 'its time is not ours; check the clocks of the servers';
      for (const [old, untilMs] of used) if (untilMs < now()) used.delete(old);
      if (used.has(nonce)) return 'it has come before';
      used.set(nonce, now() + 2 * windowMs);
      return to === self ? null : 'it is for a process that has ended';
    },
  };
}

const isEqual = (ours: string, given: string): boolean =>
  ours.length === given.length && timingSafeEqual(Buffer.from(ours), Buffer.from(given));
