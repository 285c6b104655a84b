import { changedRows, dayMs, defineFunction, type Queryable, row, rows } from '../../platform/index.ts';

/**
 * When earnings become payable. A stolen card is found out days after it paid, so earnings wait for the payment behind
 * them:
 *
 * - for `PAYOUT_HOLD_MS` if a card that the buyer paid with is young here or pays far more than before, or if the earner
 *   has been paid out on few days, or less than these earnings;
 * - else until the processor has the money of the buyer's last payment, at most as long;
 * - not at all if no card paid, unless the buyer pays with earnings of its own that wait: then as long as these.
 *
 * If money goes back to the card meanwhile, its owner owes it, and as much of these earnings is frozen until nothing is
 * owed.
 */
const payoutHold = {
  /** Days on which an owner was paid out before the first rule spares it, by no more than it was paid. */
  payoutDays: 3,
  /** Its newest payouts tell. */
  payouts: 100,
  /** A card is young until its first payment by this owner is so old. */
  youngCardMs: 30 * dayMs,
  /** It then vouches for so many times what it had paid by then. */
  timesBefore: 3,
  /** When the processor has the money of a charge, where it does not say so. */
  availableMs: 2 * dayMs,
  /** Owners whose earnings were spent may have had many payers; those of the largest sums are noted. */
  payers: 100,
} as const;

const interval = (ms: number) => `interval '${ms / 1000} seconds'`;

/** SQL: how much of a row `h` waits at a time. */
const waiting = (at: string) => `case when h.payable_at > ${at} then h.amount else h.frozen end`;

/** SQL: whether an agent's wallet is flagged. Such a wallet has what it should not, and vouches for no other. */
const isFlagged = (agentId: string) =>
  `exists (select from wallet_flags f where f.agent_id = ${agentId} and f.cleared_at is null)`;

/** SQL: what the wallets of an owner have of earnings. */
const earnedBy = (ownerId: string) => `(
  select coalesce(sum(l.balance), 0)::bigint from agents b
  join ledger_accounts l on l.holder = b.id and l.kind = 'wallet_available'
  where b.owner_id = ${ownerId} and not ${isFlagged('b.id')}
)`;

/**
 * Freezes as much of the waiting earnings that a payer paid for as it owes, the latest first, for these have the money
 * that moved on; what it owes no longer is free. Called whenever a debt or these earnings change.
 */
defineFunction(
  'vault_freeze_payouts',
  `create or replace function vault_freeze_payouts(p_payer uuid, p_now timestamptz) returns void language sql as $$
  with share as (
    select p.subject, least(h.amount, greatest(0,
      o.owed - (sum(h.amount) over (order by h.payable_at desc, h.subject desc) - h.amount)
    )) as frozen
    from payout_hold_payers p join payout_holds h on h.subject = p.subject
    join ledger_accounts o on o.holder = p_payer and o.kind = 'pool_available'
    where p.payer_id = p_payer and (h.payable_at > p_now or p.frozen > 0)
  )
  update payout_hold_payers p set frozen = s.frozen from share s
  where p.payer_id = p_payer and p.subject = s.subject and p.frozen <> s.frozen;

  update payout_holds h set frozen = n.frozen from (
    select h.subject, least(h.amount, sum(every.frozen)) as frozen
    from payout_hold_payers p join payout_holds h on h.subject = p.subject
    join payout_hold_payers every on every.subject = p.subject
    where p.payer_id = p_payer group by h.subject
  ) n where n.subject = h.subject and n.frozen <> h.frozen
$$`,
);

/** Earnings of tasks or agreements were released: notes how much of them has to wait, until when, and who paid. */
defineFunction(
  'vault_hold_payouts',
  `create or replace function vault_hold_payouts(
  p_subject uuid[], p_agent uuid[], p_buyer uuid[], p_amount bigint[], p_at timestamptz, p_hold_ms bigint
) returns void language sql as $$
  with earned as materialized (
    select i.*, a.owner_id from unnest(p_subject, p_agent, p_buyer, p_amount) as i(subject, agent, buyer, amount)
    join agents a on a.id = i.agent where i.amount > 0 and p_hold_ms > 0
  ), earner as materialized (
    select o.owner_id as id, case when paid.days >= ${payoutHold.payoutDays} then paid.cents else 0 end as trusted_with
    from (select distinct owner_id from earned) o cross join lateral (
      select count(distinct created_at::date) as days, coalesce(sum(amount), 0) as cents from (
        select created_at, amount from withdrawals where owner_id = o.owner_id and status = 'paid'
        order by created_at desc, id desc limit ${payoutHold.payouts}
      ) newest
    ) paid
  ), buyer as materialized (
    select b.id, c.is_young, c.there_at, spent.waits_until from (select distinct buyer as id from earned) b
    -- Null where no card ever paid.
    cross join lateral (
      select bool_or(each.is_young) as is_young, max(each.there_at) as there_at from (
        select coalesce(sum(amount) filter (where created_at > p_at - ${interval(payoutHold.youngCardMs)}), 0)
            > ${payoutHold.timesBefore} * coalesce(sum(amount) filter (
              where created_at <= p_at - ${interval(payoutHold.youngCardMs)}
            ), 0) as is_young,
          max(coalesce(available_at, resolved_at + ${interval(payoutHold.availableMs)}))
            filter (where created_at > p_at - ${interval(payoutHold.youngCardMs)}) as there_at
        from top_ups where owner_id = b.id and status = 'succeeded' group by coalesce(instrument, payment_method_id)
      ) each
    ) c
    -- Earnings that left the buyer's wallets before their time may be what pays here.
    left join lateral (
      select max(h.payable_at) as waits_until from payout_holds h
      where h.owner_id = b.id and (h.payable_at > p_at or h.frozen > 0)
      having sum(${waiting('p_at')}) > ${earnedBy('b.id')}
    ) spent on true
  ), payer as materialized (
    select id as buyer, id from buyer union
    select b.id, before.payer_id from buyer b cross join lateral (
      select p.payer_id from payout_holds h join payout_hold_payers p on p.subject = h.subject
      where h.owner_id = b.id and (h.payable_at > p_at or h.frozen > 0)
      group by p.payer_id order by sum(h.amount) desc, p.payer_id limit ${payoutHold.payers}
    ) before where b.waits_until is not null
  ), owing as materialized (
    select distinct p.buyer as id from payer p join ledger_accounts l on l.holder = p.id and l.kind = 'pool_available'
    where l.owed > 0
  ), made as (
    insert into payout_holds (subject, owner_id, agent_id, amount, payable_at)
    select e.subject, e.owner_id, e.agent, e.amount, coalesce(w.payable_at, p_at)
    from earned e join earner o on o.id = e.owner_id join buyer b on b.id = e.buyer cross join lateral (
      select greatest(
        case
          when b.is_young is null then null
          when o.trusted_with < e.amount or b.is_young then p_at + p_hold_ms * interval '1 millisecond'
          -- Null where the cards have not paid lately.
          when b.there_at is not null then least(b.there_at, p_at + p_hold_ms * interval '1 millisecond')
        end,
        b.waits_until
      ) as payable_at
    ) w
    where w.payable_at > p_at or e.buyer in (select id from owing) returning subject
  )
  insert into payout_hold_payers (subject, payer_id)
  select m.subject, p.id from made m join earned e on e.subject = m.subject join payer p on p.buyer = e.buyer;

  select vault_freeze_payouts(l.holder, p_at) from ledger_accounts l
  where l.kind = 'pool_available' and l.owed > 0 and l.holder in (
    select payer_id from payout_hold_payers where subject = any(p_subject)
  )
$$`,
);

/** Earnings as they leave escrow. */
export interface Released {
  /** The task or agreement. */
  subject: string;
  agentId: string;
  /** The owner who paid. */
  buyerId: string;
  amount: number;
}

/** Notes how long released earnings wait, in the transaction that releases them. */
export const holdPayout = (tx: Queryable, released: Released, at: Date, holdMs: number) =>
  rows(
    tx,
    'payouts_hold',
    'select vault_hold_payouts(array[$1::uuid], array[$2::uuid], array[$3::uuid], array[$4::bigint], $5, $6)',
    [released.subject, released.agentId, released.buyerId, released.amount, at.toISOString(), holdMs],
  );

/** Earnings that were returned wait no more. */
export const shortenHold = (tx: Queryable, subject: string, cents: number) =>
  rows(
    tx,
    'payouts_shorten_hold',
    `with gone as (delete from payout_holds where subject = $1 and amount <= $2)
     update payout_holds set amount = amount - $2, frozen = least(frozen, amount - $2) where subject = $1 and amount > $2`,
    [subject, cents],
  );

/** What a payer owes has changed, and with it how much of the earnings that it paid for is frozen. */
export const freezePayouts = (tx: Queryable, payerId: string, now: Date) =>
  rows(tx, 'payouts_freeze', 'select vault_freeze_payouts($1, $2)', [payerId, now.toISOString()]);

/** How much of an owner's waiting earnings has left its wallets: what came of it must not leave for a card either. */
export const spentBeforeTime = async (tx: Queryable, ownerId: string, now: Date): Promise<number> =>
  (
    await row<{ cents: number }>(
      tx,
      'payouts_spent_before_time',
      `select greatest(0, coalesce(sum(${waiting('$2')}), 0)::bigint - ${earnedBy('$1')}) as cents
       from payout_holds h where h.owner_id = $1 and (h.payable_at > $2 or h.frozen > 0)`,
      [ownerId, now.toISOString()],
    )
  )?.cents ?? 0;

/** Forgets earnings that wait no more, at most so many; gives how many. */
export const forgetPayable = (db: Queryable, now: Date, limit: number) =>
  changedRows(
    db,
    'payouts_forget_payable',
    `delete from payout_holds where subject in (
       select subject from payout_holds where payable_at <= $1 and frozen = 0 order by payable_at limit $2
       for update skip locked
     )`,
    [now.toISOString(), limit],
  );

/** What a wallet can pay out, in cents. */
export interface Payable {
  withdrawable: number;
  /** Earnings of the wallet that wait for their time. */
  onHold: number;
  /** When more of the wallet becomes payable; null if none waits, or only what is frozen. */
  nextPayableAt: string | null;
}

/**
 * What a wallet can pay out now. All wallets of an owner count together, for earnings that wait may have been moved from
 * one to another; and credits that were spent or reclaimed are taken to have been payable.
 */
export async function readPayable(db: Queryable, agentId: string, now: Date): Promise<Payable> {
  const found = await row<{ earned: number; all: number; held: number; next: string | null }>(
    db,
    'payouts_payable',
    `select w.earned, w.all, h.held, h.next from (
       select a.owner_id, coalesce(sum(l.balance) filter (where b.id = a.id), 0)::bigint as earned,
         coalesce(sum(l.balance) filter (where b.id = a.id or not ${isFlagged('b.id')}), 0)::bigint as all
       from agents a join agents b on b.owner_id = a.owner_id
       left join ledger_accounts l on l.holder = b.id and l.kind = 'wallet_available'
       where a.id = $1 group by a.owner_id
     ) w cross join lateral (
       -- The first time after which the wallets have more than what still waits.
       select coalesce(max(h.held), 0)::bigint as held,
         min(h.payable_at) filter (where w.all - h.held + h.freed > greatest(0, w.all - h.held)) as next
       from (
         select h.payable_at, sum(${waiting('$2')}) over () as held,
           sum(${waiting('$2')} - h.frozen) over (order by h.payable_at) as freed
         from payout_holds h where h.owner_id = w.owner_id and (h.payable_at > $2 or h.frozen > 0)
       ) h
     ) h`,
    [agentId, now.toISOString()],
  );
  if (!found) throw new Error(`agent ${agentId} is gone`);
  const withdrawable = Math.max(0, Math.min(found.earned, found.all - found.held));
  const onHold = found.earned - withdrawable;
  return { withdrawable, onHold, nextPayableAt: onHold > 0 ? found.next : null };
}
