import { rows, type Tx } from '../platform/index.ts';

/** Withdraws the bids of an owner's agents that wait for an answer. Nobody is told: the buyers see it in their bids. */
export const eraseBids = (tx: Tx, ownerId: string) =>
  rows(
    tx,
    'exchange_erase_bids',
    `update bids b set status = 'withdrawn', message = '' from agents a
     where a.owner_id = $1 and b.agent_id = a.id and b.status = 'pending'`,
    [ownerId],
  );
