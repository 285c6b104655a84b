import { z } from 'zod';
import { topUpRange } from './limits.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery } from './operation.ts';

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

const methodParams = z.object({ paymentMethodId: z.string() });

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
    description: 'The test processor knows pm_card_visa (accepted) and pm_card_chargeDeclined (declined when charged).',
    body: z.strictObject({ paymentMethodId: z.string().min(1).max(200) }),
    reply: { status: 201, schema: paymentMethod },
    errors: [
      'VALIDATION_ERROR',
      'CARD_DECLINED',
      'PAYMENT_METHOD_LIMIT_REACHED',
      'DUPLICATE',
      'PROCESSOR_ERROR',
      'PROCESSOR_NOT_CONFIGURED',
    ],
  }),
  'vault.setUpPaymentMethod': operation({
    id: 'vault.setUpPaymentMethod',
    method: 'POST',
    path: '/vault/payment-methods/setup',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'Start saving a card in a browser',
    description:
      "The client secret opens the processor's form. The form confirms the card with the bank if the bank asks " +
      'for it. Save the resulting payment method with `POST /vault/payment-methods`.',
    reply: {
      status: 201,
      schema: z
        .object({
          clientSecret: z.string().meta({ description: 'For this card only; keep it secret' }),
          processor: z
            .string()
            .meta({ description: 'The processor whose form to open, for example `stripe`', examples: ['stripe'] }),
        })
        .meta({ id: 'PaymentMethodSetup' }),
    },
    errors: ['PROCESSOR_ERROR', 'PROCESSOR_NOT_CONFIGURED'],
  }),
  'vault.removePaymentMethod': operation({
    id: 'vault.removePaymentMethod',
    method: 'DELETE',
    path: '/vault/payment-methods/:paymentMethodId',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: 'Remove a payment method; if it was the default, the newest of the others becomes the default',
    params: methodParams,
    reply: { status: 204 },
    errors: ['PAYMENT_METHOD_NOT_FOUND', 'LAST_PAYMENT_METHOD', 'PROCESSOR_NOT_CONFIGURED'],
  }),
  'vault.setDefaultPaymentMethod': operation({
    id: 'vault.setDefaultPaymentMethod',
    method: 'POST',
    path: '/vault/payment-methods/:paymentMethodId/default',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Make this payment method the default',
    params: methodParams,
    reply: { status: 200, schema: paymentMethod },
    errors: ['PAYMENT_METHOD_NOT_FOUND'],
  }),
  'vault.processorWebhook': operation({
    id: 'vault.processorWebhook',
    method: 'POST',
    path: '/vault/processor/webhook',
    auth: 'public',
    area: 'processor',
    tx: 'external',
    summary: 'For the payment processor: reports charges, refunds, disputes, cards and payouts',
    description:
      'The processor signs the body as sent. An event that was handled before is acknowledged and not ' +
      'handled again. An event that cannot be handled now is refused with 5xx, so that the processor resends it.',
    rawBody: true,
    reply: { status: 200, schema: z.object({ received: z.literal(true), duplicate: z.boolean() }) },
    errors: ['WEBHOOK_SIGNATURE_INVALID', 'PROCESSOR_ERROR', 'PROCESSOR_NOT_CONFIGURED'],
  }),
} as const;
