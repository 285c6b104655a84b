/** Claims about credits that owners move among pool and wallets; part of the checks of the ledger. */
export const walletMoveChecks: [name: string, query: string][] = [
  [
    'every move between pool and wallets is a transfer of its amount and cause for what was allocated and what was earned',
    `select m.id, m.cause, m.amount, m.allocated, e.causes, e.moved, e.allocated as moved_allocated from wallet_moves m
     full join (
       select subject as id, array_agg(cause::text) as causes, sum(amount) as moved,
         coalesce(sum(amount) filter (where 'wallet_allocated' in (from_kind, to_kind)), 0) as allocated
       from ledger_transfers
       where cause in ('allocation', 'reclaim', 'reclaim_allocated', 'wallet_transfer', 'wallet_transfer_allocated')
       group by subject
     ) e using (id)
     where m.id is null or e.id is null or e.moved <> m.amount or e.allocated <> coalesce(m.allocated, 0)
       or (m.cause = 'allocation' and m.allocated < m.amount)
       or not e.causes <@ array[m.cause::text, m.cause || '_allocated']`,
  ],
  [
    'every move between pool and wallets is among agents of one owner',
    `select m.id, m.owner_id, a.owner_id as agents_owner from wallet_moves m
     join agents a on a.id in (m.from_agent_id, m.to_agent_id) where a.owner_id <> m.owner_id`,
  ],
];
