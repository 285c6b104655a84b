import { type Queryable, rows } from '../../platform/index.ts';
import type { OurItem } from './compare.ts';
import type { Finding } from './finding.ts';

/** A family of items in our books: by key, and by time. */
export interface OurBooks {
  ofKeys(db: Queryable, keys: string[]): Promise<OurItem[]>;
  /** Those of a processor from one time to before another, by key after `afterKey`. */
  between(db: Queryable, span: Span, afterKey: string, limit: number): Promise<OurItem[]>;
  /**
   * Owners by their names at a processor. Such a family has its rows before the processor hears of the item, so one without a
   * row was lost: the database was restored to a moment before it.
   */
  ownersOf?(db: Queryable, processor: string, parties: string[]): Promise<Map<string, string>>;
}

export interface Span {
  processor: string;
  since: Date;
  until: Date;
}

/** The entry has the booked amount; the row has everything else that is known. */
const charges = `select u.id::text as key, u.processor_ref as ref, coalesce(e.amount, 0) as cents,
    case when u.status = 'pending' then 'open' when e.amount is null then 'void' else 'booked' end as state,
    u.created_at as at, null::uuid as "agentId", u.owner_id as "ownerId", u.processor_ref as "chargeRef"
  from top_ups u
  left join ledger_entries e on e.subject = u.id and e.cause = 'top_up' and e.side = 1`;

/** Of a paid withdrawal whose processor is still to be asked once more, the bank may have refused the money since. */
const payouts = `select w.id::text as key, w.processor_ref as ref, coalesce(e.amount, 0) as cents,
    case when w.status = 'failed' then 'void' when w.status in ('held', 'pending') then 'open' when w.due_at is not null
      then 'returnable' else 'booked' end as state,
    w.created_at as at, w.agent_id as "agentId", w.owner_id as "ownerId", null::text as "chargeRef"
  from withdrawals w
  left join ledger_entries e on e.subject = w.id and e.cause = 'withdrawal' and e.side = 1`;

const reversals = `select r.processor_ref as key, r.processor_ref as ref, r.amount as cents,
    case when r.due_at is not null then 'open' when r.state = 'standing' then 'booked' else 'void' end as state,
    r.created_at as at, null::uuid as "agentId", r.owner_id as "ownerId", u.processor_ref as "chargeRef"
  from top_up_reversals r join top_ups u on u.id = r.top_up_id`;

const time = (at: Date) => at.toISOString();

/** Top-ups do not say whose charge they are, but owners have a name at one processor at a time. */
export const ourCharges: OurBooks = {
  ofKeys: (db, keys) => rows(db, 'books_charges_of', `${charges} where u.id = any($1::uuid[])`, [keys]),
  between: (db, { processor, since, until }, afterKey, limit) =>
    rows(
      db,
      'books_charges_between',
      `${charges} join payment_customers c on c.owner_id = u.owner_id and c.processor = $1
       where u.status <> 'pending' and u.created_at >= $2 and u.created_at < $3 and u.id > $4::uuid
       order by u.id limit $5`,
      [processor, time(since), time(until), afterKey || nil, limit],
    ),
  ownersOf: async (db, processor, parties) =>
    ownersByName(
      await rows(
        db,
        'books_owners_of_customers',
        `select customer_ref as name, owner_id as "ownerId" from payment_customers
         where processor = $1 and customer_ref = any($2::text[])`,
        [processor, parties],
      ),
    ),
};

export const ourPayouts: OurBooks = {
  ofKeys: (db, keys) => rows(db, 'books_payouts_of', `${payouts} where w.id = any($1::uuid[])`, [keys]),
  between: (db, { processor, since, until }, afterKey, limit) =>
    rows(
      db,
      'books_payouts_between',
      `${payouts} where w.processor = $1 and w.created_at >= $2 and w.created_at < $3 and w.id > $4::uuid
       order by w.id limit $5`,
      [processor, time(since), time(until), afterKey || nil, limit],
    ),
  ownersOf: async (db, processor, parties) =>
    ownersByName(
      await rows(
        db,
        'books_owners_of_accounts',
        `select account_ref as name, owner_id as "ownerId" from payout_accounts
         where processor = $1 and account_ref = any($2::text[])`,
        [processor, parties],
      ),
    ),
};

export const ourReversals: OurBooks = {
  ofKeys: (db, keys) => rows(db, 'books_reversals_of', `${reversals} where r.processor_ref = any($1::text[])`, [keys]),
  between: (db, { processor, since, until }, afterKey, limit) =>
    rows(
      db,
      'books_reversals_between',
      `${reversals} join payment_customers c on c.owner_id = r.owner_id and c.processor = $1
       where r.created_at >= $2 and r.created_at < $3 and r.processor_ref > $4
       order by r.processor_ref limit $5`,
      [processor, time(since), time(until), afterKey, limit],
    ),
};

interface NamedOwner {
  name: string;
  ownerId: string;
}

const ownersByName = (found: NamedOwner[]) => new Map(found.map(({ name, ownerId }) => [name, ownerId]));

const nil = '00000000-0000-0000-0000-000000000000';

/** The owners who paid those of these charges that are our top-ups. The processor's account may serve others too. */
export async function payersOf(db: Queryable, refs: string[]): Promise<Map<string, string>> {
  const found = await rows<NamedOwner>(
    db,
    'books_payers',
    'select processor_ref as name, owner_id as "ownerId" from top_ups where processor_ref = any($1::text[])',
    [refs],
  );
  return ownersByName(found);
}

/** Of these ids those of refunds whose outcome is still to be asked for. */
export async function openRefunds(db: Queryable, ids: string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    db,
    'books_open_refunds',
    'select id from top_up_reversals where id = any($1::uuid[]) and due_at is not null',
    [ids],
  );
  return new Set(found.map(({ id }) => id));
}

/** Reversals that the pool could not pay: `here` is the amount taken from it, `there` the amount that went back. */
export const uncoveredReversals = (db: Queryable, limit: number) =>
  rows<Finding>(
    db,
    'books_uncovered_reversals',
    `select 'reversal_uncovered' as kind, processor_ref as subject, null as "agentId", owner_id as "ownerId",
       taken as here, amount as there, null as "occurredAt"
     from top_up_reversals where state = 'standing' and taken < amount order by created_at, id limit $1`,
    [limit],
  );
