import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { detach } from './fake-customers.ts';
import { cancel, closeDispute, decline, dispute, failRefund, refund, succeed } from './fake-payments.ts';
import { stripeScene } from './scene.ts';

const scene = stripeScene();
const pay = (owner: TestOwner, amount = 500) => refusalOf(owner.agora.vault.topUp({ amount }));
const handled = { status: 200, body: { received: true, duplicate: false } };
const known = { status: 200, body: { received: true, duplicate: true } };
const path = '/v1/payment_intents';

/** The events of these types that Stripe has for us since the last look. */
const taken = (...types: string[]) =>
  scene.stripe.webhooks.take().filter(({ type }) => types.includes(type)) as [Stripe.Event, ...Stripe.Event[]];

const movesOf = async (owner: TestOwner) =>
  (await owner.agora.vault.poolTransactions()).data.map(({ cause, amount }) => `${cause} ${amount}`).reverse();

/** An owner with 1,000 cents, all of one charge. */
async function paid(): Promise<{ owner: TestOwner; intentId: string }> {
  const owner = await scene.payer();
  expect(await pay(owner, 1000)).toBe('no refusal');
  scene.stripe.webhooks.take();
  return { owner, intentId: await scene.intentOf(owner) };
}

describe('the outcome of a charge', () => {
  test('news after the reply, and twice, change nothing', async () => {
    const owner = await scene.payer();
    await pay(owner);
    const [event] = taken('payment_intent.succeeded');
    expect(await scene.deliver(event)).toEqual(handled);
    expect(await scene.deliver(event)).toEqual(known);
    expect(await movesOf(owner)).toEqual(['top_up 500']);
  });

  test('news before the reply book the charge, and the reply finds it booked', async () => {
    const owner = await scene.payer();
    const letGo = scene.stripe.hold(path);
    const reply = owner.agora.vault.topUp({ amount: 500 });
    await expect.poll(() => scene.topUpsOf(owner)).toEqual(['pending']);
    const { rows } = await scene.server.pool.query(`select id from top_ups where status = 'pending'`);
    const event = scene.stripe.books.emit('payment_intent.succeeded', {
      id: 'pi_ahead',
      object: 'payment_intent',
      status: 'succeeded',
      metadata: { agora_intent_id: rows[0].id },
    });
    expect(await scene.deliver(event)).toEqual(handled);
    expect(await scene.balanceOf(owner)).toBe(500);
    letGo();
    expect(await reply).toEqual({ newBalance: 500, amountCharged: 500 });
    expect(await movesOf(owner)).toEqual(['top_up 500']);
  });

  test('news settle what lost its reply, 8 deliveries at once book it once', async () => {
    const owner = await scene.payer();
    scene.stripe.fault({ kind: 'drop after', path, method: 'POST' });
    expect(await pay(owner)).toBe('502 PROCESSOR_ERROR');
    const [event] = taken('payment_intent.succeeded');
    const replies = await Promise.all(Array.from({ length: 8 }, () => scene.deliver(event)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await scene.sweepLater();
    expect(await movesOf(owner)).toEqual(['top_up 500']);
  });

  test('a refusal is news too, and one that comes after the success does not undo it', async () => {
    const owner = await scene.payer('takes its time');
    await pay(owner);
    const { books } = scene.stripe;
    const intent = books.intents.get(await scene.intentOf(owner)) as Stripe.PaymentIntent;
    decline(books, intent, 'insufficient_funds');
    succeed(books, intent);
    const [failed] = taken('payment_intent.payment_failed', 'payment_intent.succeeded');
    const [succeeded] = [books.emit('payment_intent.succeeded', intent)];
    expect(await scene.deliver(succeeded)).toEqual(handled);
    expect(await scene.deliver(failed)).toEqual(handled);
    expect([await scene.topUpsOf(owner), await scene.balanceOf(owner)]).toEqual([['succeeded'], 500]);
  });

  test.each([
    ['payment_intent.payment_failed', decline],
    ['payment_intent.canceled', cancel],
  ] as const)('%s lets the owner try again at once', async (type, happen) => {
    const owner = await scene.payer('takes its time');
    await pay(owner);
    expect(await pay(owner)).toBe('409 TOP_UP_IN_PROGRESS');
    const { books } = scene.stripe;
    happen(books, books.intents.get(await scene.intentOf(owner)) as Stripe.PaymentIntent, 'expired_card');
    expect(await scene.deliver(taken(type)[0])).toEqual(handled);
    expect(await scene.topUpsOf(owner)).toEqual(['failed']);
  });

  test("a charge on somebody's own connected account is not taken for ours, whatever its metadata say", async () => {
    const owner = await scene.payer('takes its time');
    await pay(owner);
    const { books } = scene.stripe;
    const intent = { ...books.intents.get(await scene.intentOf(owner)), status: 'succeeded' };
    expect(await scene.deliver(books.emit('payment_intent.succeeded', intent, 'acct_thief'))).toEqual(handled);
    expect([await scene.topUpsOf(owner), await scene.balanceOf(owner)]).toEqual([['pending'], 0]);
  });

  test('what is not ours is answered and left alone', async () => {
    const { books } = scene.stripe;
    for (const metadata of [
      {},
      { agora_intent_id: 'x' },
      { agora_intent_id: '0192f5a0-0000-7000-8000-000000000000' },
    ]) {
      const intent = { id: 'pi_x', object: 'payment_intent', status: 'succeeded', metadata };
      expect(await scene.deliver(books.emit('payment_intent.succeeded', intent))).toEqual(handled);
    }
    expect(await scene.deliver(books.emit('charge.refunded', { payment_intent: 'pi_none' }))).toEqual(handled);
    expect(await scene.deliver(books.emit('invoice.paid', { id: 'in_1', object: 'invoice' }))).toEqual(handled);
  });
});

describe('money that goes back', () => {
  test('refunds leave the pool once each, in whichever order and however often they are told', async () => {
    const { owner, intentId } = await paid();
    const { books } = scene.stripe;
    refund(books, intentId, 300);
    refund(books, intentId, 200);
    const events = taken('charge.refunded');
    for (const event of [...events.toReversed(), ...events]) expect((await scene.deliver(event)).status).toBe(200);
    const [first, ...refunds] = await movesOf(owner);
    expect([first, ...refunds.toSorted()]).toEqual(['top_up 1000', 'top_up_refunded -200', 'top_up_refunded -300']);
  });

  test('a refund told before the charge itself is booked after it', async () => {
    const owner = await scene.payer();
    scene.stripe.fault({ kind: 'drop after', path, method: 'POST' });
    await pay(owner);
    scene.stripe.mend();
    refund(scene.stripe.books, await scene.intentOf(owner));
    expect(await scene.deliver(taken('charge.refunded')[0])).toEqual(handled);
    expect(await movesOf(owner)).toEqual(['top_up 500', 'top_up_refunded -500']);
  });

  test('a refund that its bank sends back returns to the pool, once', async () => {
    const { owner, intentId } = await paid();
    const { books } = scene.stripe;
    const made = refund(books, intentId, 400);
    expect(await scene.deliver(taken('charge.refunded')[0])).toEqual(handled);
    failRefund(books, made);
    const [failed] = taken('refund.failed');
    await Promise.all([1, 2, 3].map(() => scene.deliver(failed)));
    expect(await movesOf(owner)).toEqual(['top_up 1000', 'top_up_refunded -400', 'top_up_reinstated 400']);
  });

  test('a dispute takes its amount, and one that is won gives it back, also when the news come in reverse', async () => {
    const { owner, intentId } = await paid();
    const { books } = scene.stripe;
    const lost = dispute(books, intentId, 250);
    closeDispute(books, lost, 'lost');
    for (const event of taken('charge.dispute.created', 'charge.dispute.closed').toReversed()) {
      await scene.deliver(event);
    }
    closeDispute(books, dispute(books, intentId, 100), 'won');
    for (const event of taken('charge.dispute.created', 'charge.dispute.closed').toReversed()) {
      await scene.deliver(event);
    }
    expect(await movesOf(owner)).toEqual(['top_up 1000', 'top_up_refunded -250']);
    const third = dispute(books, intentId, 150);
    await scene.deliver(taken('charge.dispute.created')[0]);
    closeDispute(books, third, 'won');
    await scene.deliver(taken('charge.dispute.closed')[0]);
    expect(await scene.balanceOf(owner)).toBe(750);
  });

  test('what the pool has spent cannot be taken: the rest is on record as missing, and nothing is below zero', async () => {
    const { owner, intentId } = await paid();
    const worker = await (await scene.server.owner({ credits: 0 })).agent();
    await owner.agora.tasks.submit({ taskType: 'general', maxBudget: 900, agentId: worker.id, input: {} });
    dispute(scene.stripe.books, intentId);
    expect(await scene.deliver(taken('charge.dispute.created')[0])).toEqual(handled);
    expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 0, held: 900 });
    const { rows } = await scene.server.pool.query(
      `select kind, amount, taken, state from top_up_reversals r join owners o on o.id = r.owner_id where o.email = $1`,
      [owner.email],
    );
    expect(rows).toEqual([{ kind: 'dispute', amount: 1000, taken: 100, state: 'standing' }]);
  });

  test('of an empty pool nothing is taken, and nothing comes back when the dispute is won', async () => {
    const { owner, intentId } = await paid();
    const worker = await (await scene.server.owner({ credits: 0 })).agent();
    await owner.agora.tasks.submit({ taskType: 'general', maxBudget: 1000, agentId: worker.id, input: {} });
    const made = dispute(scene.stripe.books, intentId);
    expect(await scene.deliver(taken('charge.dispute.created')[0])).toEqual(handled);
    closeDispute(scene.stripe.books, made, 'won');
    expect(await scene.deliver(taken('charge.dispute.closed')[0])).toEqual(handled);
    expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 0, held: 1000 });
  });

  test('while Stripe cannot be asked the delivery is 502, and the next one books it', async () => {
    const { owner, intentId } = await paid();
    refund(scene.stripe.books, intentId, 100);
    const [event] = taken('charge.refunded');
    scene.stripe.fault({ kind: '500 before' });
    expect(await scene.deliver(event)).toMatchObject({ status: 502, body: { error: { code: 'PROCESSOR_ERROR' } } });
    scene.stripe.mend();
    expect(await scene.deliver(event)).toEqual(handled);
    expect(await scene.balanceOf(owner)).toBe(900);
  });

  test('refunds racing each other and the spending of the pool keep the books', async () => {
    const { owner, intentId } = await paid();
    const worker = await (await scene.server.owner({ credits: 0 })).agent();
    const events = Array.from({ length: 8 }, () => {
      refund(scene.stripe.books, intentId, 100);
      return taken('charge.refunded')[0];
    });
    const spend = () =>
      owner.agora.tasks.submit({ taskType: 'general', maxBudget: 100, agentId: worker.id, input: {} });
    const race = Array.from({ length: 64 }, (_, turn) =>
      turn % 2 === 0 ? scene.deliver(events[(turn / 2) % 8] as Stripe.Event) : refusalOf(spend()),
    );
    await Promise.all(race);
    const { balance, held } = await owner.agora.vault.getPool();
    const { rows } = await scene.server.pool.query(
      `select sum(amount)::int as amount, sum(taken)::int as taken, count(*)::int as count
       from top_up_reversals r join owners o on o.id = r.owner_id where o.email = $1`,
      [owner.email],
    );
    expect(rows[0]).toMatchObject({ amount: 800, count: 8 });
    expect(balance + held + rows[0].taken).toBe(1000);
  });
});

test('a card that is detached at Stripe is gone here, and another one is the default', async () => {
  const owner = await scene.payer();
  const first = (await owner.agora.vault.listPaymentMethods()).data[0]?.id as string;
  scene.server.clock.advance(1000);
  const second = await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  detach(scene.stripe.books, scene.stripe.books.methods.get(first) as Stripe.PaymentMethod);
  expect(await scene.deliver(taken('payment_method.detached')[0])).toEqual(handled);
  expect((await owner.agora.vault.listPaymentMethods()).data).toEqual([{ ...second, isDefault: true }]);
});
