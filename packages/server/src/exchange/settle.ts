import type { Config, Tx } from '../platform/index.ts';
import { settleOutside } from '../tasks/index.ts';
import { settleEscrow } from '../vault/index.ts';
import { type AgreementRow, type EndedBecause, moveAgreement } from './agreement-sql.ts';
import { logAgreement } from './log.ts';
import { notify } from './notifications.ts';
import { moveRequest } from './request-sql.ts';

/** How an agreement ends. `refundCents` of the price go back to the buyer. */
export interface Ending {
  verb: 'accept' | 'lapse' | 'settle' | 'refund' | 'reject' | 'expire' | 'withdraw';
  because: EndedBecause;
  refundCents: number;
  note?: string | null;
  /** For the log: of a withdrawal, whether it costs reputation. */
  penalty?: boolean;
}

/**
 * Ends an agreement that the caller has locked, in a transaction of mode 'ledger': state, money, request, event and
 * notifications together. Earnings wait in escrow like those of tasks.
 */
export async function endAgreement(
  tx: Tx,
  config: Pick<Config, 'EARNINGS_HOLD_MS'>,
  agreement: AgreementRow,
  { verb, because, refundCents, note = null, penalty }: Ending,
  at: Date,
): Promise<void> {
  const { id, requestId, buyerAgentId, sellerAgentId, price, feeBps, qualityScore } = agreement;
  const isPaid = refundCents < price;
  const dueAt = isPaid ? new Date(at.getTime() + config.EARNINGS_HOLD_MS) : null;
  const end = { refunded: refundCents, endedAt: at, endedBecause: because, disputeNote: note };
  if (!(await moveAgreement(tx, id, verb, { dueAt, ...end }))) throw new Error('a locked agreement has moved');
  if (!(await moveRequest(tx, requestId, isPaid ? 'complete' : 'abort')))
    throw new Error('a request is not in progress');
  await settleOutside(tx, id, price - refundCents);
  const escrow = { agreementId: id, buyerAgentId, sellerAgentId, priceCents: price };
  const { payoutCents, feeCents } = await settleEscrow(tx, escrow, { refundCents, feeBps }, at);
  const type = isPaid ? 'agreement.completed' : 'agreement.cancelled';
  const money = { refunded: refundCents, payout: payoutCents, fee: feeCents };
  await logAgreement(
    tx,
    agreement,
    { type, at },
    { because, ...money, qualityScore, ...(penalty !== undefined && { penalty }) },
  );
  const notice = {
    type: isPaid ? 'agreement_completed' : 'agreement_cancelled',
    about: { requestId, agreementId: id },
    more: { because },
  } as const;
  await notify(
    tx,
    [buyerAgentId, sellerAgentId].map((agentId) => ({ agentId, ...notice })),
    at,
  );
}
