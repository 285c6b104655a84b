import { dayMs, defineFunction, type Queryable, row, rows } from '../../platform/index.ts';

/**
 * When earnings become payable. A stolen card is found out days after it paid, so earnings wait for the payment behind
 * them:
 *
 * - for `PAYOUT_HOLD_MS` if a card that the buyer paid with is young here, or the earner has had few payouts;
 * - else until the processor has the money of the buyer's last payment, at most as long;
 * - not at all if no card paid, unless the buyer pays with earnings of its own that wait: then as long as these.
 */
const payoutHold = {
  /** Payouts that an owner has had before the first rule spares it. */
  payouts: 3,
  /** A card is young until its first payment by this owner is so old. */
  youngCardMs: 30 * dayMs,
  /** When the processor has the money of a charge, where it does not say so. */
  availableMs: 2 * dayMs,
} as const;

const interval = (ms: number) => `interval '${ms / 1000} seconds'`;

/** Earnings of tasks or agreements were released: notes how much of them has to wait, and until when. */
defineFunction(
  'vault_hold_payouts',
  `create or replace function vault_hold_payouts(
  p_subject uuid[], p_agent uuid[], p_buyer uuid[], p_amount bigint[], p_at timestamptz, p_hold_ms bigint
) returns void language sql as $$
  insert into payout_holds (subject, owner_id, agent_id, amount, payable_at)
  select i.subject, i.owner_id, i.agent, i.amount, w.payable_at from (
    select i.*, a.owner_id from unnest(p_subject, p_agent, p_buyer, p_amount) as i(subject, agent, buyer, amount)
    join agents a on a.id = i.agent where i.amount > 0
  ) i cross join lateral (
    select greatest(
      case
        when not exists (select from top_ups where owner_id = i.buyer and status = 'succeeded') then null
        when (
          select count(*) from (
            select from withdrawals where owner_id = i.owner_id and status = 'paid' limit ${payoutHold.payouts}
          ) paid
        ) < ${payoutHold.payouts} or exists (
          select from top_ups u where u.owner_id = i.buyer and u.status = 'succeeded'
            and u.created_at > p_at - ${interval(payoutHold.youngCardMs)}
            and not exists (
              select from top_ups o where o.owner_id = i.buyer and o.status = 'succeeded'
                and o.created_at <= p_at - ${interval(payoutHold.youngCardMs)}
                and coalesce(o.instrument, o.payment_method_id) = coalesce(u.instrument, u.payment_method_id)
            )
        ) then p_at + p_hold_ms * interval '1 millisecond'
        else (
          select least(
            max(coalesce(available_at, resolved_at + ${interval(payoutHold.availableMs)})),
            -- Both are null where the cards have not paid lately.
            max(p_at + p_hold_ms * interval '1 millisecond')
          ) from top_ups
          where owner_id = i.buyer and status = 'succeeded' and created_at > p_at - ${interval(payoutHold.youngCardMs)}
        )
      end,
      -- Earnings that left the buyer's wallets before their time may be what pays here.
      (
        select max(h.payable_at) from payout_holds h where h.owner_id = i.buyer and h.payable_at > p_at
        having sum(h.amount) > (
          select coalesce(sum(l.balance), 0) from agents b
          join ledger_accounts l on l.holder = b.id and l.kind = 'wallet_available' where b.owner_id = i.buyer
        )
      )
    ) as payable_at
  ) w where w.payable_at > p_at and p_hold_ms > 0
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
     update payout_holds set amount = amount - $2 where subject = $1 and amount > $2`,
    [subject, cents],
  );

/** What a wallet can pay out, in cents. */
export interface Payable {
  withdrawable: number;
  /** Earnings of the wallet that wait for their time. */
  onHold: number;
  /** When some of the owner's earnings become payable next; null if none of this wallet wait. */
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
         coalesce(sum(l.balance), 0)::bigint as all
       from agents a join agents b on b.owner_id = a.owner_id
       left join ledger_accounts l on l.holder = b.id and l.kind = 'wallet_available'
       where a.id = $1 group by a.owner_id
     ) w cross join lateral (
       select coalesce(sum(amount), 0)::bigint as held, min(payable_at) as next from payout_holds
       where owner_id = w.owner_id and payable_at > $2
     ) h`,
    [agentId, now.toISOString()],
  );
  if (!found) throw new Error(`agent ${agentId} is gone`);
  const withdrawable = Math.max(0, Math.min(found.earned, found.all - found.held));
  const onHold = found.earned - withdrawable;
  return { withdrawable, onHold, nextPayableAt: onHold > 0 ? found.next : null };
}
