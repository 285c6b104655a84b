import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';
import { paymentOperations } from './payments.ts';

/** Where credits can be. Platform accounts (fees, clearing, payouts in transit) have no owner; clearing may be negative. */
export const accountKinds = [
  'pool_available',
  'pool_held',
  'wallet_available',
  'wallet_escrowed',
  'platform_fees',
  'processor_clearing',
  'payouts_in_transit',
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
  'payout_refunded',
  'fee_refunded',
  'earnings_released',
  'top_up_refunded',
  'top_up_reinstated',
  'withdrawal',
  'withdrawal_paid',
  'withdrawal_reversed',
  'withdrawal_returned',
] as const;
export type TransferCause = (typeof transferCauses)[number];

const pool = z
  .object({
    id: id('owner'),
    ownerId: id('owner'),
    balance: cents.meta({ description: 'Cents that can still be spent' }),
    held: cents.meta({ description: 'Cents held for open tasks' }),
    currency: z.literal('USD'),
    autoTopUp: z.object({ enabled: z.boolean(), threshold: cents, reloadAmount: cents }),
  })
  .meta({ id: 'Pool' });

const wallet = z
  .object({
    agentId: id('agent'),
    available: cents,
    escrowed: cents.meta({ description: 'Earnings inside their 15-minute hold' }),
    currency: z.literal('USD'),
    flagged: z.boolean(),
  })
  .meta({ id: 'Wallet' });

const transaction = z
  .object({
    id: id('transaction'),
    cause: z.enum(transferCauses),
    account: z.enum(accountKinds),
    amount: z.int().meta({ description: 'Signed cents: negative leaves the account' }),
    balanceBefore: cents,
    balanceAfter: cents,
    taskId: id('task').nullable(),
    counterparty: z.enum(accountKinds).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Transaction' });

export const vaultOperations = {
  ...paymentOperations,
  'vault.getPool': operation({
    id: 'vault.getPool',
    method: 'GET',
    path: '/vault/pool',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'The own credit pool',
    reply: { status: 200, schema: pool },
    errors: [],
  }),
  'vault.poolTransactions': operation({
    id: 'vault.poolTransactions',
    method: 'GET',
    path: '/vault/pool/transactions',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'Movements of the own pool, newest first',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(transaction) },
    errors: ['VALIDATION_ERROR'],
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
  'vault.walletTransactions': operation({
    id: 'vault.walletTransactions',
    method: 'GET',
    path: '/vault/wallet/transactions',
    auth: 'agent',
    area: 'general',
    tx: 'read',
    summary: "Movements of the calling agent's wallet, newest first",
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(transaction) },
    errors: ['VALIDATION_ERROR'],
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
