import { z } from 'zod';
import { cents } from './money.ts';
import { operation, page, pageQuery } from './operation.ts';

/** Smallest and largest top-up, in cents. */
export const topUpRange = { min: 500, max: 1_000_000 } as const;

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

/** How owners pay in: cards and top-ups. Part of the vault. */
export const paymentOperations = {
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
} as const;
