import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { refusalOf, startSecondApp } from '../api/scene.ts';
import { stripeScene } from './scene.ts';

/** Who may tell us of charges, and how long we remember what was told. */

const scene = stripeScene();
const handled = { status: 200, body: { received: true, duplicate: false } };
const known = { status: 200, body: { received: true, duplicate: true } };

const invalid = { status: 400, body: { success: false, error: { code: 'WEBHOOK_SIGNATURE_INVALID' } } };
const news = async () => {
  const owner = await scene.payer();
  scene.stripe.fault({ kind: 'drop after', path: '/v1/payment_intents', method: 'POST' });
  await refusalOf(owner.agora.vault.topUp({ amount: 500 }));
  scene.stripe.mend();
  const [event] = scene.stripe.webhooks.take().filter(({ type }) => type === 'payment_intent.succeeded');
  return { owner, event: event as Stripe.Event };
};
const minutesAgo = (minutes: number) => new Date(scene.server.clock.now().getTime() - minutes * 60_000);

test('another secret, a changed body, a stale or a future time are 400 and book nothing', async () => {
  const { owner, event } = await news();
  for (const how of [
    { secret: 'whsec_another' },
    { forge: (body: string) => body.replace('500', '900') },
    { forge: (body: string) => `${body} ` },
    { signedAt: minutesAgo(5.1) },
    { signedAt: minutesAgo(-5.1) },
  ]) {
    expect(await scene.deliver(event, how)).toMatchObject(invalid);
  }
  expect(await scene.balanceOf(owner)).toBe(0);
  expect(await scene.deliver(event, { signedAt: minutesAgo(4.9) })).toEqual(handled);
  expect(await scene.balanceOf(owner)).toBe(500);
});

test('no signature, an empty body and no JSON are 400', async () => {
  const to = `${scene.server.url}/api/v1/vault/processor/webhook`;
  const headers = { 'content-type': 'application/json' };
  for (const body of ['{}', '']) {
    const reply = await fetch(to, { method: 'POST', headers, body });
    expect({ status: reply.status, body: await reply.json() }).toMatchObject(invalid);
  }
  const broken = await fetch(to, { method: 'POST', headers, body: '{' });
  expect([broken.status, ((await broken.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
});

test.each(['t=,v1=', 't=now,v1=', 'v1=', 't=1,v1=é', ',', 't=1,t=2,v1=00', ''])(
  'a header that is no signature (%j) is 400 also for a body of the right form',
  async (signature) => {
    const { event } = await news();
    const { body } = scene.stripe.webhooks.sign(event);
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const reply = await fetch(`${scene.server.url}/api/v1/vault/processor/webhook`, { method: 'POST', headers, body });
    expect({ status: reply.status, body: await reply.json() }).toMatchObject(invalid);
  },
);

test('a body over the limit is 413', async () => {
  const { event } = await news();
  const forge = (body: string) => body.padEnd(1024 * 1024 + 1);
  expect(await scene.deliver(event, { forge })).toMatchObject({ status: 413 });
  expect(await scene.deliver(event)).toEqual(handled);
});

test('without the secret for webhooks the operation is 503', async () => {
  const { url: apiBase, secretKey } = scene.stripe;
  const processor = createStripeProcessor({ apiBase, secretKey, webhookSecret: null });
  const second = await startSecondApp(scene.server, { processor });
  const event = scene.stripe.books.emit('payment_intent.succeeded', { id: 'pi_1', object: 'payment_intent' });
  try {
    const to = `${second.url}/api/v1/vault/processor/webhook`;
    const refusal = { status: 503, body: { error: { code: 'PROCESSOR_NOT_CONFIGURED' } } };
    expect(await scene.stripe.webhooks.deliver(to, event)).toMatchObject(refusal);
  } finally {
    await second.app.close();
  }
});

test('a handled event is known for a week and then forgotten', async () => {
  const { event } = await news();
  expect(await scene.deliver(event)).toEqual(handled);
  scene.server.clock.advance(6 * 24 * 3_600_000);
  await scene.server.app.sweep();
  expect(await scene.deliver(event)).toEqual(known);
  scene.server.clock.advance(2 * 24 * 3_600_000);
  await scene.server.app.sweep();
  const { rows } = await scene.server.pool.query('select count(*)::int as count from processor_events where id = $1', [
    event.id,
  ]);
  expect(rows).toEqual([{ count: 0 }]);
});
