/** Claims about withdrawals; part of the checks of the ledger. */
export const withdrawalChecks: [name: string, query: string][] = [
  [
    'every held withdrawal waits for the operator, and no other does',
    `select id, w.status, h.status as held from withdrawals w full join (
       select withdrawal_id as id, status from held_payments where kind = 'withdrawal' and status = 'open'
     ) h using (id) where (w.status is not distinct from 'held') <> (h.status is not null)`,
  ],
  [
    'the money of every withdrawal is in one place: in transit, paid out or back in the wallet, as its status says',
    `select w.id, w.status, w.amount, e.taken, e.gone, e.in_transit, e.paid_out from withdrawals w
     full join (
       select subject as id, sum(amount) filter (where cause = 'withdrawal' and side = 1) as taken,
         -sum(amount) filter (where kind = 'wallet_available') as gone,
         sum(amount) filter (where kind = 'payouts_in_transit') as in_transit,
         sum(amount) filter (where kind = 'processor_clearing') as paid_out
       from ledger_entries
       where cause in ('withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned')
       group by subject
     ) e using (id)
     where w.id is null or e.id is null or e.taken <> w.amount
       or e.gone <> case when w.status = 'failed' then 0 else w.amount end
       or e.in_transit <> case when w.status in ('held', 'pending') then w.amount else 0 end
       or coalesce(e.paid_out, 0) <> case when w.status = 'paid' then w.amount else 0 end`,
  ],
  [
    'earnings that wait for their payout were released to their agent, less what disputes took back',
    `select h.subject, h.agent_id, h.amount, e.released, e.returned from payout_holds h left join (
       select subject, (max(to_holder::text) filter (where cause in ('earnings_released', 'escrow_released')))::uuid as agent,
         sum(amount) filter (where cause in ('earnings_released', 'escrow_released')) as released,
         coalesce(sum(amount) filter (where cause in ('dispute_debited', 'dispute_covered')), 0) as returned
       from ledger_transfers
       where cause in ('earnings_released', 'escrow_released', 'dispute_debited', 'dispute_covered') group by subject
     ) e on e.subject = h.subject
     where e.agent is distinct from h.agent_id or h.amount <> coalesce(e.released, 0) - coalesce(e.returned, 0)`,
  ],
  [
    'no more earnings are frozen than those who paid for them owe',
    `select p.payer_id, sum(p.frozen) as frozen, max(o.owed) as owed from payout_hold_payers p
     left join ledger_accounts o on o.holder = p.payer_id and o.kind = 'pool_available'
     group by p.payer_id having sum(p.frozen) > coalesce(max(o.owed), 0)`,
  ],
  [
    'payouts in transit equal the held and pending withdrawals',
    `select * from (
       select (select coalesce(sum(amount), 0) from ledger_entries where kind = 'payouts_in_transit') as in_transit,
         (select coalesce(sum(amount), 0) from withdrawals where status in ('held', 'pending')) as pending
     ) sums where in_transit <> pending`,
  ],
];
