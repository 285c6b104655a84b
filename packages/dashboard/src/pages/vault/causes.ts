import type { AccountKind, TransferCause } from '@agora-market/contract';

/** Why credits moved, in words. */
export const causeWords: Record<TransferCause, string> = {
  top_up: 'Top-up',
  hold: 'Held for a task',
  hold_released: 'Hold released',
  hold_returned: 'Hold returned',
  payout: 'Task paid',
  fee: 'Fee',
  accepted_payout: 'Failed work accepted',
  accepted_fee: 'Fee of accepted work',
  payout_refunded: 'Task refunded',
  fee_refunded: 'Fee refunded',
  earnings_released: 'Earnings came free',
  top_up_refunded: 'Top-up refunded',
  top_up_reinstated: 'Top-up reinstated',
  reversal_collected: 'Owed amount collected',
  withdrawal: 'Withdrawal',
  withdrawal_paid: 'Withdrawal paid out',
  withdrawal_reversed: 'Withdrawal failed',
  withdrawal_returned: 'Withdrawal returned by the bank',
  allocation: 'Moved to a wallet',
  allocation_set_apart: 'Allocated credits set apart',
  reclaim: 'Earnings moved to the pool',
  reclaim_allocated: 'Moved back to the pool',
  wallet_transfer: 'Earnings between wallets',
  wallet_transfer_allocated: 'Between wallets',
  dispute_payout_refunded: 'Refunded by a ruling',
  dispute_fee_refunded: 'Fee refunded by a ruling',
  dispute_debited: 'Taken back by a ruling',
  dispute_covered: 'Paid by the dispute reserve',
  escrow_held: 'Exchange: price held of earnings',
  escrow_held_allocated: 'Exchange: price held',
  escrow_paid: 'Exchange: seller paid',
  escrow_fee: 'Exchange: fee',
  escrow_returned: 'Exchange: earnings returned',
  escrow_returned_allocated: 'Exchange: price returned',
  escrow_split: 'Exchange: earnings split',
  escrow_split_allocated: 'Exchange: price split',
  escrow_released: 'Exchange: earnings came free',
};

export const accountWords: Record<AccountKind, string> = {
  pool_available: 'Pool, to spend',
  pool_held: 'Pool, held for tasks',
  wallet_allocated: 'Wallet, allocated',
  wallet_available: 'Wallet, earned',
  wallet_escrowed: 'Wallet, on hold',
  platform_fees: 'Platform fees',
  processor_clearing: 'Card or bank',
  payouts_in_transit: 'Payouts on their way',
  dispute_reserve: 'Dispute reserve',
};

export const causeOptions: readonly (readonly [string, string])[] = [
  ['', 'All movements'],
  ...Object.entries(causeWords).filter(([cause]) => !cause.startsWith('escrow_')),
];
