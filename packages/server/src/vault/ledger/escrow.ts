import { splitPrice } from '@agora/contract';
import { ApiError, type Queryable } from '../../platform/index.ts';
import { isFlagged } from '../reconciliation/flags.ts';
import { balancesOf } from '../sql.ts';
import { platformHolder, type Transfer, transfer } from './transfer.ts';

/**
 * Escrow of the legacy exchange: the price waits in the buyer's wallet, as `escrowed`, until the agreement ends. All of
 * it runs in a transaction of mode 'ledger'. `ledger_transfers_escrow_resolved_once` refuses a second end.
 */
interface Escrow {
  agreementId: string;
  buyerAgentId: string;
  sellerAgentId: string;
  priceCents: number;
}

const available = (holder: string) => ({ holder, kind: 'wallet_available' }) as const;
const escrowed = (holder: string) => ({ holder, kind: 'wallet_escrowed' }) as const;

/** Why a wallet cannot pay a price now; null if it can. */
export async function escrowObstacle(tx: Queryable, agentId: string, priceCents: number): Promise<ApiError | null> {
  // Otherwise the credits could be withdrawn from another wallet.
  if (await isFlagged(tx, agentId)) return new ApiError('WALLET_FLAGGED');
  const { wallet_available } = await balancesOf(tx, agentId);
  if (priceCents <= wallet_available) return null;
  return new ApiError('INSUFFICIENT_BALANCE', undefined, { required: priceCents, available: wallet_available });
}

/** Takes the price from the buyer's wallet into its escrow. */
export const holdEscrow = (tx: Queryable, { agreementId, buyerAgentId, priceCents }: Escrow, at: Date) =>
  transfer(tx, [
    {
      subject: agreementId,
      cause: 'escrow_held',
      from: available(buyerAgentId),
      to: escrowed(buyerAgentId),
      amount: priceCents,
      at,
    },
  ]);

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
  const moves = [
    of('escrow_paid', escrowed(sellerAgentId), payoutCents),
    of('escrow_fee', { holder: platformHolder, kind: 'platform_fees' }, feeCents),
    of(refundCents === priceCents ? 'escrow_returned' : 'escrow_split', available(buyerAgentId), refundCents),
  ];
  await transfer(
    tx,
    moves.filter(({ amount }) => amount > 0),
  );
  return { payoutCents, feeCents };
}

/** Earnings of an agreement whose time has come. */
export const releaseEscrow = (
  tx: Queryable,
  earned: { agreementId: string; sellerAgentId: string; payoutCents: number },
  at: Date,
) =>
  transfer(tx, [
    {
      subject: earned.agreementId,
      cause: 'escrow_released',
      from: escrowed(earned.sellerAgentId),
      to: available(earned.sellerAgentId),
      amount: earned.payoutCents,
      at,
    },
  ]);
