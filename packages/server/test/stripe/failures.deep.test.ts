import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { refusalOf, startSecondApp } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import type { Fault } from './fake.ts';
import { stripeScene } from './scene.ts';

const scene = stripeScene({ attemptTimeoutMs: 1500 });
const pay = (owner: TestOwner) => refusalOf(owner.agora.vault.topUp({ amount: 500 }));
const stateOf = async (owner: TestOwner) => ({
  balance: await scene.balanceOf(owner),
  charges: await scene.chargesOf(owner),
  topUps: await scene.topUpsOf(owner),
});

/** Ways of Stripe to fail after which it has charged the card, and those after which it has not. */
const chargedAnyway: [string, Fault][] = [
  ['hangs after the charge', { kind: 'hang after' }],
  ['answers 500 after the charge', { kind: '500 after' }],
  ['drops the connection after the charge', { kind: 'drop after' }],
];
const notCharged: [string, Fault][] = [
  ['hangs', { kind: 'hang' }],
  ['answers 500', { kind: '500 before' }],
  ['drops the connection', { kind: 'drop before' }],
  ['is overrun', { kind: '429' }],
  ['answers with HTML', { kind: 'garbage' }],
  ['answers with a JSON text', { kind: 'garbage', text: '"ok"' }],
  ['answers with null', { kind: 'garbage', text: 'null' }],
  ['answers with an empty object', { kind: 'garbage', text: '{}' }],
  ['answers with another object', { kind: 'garbage', text: '{"object":"customer","id":"cus_1","status":"succeeded"}' }],
  ['answers with nothing', { kind: 'garbage', text: '' }],
  ...[
    {},
    { id: { a: 1 } },
    { id: 'pi_1' },
    { id: 'pi_1', amount: 500, currency: 'usd', metadata: { agora_intent_id: randomUUID() } },
    { id: 'pi_1', amount: 500, currency: 'usd', metadata: null, latest_charge: 'ch_1' },
  ].map((fields): [string, Fault] => {
    const text = JSON.stringify({ object: 'payment_intent', status: 'succeeded', ...fields });
    return [`answers with a charge that is not ours, ${text}`, { kind: 'garbage', text }];
  }),
  ['answers with a refusal of nobody', { kind: 'garbage', text: '{"object":"payment_intent","status":"canceled"}' }],
];
const path = '/v1/payment_intents';

describe('when Stripe fails, a top-up is 502 within 15 s and settled later', () => {
  test.each(chargedAnyway)('it %s: credited once by the sweep', async (_name, fault) => {
    const owner = await scene.payer();
    scene.stripe.fault({ ...fault, path, method: 'POST' });
    expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
    scene.stripe.mend();
    expect(await pay(owner)).toBe('409 TOP_UP_IN_PROGRESS');
    expect(await stateOf(owner)).toEqual({ balance: 0, charges: [500], topUps: ['pending'] });
    await Promise.all([scene.sweepLater(), scene.sweepLater()]);
    expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
    expect(await pay(owner)).toBe('no refusal');
  });

  test.each(notCharged)('it %s: given up by the sweep, nothing charged', async (_name, fault) => {
    const owner = await scene.payer();
    scene.stripe.fault({ ...fault, path, method: 'POST' });
    expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
    await scene.sweepLater();
    expect(await stateOf(owner)).toEqual({ balance: 0, charges: [], topUps: ['failed'] });
    scene.stripe.mend();
    expect(await pay(owner)).toBe('no refusal');
    expect(await scene.chargesOf(owner)).toEqual([500]);
  });

  test('it stays away: the intent stays pending however often it is looked up, and is settled once it is back', async () => {
    const owner = await scene.payer();
    scene.stripe.fault({ kind: '500 after', path, method: 'POST' });
    scene.stripe.fault({ kind: 'drop before', method: 'GET' });
    expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
    await scene.sweepLater();
    await scene.sweepLater();
    expect(await scene.topUpsOf(owner)).toEqual(['pending']);
    scene.stripe.mend();
    await scene.sweepLater();
    expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
  });

  test('the SDK tries again by itself with the same key, and the card is charged once', async () => {
    const owner = await scene.payer();
    const { url: apiBase, secretKey, webhookSecret } = scene.stripe;
    const processor = createStripeProcessor({ apiBase, secretKey, webhookSecret, attemptTimeoutMs: 1000 });
    const second = await startSecondApp(scene.server, { processor });
    const agora = owner.agora.withOptions({ baseUrl: second.url });
    try {
      for (const kind of ['hang after', 'drop after', 'hang', '500 before'] as const) {
        scene.stripe.fault({ kind, path, method: 'POST', times: 1 });
        await agora.vault.topUp({ amount: 500 });
      }
    } finally {
      await second.app.close();
    }
    expect(await stateOf(owner)).toMatchObject({ balance: 2000, charges: [500, 500, 500, 500] });
  });

  test('the same Idempotency-Key after the key at Stripe is forgotten does not charge again', async () => {
    const owner = await scene.payer();
    const payKeyed = () => refusalOf(owner.agora.vault.topUp({ amount: 500 }, { idempotencyKey: 'mine' }));
    scene.stripe.fault({ kind: '500 after', path, method: 'POST' });
    expect(await payKeyed()).toBe('502 PROCESSOR_ERROR');
    scene.stripe.mend();
    scene.stripe.forgetKeys();
    expect(await payKeyed()).toBe('no refusal');
    expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
  });

  test('a bank that takes its time: 502, then credited when it has decided', async () => {
    const owner = await scene.payer('takes its time');
    expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
    await scene.sweepLater();
    expect(await scene.topUpsOf(owner)).toEqual(['pending']);
    const intent = scene.stripe.books.intents.get(await scene.intentOf(owner));
    Object.assign(intent as object, { status: 'succeeded', amount_received: 500 });
    await scene.sweepLater();
    expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
  });
});

test('64 intents while Stripe hangs: a sweep asks about some, waits for one call and asks less and less often', async () => {
  const owners = await Promise.all(Array.from({ length: 64 }, () => scene.server.owner({ credits: 0 })));
  await scene.server.pool.query(
    `insert into top_ups (id, owner_id, amount, payment_method_id, correlation_id, created_at)
     select gen_random_uuid(), id, 500, 'pm_x', 'crashed', $2 from owners where email = any($1)`,
    [owners.map(({ email }) => email), scene.server.clock.now()],
  );
  scene.stripe.fault({ kind: 'hang' });
  const asked = async () => {
    const before = scene.stripe.seen.length;
    await scene.server.app.sweep();
    return scene.stripe.seen.length - before;
  };
  scene.server.clock.advance(60_000);
  const first = asked();
  // All of them at once, so that it waits for the time of one.
  await expect.poll(() => scene.stripe.open()).toBe(10);
  expect(await first).toBe(10);
  expect(await asked()).toBe(10);
  for (let turn = 0; turn < 5; turn++) await asked();
  expect(await asked()).toBe(0);
  scene.stripe.mend();
  scene.server.clock.advance(30_000);
  expect(await asked()).toBe(64);
  const { rows } = await scene.server.pool.query(`select count(*)::int as open from top_ups where status = 'pending'`);
  expect(rows).toEqual([{ open: 0 }]);
});

test('a customer that was deleted at Stripe keeps nothing pending, and what it paid before is still found', async () => {
  const owner = await scene.payer();
  const deleteCustomer = async () =>
    scene.stripe.books.customers.delete(
      scene.stripe.books.intents.get(await scene.intentOf(owner))?.customer as string,
    );
  scene.stripe.fault({ kind: '500 after', path, method: 'POST' });
  expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
  scene.stripe.mend();
  await deleteCustomer();
  await scene.sweepLater();
  expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
  expect(await pay(owner)).toBe('400 CARD_DECLINED');
  expect(await scene.topUpsOf(owner)).toEqual(['succeeded', 'failed']);
});

describe('a crash between intent, call and result', () => {
  test('before the call: the intent is found and given up', async () => {
    const owner = await scene.payer();
    await scene.server.pool.query(
      `insert into top_ups (id, owner_id, amount, payment_method_id, correlation_id, created_at)
       select gen_random_uuid(), id, 500, 'pm_x', 'crashed', $2 from owners where email = $1`,
      [owner.email, scene.server.clock.now()],
    );
    expect(await pay(owner)).toBe('409 TOP_UP_IN_PROGRESS');
    await scene.sweepLater();
    expect(await stateOf(owner)).toEqual({ balance: 0, charges: [], topUps: ['failed'] });
  });

  test('after the call: another process finds the charge and books it once', async () => {
    const owner = await scene.payer();
    const { url: apiBase, secretKey, webhookSecret } = scene.stripe;
    const doomed = await startSecondApp(scene.server, {
      processor: createStripeProcessor({ apiBase, secretKey, webhookSecret }),
    });
    const letGo = scene.stripe.hold(path);
    const lost = refusalOf(owner.agora.withOptions({ baseUrl: doomed.url }).vault.topUp({ amount: 500 }));
    await expect.poll(() => scene.topUpsOf(owner)).toEqual(['pending']);
    // Its database goes first, so that the reply of Stripe finds nobody who could book it.
    await doomed.app.pool.end();
    letGo();
    expect(await lost).not.toBe('no refusal');
    await doomed.app.close();
    expect(await stateOf(owner)).toEqual({ balance: 0, charges: [500], topUps: ['pending'] });
    await scene.sweepLater();
    expect(await stateOf(owner)).toEqual({ balance: 500, charges: [500], topUps: ['succeeded'] });
  });
});

describe('other operations', () => {
  test.each(['hang', '500 before', 'drop before', '429', 'garbage'] as const)(
    'Stripe: %s. Setting up and saving a card are 502, and nothing is saved',
    async (kind) => {
      const owner = await scene.server.owner({ credits: 0 });
      scene.stripe.fault({ kind });
      expect(await refusalOf(owner.agora.vault.setUpPaymentMethod())).toBe('502 PROCESSOR_ERROR');
      expect(await refusalOf(openPage(owner))).toBe('502 PROCESSOR_ERROR');
      const saving = owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
      expect(await refusalOf(saving)).toBe('502 PROCESSOR_ERROR');
      expect((await owner.agora.vault.listPaymentMethods()).data).toEqual([]);
    },
  );

  const setUp = ({ agora }: TestOwner) => agora.vault.setUpPaymentMethod();
  const openPage = ({ agora }: TestOwner) =>
    agora.vault.openPaymentMethodPage({ returnUrl: 'https://agora.example/vault' });
  const save = ({ agora }: TestOwner) => agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  test.each([
    ['/v1/customers', '{"object":"customer"}', setUp],
    ['/v1/customers', '{"object":"customer"}', save],
    ['/v1/setup_intents', '{"object":"setup_intent","id":"seti_1","client_secret":{}}', setUp],
    ['/v1/checkout', '{"object":"checkout.session","id":"cs_1","url":null,"expires_at":1}', openPage],
    ['/v1/checkout', '{"object":"checkout.session","id":"cs_1","url":"https://stripe.example"}', openPage],
    ['/v1/payment_methods', '{"object":"payment_method","id":"pm_1","card":{}}', save],
  ] as const)('another thing than was asked for (%s: %s) is 502, and nothing is saved', async (path, text, ask) => {
    const owner = await scene.server.owner({ credits: 0 });
    scene.stripe.fault({ kind: 'garbage', text, path });
    expect(await refusalOf(ask(owner))).toBe('502 PROCESSOR_ERROR');
    expect((await owner.agora.vault.listPaymentMethods()).data).toEqual([]);
  });

  test('a wrong secret key is 502, and the key is in neither reply nor log', async () => {
    const lines: string[] = [];
    const log = { info: (...line: unknown[]) => lines.push(JSON.stringify(line)) };
    const { url: apiBase } = scene.stripe;
    const processor = createStripeProcessor({ apiBase, secretKey: 'sk_test_wrong', webhookSecret: null });
    const failure = await processor
      .setUpMethod({ ownerId: 'o', customerRef: null }, AbortSignal.timeout(5000))
      .catch((error: Error) => error);
    log.info(failure, String(failure), (failure as Error).stack);
    expect(lines.join()).toContain('the secret key was not accepted');
    expect(lines.join()).not.toContain('sk_test_wrong');
  });

  test('a call ends when its signal aborts, though attempts would go on', async () => {
    const { url: apiBase, secretKey } = scene.stripe;
    const processor = createStripeProcessor({ apiBase, secretKey, webhookSecret: null, retries: 3 });
    scene.stripe.fault({ kind: 'hang' });
    const before = scene.stripe.seen.length;
    const call = processor.readCharge({ chargeRef: 'pi_1' }, AbortSignal.timeout(100));
    await expect(call).rejects.toThrow();
    // The attempts that follow an abort must not reach Stripe.
    expect(scene.stripe.seen.length - before).toBe(1);
  });
});
