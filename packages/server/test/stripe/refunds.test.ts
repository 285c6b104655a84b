import { toUuid } from '@agora-market/contract';
import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { closeDispute, dispute, failRefund, refund as refundAtStripe, takeRefund } from './fake-payments.ts';
import { refundScene } from './refund-scene.ts';

/** The operator gives money of a top-up back, and Stripe answers as it should. */

const { scene, paid, refund, outcomeOf, stateOf, openOf, expectNothingRaised } = refundScene();
const path = '/v1/refunds';
const news = (...types: string[]) =>
  scene.stripe.webhooks.take().filter(({ type }) => types.includes(type)) as [Stripe.Event, ...Stripe.Event[]];
const refundOf = (intentId: string) =>
  [...scene.stripe.books.refunds.values()].find((made) => made.payment_intent === intentId) as Stripe.Refund;

describe('what a refund gives back', () => {
  test('all that is left of the top-up, unless an amount is named, and never more', async () => {
    const top = await paid();
    expect(await refund(top, { amount: 300 })).toEqual({
      id: expect.stringMatching(/^rfd_/),
      topUpId: top.topUpId,
      amount: 300,
      currency: 'USD',
      status: 'succeeded',
      newBalance: 700,
    });
    expect(await outcomeOf(refund(top, { amount: 701 }))).toBe('400 REFUND_EXCEEDS_TOP_UP');
    expect(await refund(top)).toMatchObject({ amount: 700, newBalance: 0 });
    expect(await outcomeOf(refund(top))).toBe('400 REFUND_EXCEEDS_TOP_UP');
    expect(await stateOf(top)).toEqual({
      balance: 0,
      moves: ['top_up 1000', 'top_up_refunded -300', 'top_up_refunded -700'],
      atStripe: ['300 succeeded', '700 succeeded'],
    });
    await expectNothingRaised();
  });

  test('Stripe shows the id that the operator may name, and is told ours of the refund', async () => {
    const top = await paid();
    const shown = scene.stripe.books.intents.get(top.intentId)?.metadata.agora_intent_id as string;
    const made = await refund({ topUpId: shown.toUpperCase() });
    expect(made.topUpId).toBe(top.topUpId);
    expect(refundOf(top.intentId).metadata).toEqual({ agora_intent_id: toUuid('refund', made.id) });
  });

  test('the owner is told, with the reason and who did it', async () => {
    const top = await paid();
    const { id } = await refund(top, { amount: 1, reason: 'Goodwill', by: 'Ada' });
    const { rows } = await scene.server.pool.query(
      `select data from events e join owners o on o.id = e.owner_id where o.email = $1 and type = 'pool.top_up_refunded'`,
      [top.owner.email],
    );
    const data = { kind: 'refund', amount: 1, taken: 1, missing: 0, refundId: id, reason: 'Goodwill', by: 'Ada' };
    expect(rows).toEqual([{ data }]);
  });

  test('what the owner has spent does not come back, and the refusal says what there is', async () => {
    const top = await paid();
    const { id } = await top.owner.agent();
    await top.owner.agora.vault.allocate(id, { amount: 400 });
    await expect(refund(top)).rejects.toMatchObject({
      status: 400,
      code: 'INSUFFICIENT_BALANCE',
      details: { required: 1000, available: 600 },
    });
    expect(await refund(top, { amount: 600 })).toMatchObject({ newBalance: 0 });
  });

  test('what went back by a dispute or from the dashboard is not given back again', async () => {
    const top = await paid();
    const { books } = scene.stripe;
    refundAtStripe(books, top.intentId, 100);
    dispute(books, top.intentId, 200);
    for (const event of news('charge.refunded', 'charge.dispute.created')) await scene.deliver(event);
    expect(await refund(top)).toMatchObject({ amount: 700, newBalance: 0 });
    await expectNothingRaised();
  });

  test('nothing of an owner whose pool has not yet paid what went back before', async () => {
    const [first, books] = [await paid(), scene.stripe.books];
    const { id } = await first.owner.agent();
    await first.owner.agora.vault.allocate(id, { amount: 1000 });
    dispute(books, first.intentId);
    await scene.deliver(news('charge.dispute.created')[0]);
    scene.server.clock.advance(1000);
    await first.owner.agora.vault.topUp({ amount: 500 });
    const [second] = (await first.owner.agora.vault.poolTransactions({ cause: 'top_up' })).data;
    expect(await outcomeOf(refund({ topUpId: second?.id as string }))).toBe('400 WRONG_STATE');
    closeDispute(books, [...books.disputes.values()].at(-1) as Stripe.Dispute, 'won');
    await scene.deliver(news('charge.dispute.closed')[0]);
    expect(await outcomeOf(refund({ topUpId: second?.id as string }))).toBe('202 succeeded');
  });

  test('not while auto-top-up would charge the card for it again', async () => {
    const top = await paid();
    const set = (enabled: boolean) =>
      top.owner.agora.vault.setAutoTopUp({
        enabled,
        threshold: 500,
        reloadAmount: 500,
        maxPerDay: 5000,
        maxPerMonth: 5000,
      });
    await set(true);
    expect(await outcomeOf(refund(top, { amount: 501 }))).toBe('400 WRONG_STATE');
    expect(await outcomeOf(refund(top, { amount: 500 }))).toBe('202 succeeded');
    await set(false);
    expect(await outcomeOf(refund(top))).toBe('202 succeeded');
  });
});

describe('a refund that Stripe refuses or its bank sends back', () => {
  test('refused: 400, the credits are back, and it can be tried again', async () => {
    const top = await paid();
    // Somebody has refunded it in the dashboard, and nobody has told us.
    const elsewhere = refundAtStripe(scene.stripe.books, top.intentId, 600);
    await expect(refund(top)).rejects.toMatchObject({
      status: 400,
      code: 'REFUND_REFUSED',
      details: { reason: 'Refund amount is greater than unrefunded amount' },
    });
    expect(await scene.balanceOf(top.owner)).toBe(1000);
    failRefund(scene.stripe.books, elsewhere);
    expect(await outcomeOf(refund(top))).toBe('202 succeeded');
    expect((await stateOf(top)).moves.slice(1)).toEqual([
      'top_up_refunded -1000',
      'top_up_reinstated 1000',
      'top_up_refunded -1000',
    ]);
    await expectNothingRaised();
  });

  test('failed at once: 400, and the news of it change nothing', async () => {
    const top = await paid();
    scene.stripe.books.refundsAre = 'failed';
    expect(await outcomeOf(refund(top))).toBe('400 REFUND_REFUSED');
    const event = scene.stripe.books.emit('refund.failed', refundOf(top.intentId));
    await scene.deliver(event);
    expect(await stateOf(top)).toEqual({
      balance: 1000,
      moves: ['top_up 1000', 'top_up_refunded -1000', 'top_up_reinstated 1000'],
      atStripe: ['1000 failed'],
    });
    await expectNothingRaised();
  });

  test.each([
    ['the webhook', (event: Stripe.Event) => scene.deliver(event)],
    ['the sweep', () => scene.sweepLater()],
  ])('pending, then failed: %s brings the credits back, once', async (_who, tell) => {
    const top = await paid();
    scene.stripe.books.refundsAre = 'pending';
    expect(await refund(top)).toMatchObject({ status: 'pending', newBalance: 0 });
    expect(await outcomeOf(refund(top))).toBe('409 REFUND_IN_PROGRESS');
    await expectNothingRaised();
    failRefund(scene.stripe.books, refundOf(top.intentId));
    const [event] = news('refund.failed');
    await Promise.all([tell(event), tell(event), tell(event)]);
    await scene.sweepLater();
    expect(await stateOf(top)).toMatchObject({ balance: 1000, atStripe: ['1000 failed'] });
    expect((await stateOf(top)).moves.slice(2)).toEqual(['top_up_reinstated 1000']);
    await expectNothingRaised();
  });

  test.each([
    ['the webhook', (event: Stripe.Event) => scene.deliver(event)],
    ['the sweep', () => scene.sweepLater()],
  ])('pending, then taken: %s ends it, and the bank may still send it back', async (_who, tell) => {
    const top = await paid();
    scene.stripe.books.refundsAre = 'pending';
    await refund(top, { amount: 900 });
    takeRefund(scene.stripe.books, refundOf(top.intentId));
    await tell(news('refund.updated')[0]);
    expect(await openOf(top)).toBe(0);
    failRefund(scene.stripe.books, refundOf(top.intentId));
    await scene.deliver(news('refund.failed')[0]);
    expect((await stateOf(top)).moves.slice(1)).toEqual(['top_up_refunded -900', 'top_up_reinstated 900']);
    await expectNothingRaised();
  });
});

describe('news of a refund of ours', () => {
  test('after the reply change nothing, and neither does reconciliation', async () => {
    const top = await paid();
    await refund(top, { amount: 250 });
    for (const event of news('charge.refunded')) await scene.deliver(event);
    expect((await stateOf(top)).moves).toEqual(['top_up 1000', 'top_up_refunded -250']);
    await expectNothingRaised();
  });

  test('before the reply settle it, and the reply finds it settled', async () => {
    const top = await paid();
    const letGo = scene.stripe.holdReplies(path);
    const reply = refund(top, { amount: 250 });
    await expect.poll(() => refundOf(top.intentId)).toBeDefined();
    const [event] = news('charge.refunded');
    expect(await openOf(top)).toBe(1);
    expect((await scene.deliver(event)).status).toBe(200);
    expect(await openOf(top)).toBe(0);
    letGo();
    expect(await reply).toMatchObject({ status: 'succeeded', newBalance: 750 });
    expect((await stateOf(top)).moves).toEqual(['top_up 1000', 'top_up_refunded -250']);
  });

  test('before the reply, of a failure: the credits come back once, and the reply says so', async () => {
    const top = await paid();
    scene.stripe.books.refundsAre = 'failed';
    const letGo = scene.stripe.holdReplies(path);
    const reply = outcomeOf(refund(top));
    await expect.poll(() => refundOf(top.intentId)).toBeDefined();
    await scene.deliver(scene.stripe.books.emit('refund.failed', refundOf(top.intentId)));
    expect(await scene.balanceOf(top.owner)).toBe(1000);
    letGo();
    expect(await reply).toBe('400 REFUND_REFUSED');
    expect((await stateOf(top)).moves.slice(1)).toEqual(['top_up_refunded -1000', 'top_up_reinstated 1000']);
  });

  test('with news of another refund: what comes back is there when the other takes its part', async () => {
    const top = await paid();
    const { books } = scene.stripe;
    books.refundsAre = 'pending';
    await refund(top);
    failRefund(books, refundOf(top.intentId));
    books.refundsAre = 'succeeded';
    refundAtStripe(books, top.intentId, 400);
    await scene.deliver(news('charge.refunded').at(-1) as Stripe.Event);
    expect((await stateOf(top)).moves.slice(1)).toEqual([
      'top_up_refunded -1000',
      'top_up_reinstated 1000',
      'top_up_refunded -400',
    ]);
  });

  test('a second refund at Stripe under the id of the first has given money back once more, and is booked', async () => {
    const top = await paid();
    const { id } = await refund(top, { amount: 250 });
    refundAtStripe(scene.stripe.books, top.intentId, 250, { agora_intent_id: toUuid('refund', id) as string });
    for (const event of news('charge.refunded')) await scene.deliver(event);
    expect((await stateOf(top)).moves.slice(1)).toEqual(['top_up_refunded -250', 'top_up_refunded -250']);
    await expectNothingRaised();
  });
});
