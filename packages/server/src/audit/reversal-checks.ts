import { isOwed } from '../vault/index.ts';

/** Claims about top-ups whose money went back to the cardholder; part of the checks of the ledger. */
export const reversalChecks: [name: string, query: string][] = [
  [
    'every reversal of a top-up took from the pool what it says, and gave it back if it was undone',
    `select r.id, r.state, r.taken, e.taken as moved_out, e.given as moved_back from top_up_reversals r
     full join (
       select coalesce(c.reversal_id, l.subject) as id,
         coalesce(sum(l.amount) filter (where l.cause <> 'top_up_reinstated'), 0) as taken,
         coalesce(sum(l.amount) filter (where l.cause = 'top_up_reinstated'), 0) as given
       from ledger_entries l left join reversal_collections c on c.id = l.subject and l.cause = 'reversal_collected'
       where l.side = 1 and l.cause in ('top_up_refunded', 'reversal_collected', 'top_up_reinstated') group by 1
     ) e using (id)
     where r.id is null or r.taken <> coalesce(e.taken, 0)
       or coalesce(e.given, 0) <> case when r.state = 'undone' then r.taken else 0 end`,
  ],
  [
    'every reversal is of a top-up of its owner that was paid, and took no more than went back',
    `select r.id, r.owner_id, u.owner_id as payer, u.status, r.amount, r.taken from top_up_reversals r
     left join top_ups u on u.id = r.top_up_id
     where u.id is null or u.owner_id <> r.owner_id or u.status <> 'succeeded' or r.taken > r.amount`,
  ],
  [
    'every pool owes what its reversals took too little, without those that the operator waived',
    `select holder, kind, a.owed, r.missing from ledger_accounts a full join (
       select owner_id as holder, 'pool_available'::account_kind as kind, sum(amount - taken) as missing
       from top_up_reversals where ${isOwed} group by owner_id
     ) r using (holder, kind) where coalesce(a.owed, 0) <> coalesce(r.missing, 0)`,
  ],
];
