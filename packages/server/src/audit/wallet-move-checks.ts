/** Claims about credits that owners move among pool and wallets; part of the checks of the ledger. */
export const walletMoveChecks: [name: string, query: string][] = [
  [
    'every move between pool and wallets is one transfer of its amount and cause',
    `select m.id, m.cause, m.amount, e.causes, e.moved from wallet_moves m
     full join (
       select subject as id, array_agg(cause) as causes, sum(amount) as moved from ledger_entries
       where side = 1 and cause in ('allocation', 'reclaim', 'wallet_transfer') group by subject
     ) e using (id)
     where m.id is null or e.id is null or e.moved <> m.amount or e.causes <> array[m.cause]`,
  ],
  [
    'every move between pool and wallets is among agents of one owner',
    `select m.id, m.owner_id, a.owner_id as agents_owner from wallet_moves m
     join agents a on a.id in (m.from_agent_id, m.to_agent_id) where a.owner_id <> m.owner_id`,
  ],
];
