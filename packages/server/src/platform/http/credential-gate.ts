import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Look-ups that one address may have under way, of credentials that nobody has seen to be good. */
const atOnce = 8;
/** Credentials that were good lately and are remembered, by hash. */
const maxKnown = 10_000;

/** What is done with one request. */
interface Admission {
  /** Whether the address has used up its limit. */
  isUsedUp(): Promise<boolean>;
  /** Asks whose the credential is; rejects if it is nobody's. */
  lookUp(): Promise<void>;
  /** Counts the request, by its caller if the credential is good or else by its address; rejects past the limit. */
  count(isGood: boolean): Promise<void>;
}

/**
 * Limits the look-ups that wrong credentials cause. Credentials that were not valid before are looked up a few at a
 * time per address, and not at all once the limit of the address is used up. Credentials that were valid lately are
 * looked up at once, so a bad neighbour behind the same address does no harm. Rejects with the refusal of the look-up
 * when the request is counted, so that credentials cannot be guessed at full speed.
 */
export function createCredentialGate(cookieOf: (headers: IncomingHttpHeaders) => string | undefined) {
  const known = new Set<string>();
  const inTurn = turns(atOnce);

  function remember(credential: string, isGood: boolean) {
    if (!isGood) known.delete(credential);
    else if (!known.has(credential)) {
      if (known.size >= maxKnown) known.delete(known.values().next().value as string);
      known.add(credential);
    }
  }

  return async ({ headers, ip }: { headers: IncomingHttpHeaders; ip: string }, admission: Admission): Promise<void> => {
    const { isUsedUp, lookUp, count } = admission;
    const given = headers['x-api-key'] ?? headers['x-trust-api-key'] ?? headers.authorization ?? cookieOf(headers);
    const credential = given === undefined ? null : hash('sha256', String(given), 'base64');
    let refusal: unknown;
    const ask = async () => {
      refusal = await lookUp().catch((error: unknown) => error);
      const isGood = refusal === undefined;
      if (credential !== null) remember(credential, isGood);
      return isGood;
    };
    if (credential === null || known.has(credential)) await ask().then(count);
    else {
      await inTurn(ip, async () => {
        // Counted before its place is passed on, so that the next one sees what is left.
        if (!(await isUsedUp())) return ask().then(count);
        await count(false);
        // The window of the limit has just begun again.
        await ask();
      });
    }
    if (refusal !== undefined) throw refusal;
  };
}

/** Lets so many works of one key run at once; the others wait. */
function turns(width: number) {
  const lanes = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async <R>(key: string, work: () => Promise<R>): Promise<R> => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    if (lane.running < width) lane.running += 1;
    else await new Promise<void>((start) => lane.waiting.push(start));
    try {
      return await work();
    } finally {
      const next = lane.waiting.shift();
      // The place is handed on; the last one out forgets the key.
      if (next) next();
      else if (--lane.running === 0) lanes.delete(key);
    }
  };
}
