import { z } from 'zod';
import { autoTopUpOperations } from './auto-top-up.ts';
import { budgetOperations } from './budgets.ts';
import { heldPaymentOperations } from './held-payments.ts';
import { pool, wallet } from './holdings.ts';
import { operation } from './operation.ts';
import { paymentOperations } from './payments.ts';
import { payoutOperations } from './payouts.ts';
import { refundOperations } from './refunds.ts';
import { walletOperations } from './wallets.ts';

/**
 * Where credits can be. A wallet keeps what its owner allocated (`wallet_allocated`) apart from what its agent earned
 * (`wallet_available`): only earnings can be withdrawn. Platform accounts (fees, clearing, payouts in transit, dispute reserve) have no owner;
 * clearing and reserve may be negative.
 */
export const accountKinds = [
  'pool_available',
  'pool_held',
  'wallet_allocated',
  'wallet_available',
  'wallet_escrowed',
  'platform_fees',
  'processor_clearing',
  'payouts_in_transit',
  'dispute_reserve',
] as const;
export type AccountKind = (typeof accountKinds)[number];

/** Why credits moved; with the subject it makes a transfer unique, so that no retry moves money twice. */
export const transferCauses = [
  'top_up',
  'hold',
  'hold_released',
  'hold_returned',
  'payout',
  'fee',
  'accepted_payout',
  'accepted_fee',
  'payout_refunded',
  'fee_refunded',
  'earnings_released',
  'top_up_refunded',
  'top_up_reinstated',
  'reversal_collected',
  'withdrawal',
  'withdrawal_paid',
  'withdrawal_reversed',
  'withdrawal_returned',
  'allocation',
  'allocation_set_apart',
  'reclaim',
  'reclaim_allocated',
  'wallet_transfer',
  'wallet_transfer_allocated',
  'dispute_payout_refunded',
  'dispute_fee_refunded',
  'dispute_debited',
  'dispute_covered',
  'escrow_held',
  'escrow_held_allocated',
  'escrow_paid',
  'escrow_fee',
  'escrow_returned',
  'escrow_returned_allocated',
  'escrow_split',
  'escrow_split_allocated',
  'escrow_released',
] as const;
export type TransferCause = (typeof transferCauses)[number];

export const vaultOperations = {
  ...paymentOperations,
  ...refundOperations,
  ...payoutOperations,
  ...heldPaymentOperations,
  ...autoTopUpOperations,
  ...walletOperations,
  ...budgetOperations,
  'vault.getPool': operation({
    id: 'vault.getPool',
    method: 'GET',
    path: '/vault/pool',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: "The caller's credit pool",
    reply: { status: 200, schema: pool },
    errors: [],
  }),
  'vault.getWallet': operation({
    id: 'vault.getWallet',
    method: 'GET',
    path: '/vault/wallet',
    auth: 'agent',
    area: 'general',
    tx: 'read',
    summary: "The calling agent's wallet",
    reply: { status: 200, schema: wallet },
    errors: [],
  }),
  'vault.getAgentWallet': operation({
    id: 'vault.getAgentWallet',
    method: 'GET',
    path: '/vault/wallets/:agentId',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: "An own agent's wallet",
    params: z.object({ agentId: z.string() }),
    reply: { status: 200, schema: wallet },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
} as const;
