import { z } from 'zod';
import { topUpRange } from './limits.ts';
import { cents } from './money.ts';
import { operation, page, pageQuery, timestamp } from './operation.ts';

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
      'EMAIL_NOT_VERIFIED',
      'TOP_UP_HELD',
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
    description:
      'The test processor knows pm_card_visa, pm_card_mastercard, pm_card_amex and others of Stripe (accepted), and pm_card_chargeDeclined (declined when charged).',
    body: z.strictObject({
      paymentMethodId: z.string().min(1).max(200).meta({
        description:
          "The processor's id of the card, or what its page for cards added to the address (`POST /vault/payment-methods/page`)",
      }),
    }),
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
  'vault.openPaymentMethodPage': operation({
    id: 'vault.openPaymentMethodPage',
    method: 'POST',
    path: '/vault/payment-methods/page',
    auth: 'owner',
    area: 'general',
    tx: 'external',
    summary: "Open a page of the processor's own, on which the owner enters a card",
    description:
      'The browser opens `url` and comes back to `returnUrl`. Where a card was entered, the address then has the ' +
      'parameter `paymentMethodId` for `POST /vault/payment-methods`. The test processor comes back at once, with a test card.',
    body: z.strictObject({
      returnUrl: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .meta({ description: 'Where the browser goes afterwards, also where no card was entered' }),
    }),
    reply: {
      status: 201,
      schema: z.object({ url: z.string(), expiresAt: timestamp }).meta({ id: 'PaymentMethodPage' }),
    },
    errors: ['VALIDATION_ERROR', 'PROCESSOR_ERROR', 'PROCESSOR_NOT_CONFIGURED'],
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
