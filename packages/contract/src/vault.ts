import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

/** Smallest and largest top-up, in cents. */
export const topUpRange = { min: 500, max: 1_000_000 } as const;

/** Where credits can be. Platform accounts (fees, clearing) have no owner and may be negative. */
export const accountKinds = [
  'pool_available',
  'pool_held',
  'wallet_available',
  'wallet_escrowed',
  'platform_fees',
  'processor_clearing',
] as const;
export type AccountKind = (typeof accountKinds)[number];

/** Why credits moved; with the subject it makes a transfer unique, so that no retry moves money twice. */
export const transferCauses = [
  'top_up',
  'hold',
  'hold_released',
  'payout',
  'fee',
  'payout_refunded',
  'fee_refunded',
  'earnings_released',
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

const paymentMethod = z
  .object({
    id: z.string(),
    brand: z.string(),
    last4: z.string(),
    expMonth: z.int(),
    expYear: z.int(),
    isDefault: z.boolean(),
  })
  .meta({ id: 'PaymentMethod' });

export const vaultOperations = {
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
  'vault.topUp': operation({
    id: 'vault.topUp',
    method: 'POST',
    path: '/vault/pool/top-up',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'Charge the default payment method and add the amount to the pool',
    body: z.strictObject({
      amount: z.int().min(topUpRange.min).max(topUpRange.max).meta({ description: 'Integer cents' }),
    }),
    reply: { status: 200, schema: z.object({ newBalance: cents, amountCharged: cents }) },
    errors: [
      'VALIDATION_ERROR',
      'NO_PAYMENT_METHOD',
      'CARD_DECLINED',
      'TOP_UP_IN_PROGRESS',
      'PROCESSOR_ERROR',
      'PROCESSOR_NOT_CONFIGURED',
    ],
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
  'vault.listPaymentMethods': operation({
    id: 'vault.listPaymentMethods',
    method: 'GET',
    path: '/vault/payment-methods',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'Saved payment methods',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(paymentMethod) },
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.addPaymentMethod': operation({
    id: 'vault.addPaymentMethod',
    method: 'POST',
    path: '/vault/payment-methods',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'Save a payment method; the first becomes the default',
    description: 'The test processor takes pm_card_visa (accepted) and pm_card_chargeDeclined (declined when charged).',
    body: z.strictObject({ paymentMethodId: z.string().min(1).max(200) }),
    reply: { status: 201, schema: paymentMethod },
    errors: ['VALIDATION_ERROR', 'CARD_DECLINED', 'DUPLICATE', 'PROCESSOR_ERROR', 'PROCESSOR_NOT_CONFIGURED'],
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
