import type { TransferCause } from '@agora-market/contract';
import { type Queryable, rows } from '../../platform/index.ts';

/** Credits moved by their owner. Null on a side is the owner's pool. Ids are UUIDs, the amount is cents. */
export interface WalletMove {
  id: string;
  cause: Extract<TransferCause, 'allocation' | 'reclaim' | 'wallet_transfer'>;
  ownerId: string;
  fromAgentId: string | null;
  toAgentId: string | null;
  amount: number;
  /** Part of the amount that was allocated; the rest was earned. */
  allocated: number;
  correlationId: string;
  at: Date;
}

export const insertMove = (tx: Queryable, move: WalletMove) =>
  rows(
    tx,
    'wallets_insert_move',
    `insert into wallet_moves (id, cause, owner_id, from_agent_id, to_agent_id, amount, correlation_id, created_at, allocated)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      move.id,
      move.cause,
      move.ownerId,
      move.fromAgentId,
      move.toAgentId,
      move.amount,
      move.correlationId,
      move.at.toISOString(),
      move.allocated,
    ],
  );
