import { randomUUID } from 'node:crypto';
import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { createStripeClient } from '../../src/vault/payments/stripe-client.ts';

/**
 * A second opinion on what we send: an emulator that others wrote. It knows customers and payment intents, confirms
 * none by itself, and answers what it does not know without Stripe's error shape.
 */

let emulator: Emulator;
const secretKey = 'sk_test_emulated';
const options = () => ({ apiBase: emulator.url, secretKey, webhookSecret: null, retries: 0 });
const signal = () => AbortSignal.timeout(5000);
const act = (path: string) =>
  fetch(emulator.url + path, { method: 'POST', headers: { authorization: `Bearer ${secretKey}` } });

beforeAll(async () => {
  emulator = await createEmulator({ service: 'stripe', port: 0 });
});
afterAll(() => emulator.close());

async function begin() {
  const processor = createStripeProcessor(options());
  const customer = await createStripeClient(options())(signal(), (stripe) => stripe.customers.create({}));
  const charge = {
    intentId: randomUUID(),
    customerRef: customer.id,
    paymentMethodId: 'pm_card_visa',
    amountCents: 700,
  };
  const lookUp = () =>
    processor.lookUpCharge({ intentId: charge.intentId, customerRef: customer.id, madeAt: new Date() }, signal());
  return { processor, charge, lookUp };
}

test('a charge is found by its metadata, and says what became of it', async () => {
  const { processor, charge, lookUp } = await begin();
  expect(await processor.charge(charge, signal())).toEqual({ status: 'pending' });
  expect(await lookUp()).toEqual({ status: 'pending' });
  const intents = await fetch(`${emulator.url}/v1/payment_intents?customer=${charge.customerRef}`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  const [intent] = ((await intents.json()) as { data: { id: string; amount: number; currency: string }[] }).data;
  expect(intent).toMatchObject({ amount: 700, currency: 'usd', metadata: { agora_intent_id: charge.intentId } });
  await act(`/v1/payment_intents/${intent?.id}/confirm`);
  expect(await lookUp()).toEqual({ status: 'succeeded', ref: intent?.id });
});

test('a canceled charge is declined', async () => {
  const { processor, charge, lookUp } = await begin();
  await processor.charge(charge, signal());
  const all = await createStripeClient(options())(signal(), (stripe) =>
    stripe.paymentIntents.list({ customer: charge.customerRef }),
  );
  await act(`/v1/payment_intents/${all.data[0]?.id}/cancel`);
  expect(await lookUp()).toEqual({ status: 'declined', reason: 'The payment was canceled.' });
});

test('what it does not know is a failure, never an outcome', async () => {
  const { processor, charge, lookUp } = await begin();
  // It cannot search, which is how a charge is looked for that the list of the customer lacks.
  await expect(lookUp()).rejects.toThrow();
  const { customerRef } = charge;
  await expect(processor.setUpMethod({ ownerId: 'o', customerRef }, signal())).rejects.toThrow();
  const unknown = { ownerId: 'o', customerRef, paymentMethodId: 'pm_card_visa' };
  await expect(processor.saveMethod(unknown, signal())).rejects.toThrow();
  await expect(processor.refund({ refundId: 'r', chargeRef: 'pi_1', amountCents: 1 }, signal())).rejects.toThrow();
});
