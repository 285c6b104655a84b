import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { closeDispute, dispute, failRefund, refund } from './fake-payments.ts';
import { stripeScene } from './scene.ts';

/** What Stripe's books say, for reconciliation, and refunds of our own. */

const scene = stripeScene();
const processor = () => {
  const { url: apiBase, secretKey } = scene.stripe;
  return createStripeProcessor({ apiBase, secretKey, webhookSecret: null, retries: 0 });
};
const signal = () => AbortSignal.timeout(10_000);

async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) found.push(record);
  return found;
}

async function paid(amount: number): Promise<string> {
  const owner = await scene.payer();
  await owner.agora.vault.topUp({ amount });
  return scene.intentOf(owner);
}

test('charges are listed over all pages, since a time, and without those that were refused', async () => {
  scene.server.clock.advance(10_000);
  const since = scene.server.clock.now();
  const { books } = scene.stripe;
  const template = books.intents.get(await paid(500));
  for (let made = 1; made < 250; made++) {
    const id = `pi_copy_${made}`;
    books.intents.set(id, { ...structuredClone(template as NonNullable<typeof template>), id });
  }
  const refused = await scene.payer({ declines: 'insufficient_funds' });
  await refused.agora.vault.topUp({ amount: 500 }).catch(() => undefined);
  const found = await all(processor().listCharges(since, signal()));
  expect(new Set(found.map(({ ref }) => ref)).size).toBe(250);
  const { rows } = await scene.server.pool.query('select id from top_ups where processor_ref = $1', [template?.id]);
  const [{ at, ...first }] = found.slice(-1) as [(typeof found)[number]];
  expect(first).toEqual({
    ...{ ref: template?.id, intentId: rows[0].id, amountCents: 500 },
    customerRef: template?.customer,
  });
  expect(Math.abs(at.getTime() - since.getTime())).toBeLessThan(1000);
  scene.server.clock.advance(10_000);
  expect(await all(processor().listCharges(scene.server.clock.now(), signal()))).toEqual([]);
  for (const id of books.intents.keys()) if (id.startsWith('pi_copy_')) books.intents.delete(id);
});

test('refunds and disputes are listed as they stand', async () => {
  scene.server.clock.advance(10_000);
  const since = scene.server.clock.now();
  const { books } = scene.stripe;
  const intentId = await paid(1000);
  const [kept, failed] = [refund(books, intentId, 100), refund(books, intentId, 200)];
  failRefund(books, failed);
  const [lost, won] = [dispute(books, intentId, 300), dispute(books, intentId, 400)];
  closeDispute(books, lost, 'lost');
  closeDispute(books, won, 'won');
  Object.assign(dispute(books, intentId, 50), { status: 'warning_needs_response' });
  const found = await all(processor().listReversals(since, signal()));
  expect(found.map(({ ref, kind, amountCents, state }) => [ref, kind, amountCents, state]).toSorted()).toEqual(
    [
      [kept.id, 'refund', 100, 'standing'],
      [failed.id, 'refund', 200, 'undone'],
      [lost.id, 'dispute', 300, 'standing'],
      [won.id, 'dispute', 400, 'undone'],
    ].toSorted(),
  );
  expect(new Set(found.map(({ chargeRef }) => chargeRef))).toEqual(new Set([intentId]));
});

test('a refund of ours is made once under its id, and one of more than was charged fails', async () => {
  const intentId = await paid(1000);
  const request = { refundId: randomUUID(), chargeRef: intentId, amountCents: 600 };
  const made = await processor().refund(request, signal());
  expect(made).toMatchObject({ status: 'refunded', ref: expect.stringMatching(/^re_/) });
  scene.stripe.fault({ kind: 'drop after', times: 1 });
  expect(
    await processor()
      .refund(request, signal())
      .catch(() => 'unknown'),
  ).toBeDefined();
  expect(await processor().refund(request, signal())).toEqual(made);
  expect(await processor().refund({ ...request, refundId: randomUUID() }, signal())).toMatchObject({
    status: 'failed',
  });
  const state = await processor().readCharge({ chargeRef: intentId }, signal());
  expect(state?.reversals).toMatchObject([{ amountCents: 600, state: 'standing' }]);
  expect(await processor().readCharge({ chargeRef: 'pi_none' }, signal())).toBeNull();
});

test('pages that stop coming are a failure, not the end of the books', async () => {
  await paid(500);
  scene.stripe.fault({ kind: 'drop before', method: 'GET' });
  await expect(all(processor().listCharges(new Date(0), signal()))).rejects.toThrow();
});
