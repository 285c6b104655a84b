import { describe, expect, test } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { refusalOf, startSecondApp } from '../api/scene.ts';
import { hour } from '../vault/reconciliation-scene.ts';
import type { Fault } from './fake.ts';
import { refund as refundAtStripe } from './fake-payments.ts';
import { type Paid, refundScene } from './refund-scene.ts';

/** Refunds while Stripe fails, requests race and processes die: one outcome, and the ledger sound, each time. */

const { scene, paid, refund, outcomeOf, stateOf, openOf, expectNothingRaised } = refundScene({
  attemptTimeoutMs: 1500,
});
const path = '/v1/refunds';
const refundedOnce = {
  balance: 0,
  moves: ['top_up 1000', 'top_up_refunded -1000'],
  atStripe: ['1000 succeeded'],
};

const failures: [string, Fault][] = [
  ['hangs after the refund', { kind: 'hang after' }],
  ['answers 500 after the refund', { kind: '500 after' }],
  ['drops the connection after the refund', { kind: 'drop after' }],
  ['hangs', { kind: 'hang' }],
  ['answers 500', { kind: '500 before' }],
  ['drops the connection', { kind: 'drop before' }],
  ['is overrun', { kind: '429' }],
  ['answers with HTML', { kind: 'garbage' }],
  ['answers with an empty object', { kind: 'garbage', text: '{}' }],
  ['answers with another object', { kind: 'garbage', text: '{"object":"charge","id":"ch_1","status":"succeeded"}' }],
  ['answers with a refund of no name', { kind: 'garbage', text: '{"object":"refund","status":"succeeded"}' }],
  ['answers with a refund of nobody', { kind: 'garbage', text: '{"object":"refund","id":"re_1","status":"failed"}' }],
];

describe('when Stripe fails, a refund is 502, its credits cannot be spent, and the sweep settles it', () => {
  test.each(failures)('it %s', async (_name, fault) => {
    const top = await paid();
    scene.stripe.fault({ ...fault, path, method: 'POST' });
    expect(await outcomeOf(refund(top))).toBe('502 PROCESSOR_ERROR');
    expect(await scene.balanceOf(top.owner)).toBe(0);
    scene.stripe.mend();
    expect(await outcomeOf(refund(top))).toBe('409 REFUND_IN_PROGRESS');
    await Promise.all([scene.sweepLater(), scene.sweepLater()]);
    expect(await stateOf(top)).toEqual(refundedOnce);
    expect(await openOf(top)).toBe(0);
    for (const event of scene.stripe.webhooks.take()) await scene.deliver(event);
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test('a refund refused only because of an open one is made under the same key once that is settled', async () => {
    const top = await paid();
    const next = () => outcomeOf(refund(top, { amount: 300 }, { idempotencyKey: 'next' }));
    scene.stripe.fault({ kind: '500 after', path, method: 'POST' });
    expect(await outcomeOf(refund(top, { amount: 400 }))).toBe('502 PROCESSOR_ERROR');
    scene.stripe.mend();
    expect(await next()).toBe('409 REFUND_IN_PROGRESS');
    await scene.sweepLater();
    expect([await next(), await next()]).toEqual(['202 succeeded', '202 succeeded']);
    expect(await stateOf(top)).toMatchObject({ balance: 300, atStripe: ['400 succeeded', '300 succeeded'] });
  });

  test('it stays away for a day and forgets its keys: what it did is found by our id and not done again', async () => {
    const top = await paid();
    scene.stripe.fault({ kind: '500 after', path, method: 'POST', times: 1 });
    scene.stripe.fault({ kind: 'drop before' });
    expect(await outcomeOf(refund(top))).toBe('502 PROCESSOR_ERROR');
    await scene.sweepLater();
    await scene.sweepLater();
    expect(await openOf(top)).toBe(1);
    scene.stripe.forgetKeys();
    scene.stripe.mend();
    scene.server.clock.advance(24 * hour);
    // Reconciliation comes first, and does not take for unknown what is only not settled.
    await expectNothingRaised();
    await scene.sweepLater();
    expect(await stateOf(top)).toEqual(refundedOnce);
    await expectNothingRaised();
  });

  test.each([
    ['the sweep', async () => scene.sweepLater()],
    [
      'the news of what was done elsewhere',
      async () => {
        for (const event of scene.stripe.webhooks.take()) await scene.deliver(event);
      },
    ],
  ])('what it refuses in the end is given back once, before others take their part: %s', async (_who, settle) => {
    const top = await paid();
    scene.stripe.fault({ kind: 'drop before', path, method: 'POST' });
    expect(await outcomeOf(refund(top))).toBe('502 PROCESSOR_ERROR');
    refundAtStripe(scene.stripe.books, top.intentId, 400);
    scene.stripe.mend();
    await Promise.all([settle(), settle()]);
    expect(await openOf(top)).toBe(0);
    for (const event of scene.stripe.webhooks.take()) await scene.deliver(event);
    expect(await stateOf(top)).toEqual({
      balance: 600,
      moves: ['top_up 1000', 'top_up_refunded -1000', 'top_up_reinstated 1000', 'top_up_refunded -400'],
      atStripe: ['400 succeeded'],
    });
  });

  test('the same Idempotency-Key gives back once, whether Stripe still knows the key or not', async () => {
    const top = await paid();
    const keyed = () => outcomeOf(refund(top, {}, { idempotencyKey: 'mine' }));
    scene.stripe.fault({ kind: '500 after', path, method: 'POST' });
    expect(await keyed()).toBe('502 PROCESSOR_ERROR');
    scene.stripe.mend();
    scene.stripe.forgetKeys();
    expect(await keyed()).toBe('202 succeeded');
    expect(await keyed()).toBe('202 succeeded');
    expect(await stateOf(top)).toEqual(refundedOnce);
    const other = await paid();
    expect(await outcomeOf(refund(other, {}, { idempotencyKey: 'mine' }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  });
});

test('a dozen refunds while Stripe hangs: a sweep asks about ten of them, at once, and all are made when it is back', async () => {
  const tops = await Promise.all(Array.from({ length: 12 }, () => paid()));
  scene.stripe.fault({ kind: 'hang' });
  await Promise.all(tops.map((top) => outcomeOf(refund(top))));
  scene.server.clock.advance(60_000);
  const asked = scene.stripe.seen.length;
  const sweep = scene.server.app.sweep();
  await expect.poll(() => scene.stripe.open()).toBe(10);
  await sweep;
  expect(scene.stripe.seen.length - asked).toBe(10);
  scene.stripe.mend();
  await scene.sweepLater();
  await scene.sweepLater();
  expect(await Promise.all(tops.map(stateOf))).toEqual(tops.map(() => refundedOnce));
});

describe('requests that race', () => {
  test('eight refunds of one top-up: one is made', async () => {
    const top = await paid();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(refund(top))));
    expect(outcomes.filter((outcome) => outcome === '202 succeeded')).toHaveLength(1);
    const refusals = new Set(outcomes.filter((outcome) => outcome !== '202 succeeded'));
    expect(['409 REFUND_IN_PROGRESS', '400 REFUND_EXCEEDS_TOP_UP']).toEqual(expect.arrayContaining([...refusals]));
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test('one refund sent eight times under one key is made once, and all have its reply', async () => {
    const top = await paid();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => refund(top, {}, { idempotencyKey: 'eight times' })),
    );
    expect(new Set(replies.map(({ id, status }) => `${id} ${status}`)).size).toBe(1);
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test('refunds of two top-ups for which the pool does not reach: one is made', async () => {
    const first = await paid();
    scene.server.clock.advance(1000);
    await first.owner.agora.vault.topUp({ amount: 1000 });
    const { id } = await first.owner.agent();
    await first.owner.agora.vault.allocate(id, { amount: 600 });
    const { data } = await first.owner.agora.vault.poolTransactions({ cause: 'top_up' });
    const outcomes = await Promise.all(data.map(({ id: topUpId }) => outcomeOf(refund({ topUpId }))));
    expect(outcomes.toSorted()).toEqual(['202 succeeded', '400 INSUFFICIENT_BALANCE']);
    expect(await scene.balanceOf(first.owner)).toBe(400);
  });

  test('a refund and a task that want the same credits: one of them has them', async () => {
    const worker = await (await scene.server.owner({ credits: 0 })).agent();
    const tops = await Promise.all(Array.from({ length: 8 }, () => paid()));
    const submit = ({ owner }: Paid) =>
      refusalOf(owner.agora.tasks.submit({ taskType: 'general', maxBudget: 1000, agentId: worker.id, input: {} }));
    const outcomes = await Promise.all(tops.map((top) => Promise.all([outcomeOf(refund(top)), submit(top)])));
    for (const [index, [refunded, submitted]] of outcomes.entries()) {
      const { balance, atStripe } = await stateOf(tops[index] as Paid);
      expect(balance).toBe(0);
      if (refunded === '202 succeeded') expect([submitted, atStripe.length]).toEqual(['402 INSUFFICIENT_CREDITS', 1]);
      else expect([refunded, submitted, atStripe]).toEqual(['400 INSUFFICIENT_BALANCE', 'no refusal', []]);
    }
  });
});

describe('a process that dies', () => {
  /** Another process whose database goes away once it waits for Stripe; its request is left to end as it will. */
  async function dyingRefund(top: Paid, hold: () => () => void, hasCome: () => Promise<boolean>) {
    const { url: apiBase, secretKey, webhookSecret } = scene.stripe;
    const doomed = await startSecondApp(scene.server, {
      processor: createStripeProcessor({ apiBase, secretKey, webhookSecret, retries: 0 }),
    });
    const letGo = hold();
    const operator = scene.server.operator().withOptions({ baseUrl: doomed.url });
    const lost = refusalOf(operator.vault.refundTopUp(top.topUpId, { reason: 'r' }, { idempotencyKey: top.topUpId }));
    await expect.poll(hasCome).toBe(true);
    await doomed.app.pool.end();
    return async () => {
      letGo();
      expect(await lost).not.toBe('no refusal');
      await doomed.app.close();
    };
  }

  test('between the intent and the call: the sweep makes the refund', async () => {
    const top = await paid();
    const hasIntent = async () => (await openOf(top)) === 1;
    scene.stripe.fault({ kind: 'drop before', path, method: 'POST', times: 1 });
    const die = await dyingRefund(top, () => scene.stripe.hold(path), hasIntent);
    await die();
    expect(await stateOf(top)).toMatchObject({ balance: 0, atStripe: [] });
    await scene.sweepLater();
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test('between the call and its result: the sweep finds the refund', async () => {
    const top = await paid();
    const isMade = async () => (await stateOf(top)).atStripe.length === 1;
    const die = await dyingRefund(top, () => scene.stripe.holdReplies(path), isMade);
    await die();
    expect(await openOf(top)).toBe(1);
    await Promise.all([scene.sweepLater(), scene.sweepLater()]);
    expect(await openOf(top)).toBe(0);
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test('while its call is on its way: the sweep of another process sends it too, and it is made once', async () => {
    const top = await paid();
    const hasIntent = async () => (await openOf(top)) === 1;
    const die = await dyingRefund(top, () => scene.stripe.hold(path), hasIntent);
    scene.server.clock.advance(60_000);
    const sweep = scene.server.app.sweep();
    await Promise.all([die(), sweep]);
    await scene.sweepLater();
    scene.server.clock.advance(hour);
    await scene.server.app.sweep();
    expect(await stateOf(top)).toEqual(refundedOnce);
  });

  test.each(['succeeded', 'failed'] as const)(
    'in the middle of booking that it %s: nothing of it is stored, and the sweep books it',
    async (outcome) => {
      const top = await paid();
      scene.stripe.books.refundsAre = outcome;
      // The transaction that books the result is refused at its first statement, as if the server had died in it.
      await scene.server.pool.query(`create function die() returns trigger language plpgsql as
        $$ begin raise exception 'the process dies'; end $$`);
      await scene.server.pool.query(
        'create trigger die before update of due_at on top_up_reversals for each row when (new.due_at is null) execute function die()',
      );
      expect(await outcomeOf(refund(top))).toBe('500 INTERNAL_ERROR');
      expect(await stateOf(top)).toMatchObject({ balance: 0, moves: ['top_up 1000', 'top_up_refunded -1000'] });
      await scene.server.pool.query('drop function die cascade');
      await scene.sweepLater();
      const moves = [
        'top_up 1000',
        'top_up_refunded -1000',
        ...(outcome === 'failed' ? ['top_up_reinstated 1000'] : []),
      ];
      expect(await stateOf(top)).toEqual({
        balance: outcome === 'failed' ? 1000 : 0,
        moves,
        atStripe: [`1000 ${outcome}`],
      });
    },
  );
});
