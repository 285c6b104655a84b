import { isVerified } from '../../auth/index.ts';
import {
  type Call,
  type Config,
  changedRows,
  countedAddress,
  dayMs,
  type Encryption,
  type Queryable,
  row,
  rows,
} from '../../platform/index.ts';
import { mayTopUp, type PaymentKind } from '../held/held-sql.ts';

/** At most so many payments, and so many cents, within a day. */
interface Limit {
  count: number;
  cents: number;
}

/**
 * How much may be paid in and out within a day without the operator, by whom it is. What is over a limit is not lost: it
 * waits for the operator, who is told the limit. `PAYMENT_LIMITS=off` turns them all off.
 */
const limits = {
  top_up: {
    account: { count: 10, cents: 500_000 },
    newAccount: { count: 5, cents: 100_000 },
    /** The card. */
    instrument: { count: 15, cents: 500_000 },
    address: { count: 40, cents: 1_000_000 },
  },
  withdrawal: {
    account: { count: 5, cents: 500_000 },
    newAccount: { count: 2, cents: 50_000 },
    /** The bank account. */
    instrument: { count: 5, cents: 500_000 },
    address: { count: 10, cents: 1_000_000 },
  },
} as const satisfies Record<PaymentKind, Record<string, Limit>>;

const words = {
  top_up: { made: 'top-ups', account: 'account', instrument: 'card', address: 'network address' },
  withdrawal: { made: 'withdrawals', account: 'account', instrument: 'bank account', address: 'network address' },
} as const;

/** An account is new for so long. */
const newAccountMs = 7 * dayMs;

/** Cents that may be paid in within a day without a verified e-mail address. */
export const unverifiedTopUpCents = 2_000;

/** A payment that somebody wants to make. */
export interface WantedPayment {
  ownerId: string;
  /** Of the card or bank account; null where it is not known. */
  instrument: string | null;
  /** Of the caller; null where nobody calls. */
  address: string | null;
  amount: number;
}

/** What keeps stolen cards out of payments. Whoever asks holds the ledger lock, so that no two payments pass for one. */
export interface PaymentGuard {
  /** Names the network of a caller, alike for all who come from there, without its address; null where it does not count. */
  networkOf(call: Pick<Call, 'raw'>): string | null;
  /** Whether an owner may pay so much more in: with an unverified address only small sums. */
  mayPayIn(tx: Queryable, payment: WantedPayment, now: Date): Promise<boolean>;
  mayPayOut(tx: Queryable, ownerId: string): Promise<boolean>;
  /** Which limit a payment would be over, in words for the operator; null if none, or if the operator has let it pass. */
  overLimit(tx: Queryable, kind: PaymentKind, payment: WantedPayment, now: Date): Promise<string | null>;
}

/** The guard that `PAYMENT_LIMITS` says. */
export const paymentGuard = (setting: Config['PAYMENT_LIMITS'], digest: Encryption['digest']): PaymentGuard =>
  setting === 'off'
    ? {
        networkOf: () => null,
        mayPayIn: async () => true,
        mayPayOut: async () => true,
        overLimit: async () => null,
      }
    : {
        networkOf: ({ raw }) => digest('network', countedAddress(raw.request.ip)).toString('hex').slice(0, 32),
        mayPayIn: isSmallOrVerified,
        mayPayOut: isVerified,
        overLimit: async (tx, kind, payment, now) =>
          kind === 'top_up' && (await mayTopUp(tx, payment, now)) ? null : overLimit(tx, kind, payment, now),
      };

const made = { top_up: 'top_ups', withdrawal: 'withdrawals' } as const;
const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;

/** Payments count that failed too, their amounts do not. */
async function overLimit(
  tx: Queryable,
  kind: PaymentKind,
  { ownerId, instrument, address, amount }: WantedPayment,
  now: Date,
): Promise<string | null> {
  const sums = await rows<{ by: string; count: number; cents: number }>(
    tx,
    `velocity_${kind}`,
    `select w.by, count(*)::int as count,
       coalesce(sum(p.amount) filter (where p.status <> 'failed'), 0)::bigint as cents
     from ${made[kind]} p cross join lateral (
       values ('account', p.owner_id = $1), ('instrument', p.instrument = $2), ('address', p.address = $3)
     ) as w(by, same)
     where p.created_at > $4 and (p.owner_id = $1 or p.instrument = $2 or p.address = $3) and w.same group by w.by`,
    [ownerId, instrument, address, new Date(now.getTime() - dayMs).toISOString()],
  );
  const account = (await isNew(tx, ownerId, now)) ? limits[kind].newAccount : limits[kind].account;
  const by = {
    account,
    ...(instrument && { instrument: limits[kind].instrument }),
    ...(address && { address: limits[kind].address }),
  };
  for (const [name, limit] of Object.entries(by) as ['account' | 'instrument' | 'address', Limit][]) {
    const sum = sums.find((each) => each.by === name);
    const [count, cents] = [(sum?.count ?? 0) + 1, (sum?.cents ?? 0) + amount];
    const what = `by ${words[kind].made} of one ${words[kind][name]} within a day`;
    if (count > limit.count) return `${count} payments ${what}, more than ${limit.count}`;
    if (cents > limit.cents) return `${dollars(cents)} ${what}, more than ${dollars(limit.cents)}`;
  }
  return null;
}

/** Forgets from where payments were made, once no limit counts them; at most so many of each kind. */
export async function forgetAddresses(db: Queryable, now: Date, limit: number): Promise<number> {
  const before = new Date(now.getTime() - dayMs).toISOString();
  let most = 0;
  for (const table of Object.values(made)) {
    const text = `update ${table} set address = null where id in (
      select id from ${table} where address is not null and created_at <= $1 order by created_at limit $2
      for update skip locked
    )`;
    most = Math.max(most, await changedRows(db, `velocity_forget_${table}`, text, [before, limit]));
  }
  return most;
}

const isNew = async (tx: Queryable, ownerId: string, now: Date): Promise<boolean> =>
  (await row(tx, 'velocity_new_account', 'select from owners where id = $1 and created_at > $2', [
    ownerId,
    new Date(now.getTime() - newAccountMs).toISOString(),
  ])) !== null;

async function isSmallOrVerified(tx: Queryable, { ownerId, amount }: WantedPayment, now: Date): Promise<boolean> {
  const sum = await row<{ cents: number }>(
    tx,
    'velocity_topped_up',
    `select coalesce(sum(amount), 0)::bigint as cents from top_ups
     where owner_id = $1 and created_at > $2 and status <> 'failed'`,
    [ownerId, new Date(now.getTime() - dayMs).toISOString()],
  );
  return (sum?.cents ?? 0) + amount <= unverifiedTopUpCents || isVerified(tx, ownerId);
}
