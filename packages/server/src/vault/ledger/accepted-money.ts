import { splitPrice } from '@agora-market/contract';
import { ApiError, type Queryable, rows } from '../../platform/index.ts';
import { readPool } from '../sql.ts';
import { platformHolder, type Transfer, transfer } from './transfer.ts';

export interface AcceptedCharge {
  taskId: string;
  /** Whose pool pays, and who earns. */
  ownerId: string;
  agentId: string;
  priceCents: number;
  /** The platform's share of it, in basis points. */
  feeBps: number;
  /** When the earnings leave escrow. */
  releaseAt: Date;
}

/**
 * Pays for work that the gate has failed, out of the pool, in a transaction of mode 'ledger'. The hold of the task went
 * back when it failed. Returns payout and fee in cents. Throws INSUFFICIENT_CREDITS.
 */
export async function chargeAccepted(tx: Queryable, charge: AcceptedCharge, at: Date) {
  const { taskId, ownerId, agentId, priceCents, feeBps, releaseAt } = charge;
  const { spendable } = await readPool(tx, ownerId);
  if (spendable < priceCents) {
    throw new ApiError('INSUFFICIENT_CREDITS', undefined, { required: priceCents, available: spendable });
  }
  const { payoutCents, feeCents } = splitPrice(priceCents, feeBps);
  const of = (cause: Transfer['cause'], to: Transfer['to'], amount: number): Transfer => {
    return { subject: taskId, cause, from: { holder: ownerId, kind: 'pool_available' }, to, amount, at };
  };
  await transfer(tx, [
    of('accepted_payout', { holder: agentId, kind: 'wallet_escrowed' }, payoutCents),
    of('accepted_fee', { holder: platformHolder, kind: 'platform_fees' }, feeCents),
  ]);
  await rows(
    tx,
    'vault_earn_accepted',
    'insert into earnings (task_id, agent_id, amount, due_at, created_at) values ($1, $2, $3, $4, $5)',
    [taskId, agentId, payoutCents, releaseAt.toISOString(), at.toISOString()],
  );
  return { payoutCents, feeCents };
}
