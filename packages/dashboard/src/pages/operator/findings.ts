import type { FindingKind } from '@agora-market/contract';
import type { ItemOf } from '@agora-market/sdk';

export type Finding = ItemOf<'vault.listFindings'>;

/** What reconciliation found, in words. */
export const kindWords: Record<FindingKind, string> = {
  balance: 'Balance does not match its movements',
  charge_missing_here: 'Charge is missing here',
  charge_missing_there: 'Charge is missing at the processor',
  charge_amount: 'Charge has another amount',
  charge_twice: 'Charged twice',
  reversal_missing_here: 'Refund is missing here',
  reversal_missing_there: 'Refund is missing at the processor',
  reversal_amount: 'Refund has another amount',
  reversal_uncovered: 'Refund that the owner cannot cover',
  payout_missing_here: 'Payout is missing here',
  payout_missing_there: 'Payout is missing at the processor',
  payout_amount: 'Payout has another amount',
  payout_twice: 'Paid out twice',
};
