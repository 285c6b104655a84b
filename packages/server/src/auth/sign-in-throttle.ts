import { createHash } from 'node:crypto';
import { signInTries } from '@agora-market/contract';
import { ApiError, createTries } from '../platform/index.ts';

/** Accounts whose addresses are remembered, and addresses of each. */
const maxAccounts = 10_000;
const maxAddresses = 20;

/**
 * Slows down guessing of one account's password. An account is the e-mail address as written, existing or not, so the
 * answer reveals nothing. One address may make few wrong attempts a minute. All addresses together may make a few more,
 * except those from which the owner has signed in here before. So strangers cannot lock the owner out there, and
 * elsewhere only for a minute at a time.
 */
export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

export function createSignInThrottle() {
  const here = createTries(signInTries.fromAddress);
  const anywhere = createTries(signInTries.ofAccount);
  const codes = createTries(signInTries.ofSecondFactor);
  /** Addresses from which accounts were signed in to, each the latest last; by hashes, for these are memory's to spill. */
  const known = new Map<string, Set<string>>();

  return {
    /**
     * Counts an attempt before anything is looked up; rejects above the limit. Call the returned function on success.
     */
    async admit(email: string, address: string): Promise<() => Promise<void>> {
      const account = digest(email);
      const from = digest(email, address);
      refuseFor(await here.take(from));
      const waitMs = await anywhere.take(account);
      if (!known.get(account)?.has(from)) refuseFor(waitMs);
      return async () => {
        note(known, account, from);
        await Promise.all([here.giveBack(from), anywhere.giveBack(account)]);
      };
    },
    /**
     * Counts a try of a second factor's code, from wherever; six digits are guessed sooner than a password. Call the
     * returned function on success.
     */
    async admitCode(ownerId: string): Promise<() => Promise<void>> {
      refuseFor(await codes.take(ownerId));
      return () => codes.giveBack(ownerId);
    },
  };
}

const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64');

function refuseFor(waitMs: number): void {
  if (waitMs === 0) return;
  const retryAfter = Math.ceil(waitMs / 1000);
  const message = `Too many attempts to sign in to this account. Wait ${retryAfter} s.`;
  throw new ApiError('RATE_LIMITED', message, { scope: 'auth', retryAfter });
}

function note(known: Map<string, Set<string>>, account: string, from: string): void {
  const addresses = known.get(account) ?? new Set();
  addresses.delete(from);
  addresses.add(from);
  if (addresses.size > maxAddresses) addresses.delete(addresses.values().next().value as string);
  known.delete(account);
  known.set(account, addresses);
  if (known.size > maxAccounts) known.delete(known.keys().next().value as string);
}
