import { splitPrice } from '@agora-market/contract';
import { ApiError, type Queryable, row } from '../../platform/index.ts';
import { holdPayout } from '../payouts/payout-hold.ts';
import { isFlagged } from '../reconciliation/flags.ts';
import { balancesOf } from '../sql.ts';
import { type Account, platformHolder, type Transfer, transfer } from './transfer.ts';
import { allocatedFirst, allocatedOf, earnedOf, movable, type Shares } from './wallet.ts';

/**
 * Escrow of the legacy exchange: the price waits in the buyer's wallet, as `escrowed`, until the agreement ends. It is
 * paid out of allocated credits first, and what comes back is again what it was. All of it runs in a transaction of mode
 * 'ledger'. `ledger_transfers_escrow_resolved_once` refuses a second end.
 */
interface Escrow {
  agreementId: string;
  buyerAgentId: string;
  sellerAgentId: string;
  priceCents: number;
}

const escrowed = (holder: string) => ({ holder, kind: 'wallet_escrowed' }) as const;

/** Why a wallet cannot pay a price now; null if it can. */
export async function escrowObstacle(tx: Queryable, agentId: string, priceCents: number): Promise<ApiError | null> {
  // Otherwise the credits could be withdrawn from another wallet.
  if (await isFlagged(tx, agentId)) return new ApiError('WALLET_FLAGGED');
  const available = movable(await balancesOf(tx, agentId));
  if (priceCents <= available) return null;
  return new ApiError('INSUFFICIENT_BALANCE', undefined, { required: priceCents, available });
}

/** Takes the price from the buyer's wallet into its escrow. */
export async function holdEscrow(tx: Queryable, { agreementId, buyerAgentId, priceCents }: Escrow, at: Date) {
  const { allocated, earned } = allocatedFirst(priceCents, await balancesOf(tx, buyerAgentId));
  const of = (cause: Transfer['cause'], from: Account, amount: number): Transfer => {
    return { subject: agreementId, cause, from, to: escrowed(buyerAgentId), amount, at };
  };
  await transfer(tx, [
    of('escrow_held_allocated', allocatedOf(buyerAgentId), allocated),
    of('escrow_held', earnedOf(buyerAgentId), earned),
  ]);
}

/** What of a refund goes back to each account: allocated credits were spent first, so earnings come back first. */
async function returned(tx: Queryable, agreementId: string, refundCents: number): Promise<Shares> {
  const held = await row<{ earned: number }>(
    tx,
    'vault_escrow_earned',
    `select greatest(0, coalesce(sum(amount), 0)
       - coalesce((select cents from escrows_set_apart where agreement_id = $1), 0))::bigint as earned
     from ledger_transfers where subject = $1 and cause = 'escrow_held'`,
    [agreementId],
  );
  const earned = Math.min(refundCents, held?.earned ?? 0);
  return { allocated: refundCents - earned, earned };
}

/**
 * Ends an escrow. `refundCents` go back to the buyer. The rest goes to the seller's escrow, less the fee of that part.
 * Returns what the seller earned and the fee, in cents.
 */
export async function settleEscrow(
  tx: Queryable,
  { agreementId, buyerAgentId, sellerAgentId, priceCents }: Escrow,
  { refundCents, feeBps }: { refundCents: number; feeBps: number },
  at: Date,
): Promise<{ payoutCents: number; feeCents: number }> {
  const { feeCents, payoutCents } = splitPrice(priceCents - refundCents, feeBps);
  const of = (cause: Transfer['cause'], to: Transfer['to'], amount: number): Transfer => {
    return { subject: agreementId, cause, from: escrowed(buyerAgentId), to, amount, at };
  };
  const back = await returned(tx, agreementId, refundCents);
  const cause = refundCents === priceCents ? 'escrow_returned' : 'escrow_split';
  const moves = [
    of('escrow_paid', escrowed(sellerAgentId), payoutCents),
    of('escrow_fee', { holder: platformHolder, kind: 'platform_fees' }, feeCents),
    of(`${cause}_allocated`, allocatedOf(buyerAgentId), back.allocated),
    of(cause, earnedOf(buyerAgentId), back.earned),
  ];
  await transfer(
    tx,
    moves.filter(({ amount }) => amount > 0),
  );
  return { payoutCents, feeCents };
}

/** Earnings of an agreement whose time has come. */
export async function releaseEscrow(
  tx: Queryable,
  earned: { agreementId: string; sellerAgentId: string; buyerOwnerId: string; payoutCents: number },
  at: Date,
  payoutHoldMs: number,
): Promise<void> {
  await transfer(tx, [
    {
      subject: earned.agreementId,
      cause: 'escrow_released',
      from: escrowed(earned.sellerAgentId),
      to: earnedOf(earned.sellerAgentId),
      amount: earned.payoutCents,
      at,
    },
  ]);
  const { agreementId: subject, sellerAgentId: agentId, buyerOwnerId: buyerId, payoutCents: amount } = earned;
  await holdPayout(tx, { subject, agentId, buyerId, amount }, at, payoutHoldMs);
}
