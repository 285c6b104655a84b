-- What an owner allocates to a wallet is kept apart from what its agent earns. PostgreSQL uses new values of a type only in
-- a later transaction.
alter type account_kind add value 'wallet_allocated' before 'wallet_available';
alter type transfer_cause add value 'allocation_set_apart';
alter type transfer_cause add value 'reclaim_allocated';
alter type transfer_cause add value 'wallet_transfer_allocated';
alter type transfer_cause add value 'escrow_held_allocated';
alter type transfer_cause add value 'escrow_returned_allocated';
alter type transfer_cause add value 'escrow_split_allocated';

-- How much of a move was allocated; the rest was earned. Null of a move from before wallets kept both apart.
alter table wallet_moves add column allocated bigint check (allocated between 0 and amount);
