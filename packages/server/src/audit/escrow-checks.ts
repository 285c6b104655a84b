import { openAgreementStatuses } from '@agora-market/contract';
import { sqlList } from '../platform/index.ts';

const open = sqlList(openAgreementStatuses);
const kept = '(a.price - a.refunded)';
const fee = `(${kept} * a.fee_bps / 10000)`;

/** Credits of agreements that are escrowed: the price with the buyer while it is open, then the payout with the seller. */
export const escrowsOfAgents = `select a.buyer_agent_id as agent_id, a.price as amount from agreements a
         where a.status in ${open}
         union all select a.seller_agent_id, ${kept} - ${fee} from agreements a
         where a.status = 'completed' and a.due_at is not null`;

/** Causes by which an escrow goes back to its buyer. */
const returns = `'escrow_returned', 'escrow_returned_allocated', 'escrow_split', 'escrow_split_allocated'`;

/** Claims about the escrow of the legacy exchange; part of the checks of the ledger. */
export const escrowChecks: [name: string, query: string][] = [
  [
    'the escrow of every agreement holds its price and is resolved exactly once',
    `select a.id, a.status, a.price, m.held, m.resolved, m.times from agreements a left join (
       select subject, sum(amount) filter (where cause in ('escrow_held', 'escrow_held_allocated')) as held,
         sum(amount) filter (where cause in ('escrow_paid', 'escrow_fee', ${returns})) as resolved,
         count(*) filter (where cause = 'escrow_paid')
           + max((cause in ('escrow_returned', 'escrow_returned_allocated'))::int) as times
       from ledger_entries where side = 1
         and cause in ('escrow_held', 'escrow_held_allocated', 'escrow_paid', 'escrow_fee', ${returns})
       group by subject
     ) m on m.subject = a.id
     where coalesce(m.held, 0) <> a.price
       or coalesce(m.resolved, 0) <> case when a.status in ${open} then 0 else a.price end
       or coalesce(m.times, 0) <> case when a.status in ${open} then 0 else 1 end`,
  ],
  [
    'every agreement gave back what it says, and paid the fee of just the rest',
    `select a.id, a.status, a.refunded, m.returned, m.fee, m.paid from agreements a left join (
       select subject, sum(amount) filter (where cause in (${returns})) as returned,
         sum(amount) filter (where cause = 'escrow_fee') as fee,
         sum(amount) filter (where cause = 'escrow_paid') as paid
       from ledger_entries where side = 1
         and cause in (${returns}, 'escrow_fee', 'escrow_paid') group by subject
     ) m on m.subject = a.id
     where coalesce(m.returned, 0) <> a.refunded
       or coalesce(m.fee, 0) <> case a.status when 'completed' then ${fee} else 0 end
       or coalesce(m.paid, 0) <> case a.status when 'completed' then ${kept} - ${fee} else 0 end`,
  ],
  [
    'what an escrow gave back went to where it came from, earnings first',
    `select a.id, m.held, m.returned, a.refunded from agreements a join (
       select subject, coalesce(sum(amount) filter (where cause = 'escrow_held'), 0) as held,
         coalesce(sum(amount) filter (where cause in ('escrow_returned', 'escrow_split')), 0) as returned
       from ledger_transfers where cause in ('escrow_held', 'escrow_held_allocated', ${returns}) group by subject
     ) m on m.subject = a.id
     left join escrows_set_apart s on s.agreement_id = a.id
     where m.returned <> least(a.refunded, m.held - coalesce(s.cents, 0))`,
  ],
  [
    'the payout of every completed agreement was released once and in full, or waits',
    `select a.id, a.status, a.due_at, m.released from agreements a left join (
       select subject, sum(amount) as released from ledger_entries
       where side = 1 and cause = 'escrow_released' group by subject
     ) m on m.subject = a.id
     where coalesce(m.released, 0)
       <> case when a.status = 'completed' and a.due_at is null then ${kept} - ${fee} else 0 end`,
  ],
];
