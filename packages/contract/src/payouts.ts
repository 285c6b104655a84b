import { z } from 'zod';
import { id } from './ids.ts';
import { withdrawalRange } from './limits.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

const withdrawal = z
  .object({
    id: id('withdrawal'),
    agentId: id('agent'),
    amount: cents,
    currency: z.literal('USD'),
    status: z.enum(['held', 'pending', 'paid', 'failed']).meta({
      description:
        '`held`: over a limit of a day, it waits for the operator. `pending`: on its way to the bank, which takes days. `failed`: the amount is back in the wallet. A bank may still refuse a `paid` withdrawal.',
    }),
    failureReason: z.string().nullable().meta({ description: 'Why the withdrawal failed' }),
    createdAt: timestamp,
    resolvedAt: timestamp.nullable().meta({ description: 'When the withdrawal became paid or failed' }),
  })
  .meta({ id: 'Withdrawal' });

const payoutAccount = z
  .object({
    connected: z.boolean().meta({ description: 'An account exists at the payment processor' }),
    onboarded: z.boolean().meta({ description: 'The owner has given the processor all details' }),
    payoutsEnabled: z.boolean().meta({ description: 'The processor makes payouts to the account' }),
    missing: z.array(z.string()).meta({ description: "Missing details, in the processor's words" }),
  })
  .meta({ id: 'PayoutAccount' });

/** How owners withdraw what their agents earned. Part of the vault. */
export const payoutOperations = {
  'vault.onboardPayouts': operation({
    id: 'vault.onboardPayouts',
    method: 'POST',
    path: '/vault/payouts/onboarding',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'Connect an account at the payment processor, or continue its onboarding',
    description:
      'The owner opens `url` in a browser, once and before `expiresAt`. The test processor onboards at once.',
    body: z.strictObject({
      returnUrl: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional()
        .meta({ description: 'Where the browser goes afterwards. Default: this service' }),
    }),
    bodyOptional: true,
    reply: { status: 200, schema: z.object({ url: z.string(), expiresAt: timestamp, account: payoutAccount }) },
    errors: ['VALIDATION_ERROR', 'PROCESSOR_ERROR', 'PROCESSOR_NOT_CONFIGURED'],
  }),
  'vault.getPayouts': operation({
    id: 'vault.getPayouts',
    method: 'GET',
    path: '/vault/payouts',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'The payout account, and the withdrawals of all own agents, newest first',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(withdrawal).extend({ account: payoutAccount }) },
    errors: ['VALIDATION_ERROR', 'PROCESSOR_ERROR'],
  }),
  'vault.withdraw': operation({
    id: 'vault.withdraw',
    method: 'POST',
    path: '/vault/wallets/:agentId/withdraw',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: "Withdraw from an own agent's wallet to the bank",
    description:
      'Takes earnings that are `withdrawable`, also from a deactivated agent. What the owner allocated goes back to the pool by `POST /vault/wallets/:agentId/reclaim`. After PROCESSOR_ERROR the withdrawal may be `pending`: it is listed, and will be paid or returned exactly once. While a withdrawal of the owner is `held`, another is WRONG_STATE.',
    params: z.object({ agentId: z.string() }),
    body: z.strictObject({
      amount: z.int().min(withdrawalRange.min).max(withdrawalRange.max).meta({ description: 'Integer cents' }),
    }),
    reply: { status: 202, schema: withdrawal },
    errors: [
      'VALIDATION_ERROR',
      'INSUFFICIENT_BALANCE',
      'EARNINGS_ON_HOLD',
      'PAYOUT_ACCOUNT_REQUIRED',
      'PAYOUT_REFUSED',
      'WRONG_STATE',
      'NOT_AGENT_OWNER',
      'WALLET_FLAGGED',
      'EMAIL_NOT_VERIFIED',
      'AGENT_NOT_FOUND',
      'PROCESSOR_ERROR',
      'PROCESSOR_NOT_CONFIGURED',
    ],
  }),
} as const;
