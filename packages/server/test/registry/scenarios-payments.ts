import { toUuid } from '@agora-market/contract';
import { expect } from 'vitest';
import { refund } from '../stripe/fake-payments.ts';
import type { TestServer } from '../support/harness.ts';
import { at, bearer, json, type Scenarios } from './scenario.ts';

type PaymentOperation =
  | 'vault.topUp'
  | 'vault.addPaymentMethod'
  | 'vault.setUpPaymentMethod'
  | 'vault.openPaymentMethodPage'
  | 'vault.removePaymentMethod'
  | 'vault.setDefaultPaymentMethod'
  | 'vault.processorWebhook';

/** Its address is as at sign-up. */
export const unverify = ({ pool }: Pick<TestServer, 'pool'>, { id }: { id: string }) =>
  pool.query('update owners set email_verified_at = null where id = $1', [toUuid('owner', id)]);

export const paymentScenarios: Pick<Scenarios, PaymentOperation> = {
  'vault.topUp': {
    NO_PAYMENT_METHOD: async ({ server }) => bearer(await server.owner({ credits: 0 })),
    CARD_DECLINED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
      return bearer(owner);
    },
    TOP_UP_IN_PROGRESS: async ({ server }, around) => {
      const owner = await server.owner({ credits: 500 });
      const letGo = around.holdCharge();
      const first = owner.agora.vault.topUp({ amount: 500 });
      for (;;) {
        const { rows } = await server.pool.query(`select from top_ups where status = 'pending'`);
        if (rows.length > 0) break;
      }
      first.then(
        () => undefined,
        () => undefined,
      );
      setTimeout(letGo, 500);
      return bearer(owner);
    },
    EMAIL_NOT_VERIFIED: async ({ server }, around) => {
      const owner = await server.owner({ credits: 2_000 });
      await unverify(server, owner);
      return { url: around.withLimits, ...bearer(owner) };
    },
    TOP_UP_HELD: async ({ server }, around) => {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
      await owner.agora.vault.topUp({ amount: 100_000 });
      return { url: around.withLimits, ...bearer(owner) };
    },
    PROCESSOR_ERROR: async ({ server }, around) => {
      const owner = await server.owner({ credits: 500 });
      around.breakProcessor();
      return bearer(owner);
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.addPaymentMethod': {
    PAYMENT_METHOD_LIMIT_REACHED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      await server.pool.query(
        `insert into payment_methods (owner_id, id, brand, last4, exp_month, exp_year, is_default, created_at)
         select id, 'pm_' || n, 'visa', '4242', 12, 2040, n = 1, created_at from owners, generate_series(1, 20) n
         where email = $1`,
        [owner.email],
      );
      return bearer(owner);
    },
    CARD_DECLINED: async () => json({ paymentMethodId: 'pm_card_unknown' }),
    DUPLICATE: async () => json({ paymentMethodId: 'pm_card_visa' }),
    PROCESSOR_ERROR: async (_world, around) => {
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.openPaymentMethodPage': {
    PROCESSOR_ERROR: async (_world, around) => {
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.setUpPaymentMethod': {
    PROCESSOR_ERROR: async (_world, around) => {
      around.breakProcessor();
      return {};
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.removePaymentMethod': {
    PAYMENT_METHOD_NOT_FOUND: async () => at('/vault/payment-methods/pm_unknown'),
    LAST_PAYMENT_METHOD: async ({ server }) => {
      const owner = await server.owner({ credits: 500 });
      const on = await fetch(`${server.url}/api/v1/vault/pool/auto-top-up`, {
        method: 'PUT',
        headers: { ...bearer(owner).headers, 'content-type': 'application/json' },
        body: JSON.stringify({ enabled: true, threshold: 500, reloadAmount: 500, maxPerDay: 500, maxPerMonth: 500 }),
      });
      expect(on.status).toBe(200);
      return { ...at('/vault/payment-methods/pm_card_visa'), ...bearer(owner) };
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
  'vault.setDefaultPaymentMethod': {
    PAYMENT_METHOD_NOT_FOUND: async () => at('/vault/payment-methods/pm_unknown/default'),
  },
  'vault.processorWebhook': {
    WEBHOOK_SIGNATURE_INVALID: async () => json({ id: 'evt_1', type: 'payment_intent.succeeded' }),
    PROCESSOR_ERROR: async (_world, { stripe, withStripe }) => {
      const [intent] = stripe.books.intents.keys();
      refund(stripe.books, intent as string, 1);
      const [event] = stripe.webhooks.take().filter(({ type }) => type === 'charge.refunded');
      stripe.fault({ kind: 'drop before' });
      return { url: withStripe, ...stripe.webhooks.sign(event as NonNullable<typeof event>) };
    },
    PROCESSOR_NOT_CONFIGURED: async (_world, around) => ({ url: around.withoutProcessor }),
  },
};
