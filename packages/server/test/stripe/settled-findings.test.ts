import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { uuidOf } from '../vault/plant.ts';
import { hour } from '../vault/reconciliation-scene.ts';
import { closeDispute, dispute, failRefund, refund as refundAtStripe } from './fake-payments.ts';
import { type Paid, refundScene } from './refund-scene.ts';

/** What Stripe's own record of our charges proves is booked by reconciliation, where the news of it never came. */

const { scene, paid, stateOf } = refundScene();
const day = 24 * hour;

const reconcile = () => scene.server.operator().vault.reconcile();

async function reconcileAfter(ms: number) {
  scene.server.clock.advance(ms);
  return reconcile();
}

async function findingsAbout(owner: TestOwner): Promise<string[]> {
  const { data } = await scene.server.operator().vault.listFindings({ pageSize: 100 });
  return data.filter(({ ownerId }) => ownerId === owner.id).map(({ kind, status }) => `${kind} ${status}`);
}

/** The webhooks of what happened until now are lost. */
const loseNews = () => scene.stripe.webhooks.take();

/** The charge of a top-up by its id, without the server. */
async function chargeAtStripe(of: { id: string; amount: number; customer: string; card: string }): Promise<void> {
  const { id, amount, customer, card } = of;
  const body = new URLSearchParams({ amount: `${amount}`, customer, payment_method: card, confirm: 'true' });
  body.set('metadata[agora_intent_id]', id);
  const headers = { authorization: `Bearer ${scene.stripe.secretKey}` };
  await fetch(`${scene.stripe.url}/v1/payment_intents`, { method: 'POST', body, headers });
}

/** A top-up that was given up because Stripe never received it. */
async function givenUp(amount: number): Promise<{ owner: TestOwner; arrive: (charged?: number) => Promise<string> }> {
  const owner = await scene.payer();
  scene.stripe.fault({ kind: 'drop before', path: '/v1/payment_intents', method: 'POST' });
  await owner.agora.vault.topUp({ amount }).catch(() => undefined);
  scene.stripe.mend();
  await scene.sweepLater();
  expect(await scene.topUpsOf(owner)).toEqual(['failed']);
  const { rows } = await scene.server.pool.query(
    `select u.id, u.payment_method_id as card, c.customer_ref as customer from top_ups u
     join payment_customers c on c.owner_id = u.owner_id where u.owner_id = $1`,
    [uuidOf(owner)],
  );
  return {
    owner,
    async arrive(charged = amount) {
      await chargeAtStripe({ ...rows[0], amount: charged });
      return scene.intentOf(owner);
    },
  };
}

describe('a charge that was given up and turns up at Stripe', () => {
  test('is credited once, however late its news comes', async () => {
    const { owner, arrive } = await givenUp(6100);
    await arrive();
    const news = loseNews();
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 1, raised: 0, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(6100);
    expect(await scene.topUpsOf(owner)).toEqual(['succeeded']);
    expect(await findingsAbout(owner)).toEqual(['charge_missing_here settled']);
    for (const event of news) await scene.deliver(event);
    expect(await reconcileAfter(day)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(6100);
  });

  test('is credited less what has gone back of it since', async () => {
    const { owner, arrive } = await givenUp(1000);
    refundAtStripe(scene.stripe.books, await arrive(), 400);
    loseNews();
    expect(await reconcileAfter(2 * hour)).toMatchObject({ raised: 0, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(600);
    expect(await reconcileAfter(day)).toMatchObject({ settled: 0, raised: 0, open: 0 });
  });

  test('over another amount than was asked for is left to the operator', async () => {
    const { owner, arrive } = await givenUp(1000);
    const intentId = await arrive(900);
    loseNews();
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 0, raised: 1, open: 1 });
    expect(await scene.balanceOf(owner)).toBe(0);
    expect(await findingsAbout(owner)).toEqual(['charge_missing_here open']);
    scene.stripe.books.intents.delete(intentId);
    expect(await reconcileAfter(day)).toMatchObject({ open: 0 });
  });
});

/** Runs once a day, as the schedule does. */
async function reconcileDaily(days: number): Promise<{ raised: number; settled: number }> {
  const sum = { raised: 0, settled: 0 };
  for (let nth = 0; nth < days; nth++) {
    const { raised, settled } = await reconcileAfter(day);
    sum.raised += raised;
    sum.settled += settled;
  }
  return sum;
}

describe('what becomes of an old record is found in spite of its age', () => {
  test.each<[string, number, (top: Paid) => () => void]>([
    [
      'a dispute that is won after 100 days',
      100,
      ({ intentId }) => {
        const { books } = scene.stripe;
        const made = dispute(books, intentId);
        return () => closeDispute(books, made, 'won');
      },
    ],
    [
      'a refund that fails after 6 days',
      6,
      ({ intentId }) => {
        const { books } = scene.stripe;
        const made = refundAtStripe(books, intentId);
        return () => failRefund(books, made);
      },
    ],
  ])('%s', async (_what, days, begin) => {
    const top = await paid(1000);
    const end = begin(top);
    for (const event of loseNews()) await scene.deliver(event);
    expect(await scene.balanceOf(top.owner)).toBe(0);
    for (const ms of [day, (days - 2) * day, day]) {
      expect(await reconcileAfter(ms)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    }
    end();
    loseNews();
    expect(await reconcileDaily(2)).toEqual({ raised: 0, settled: 1 });
    expect((await stateOf(top)).moves).toEqual(['top_up 1000', 'top_up_refunded -1000', 'top_up_reinstated 1000']);
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_there settled']);
  });
});

describe('a charge whose record was lost with the end of the database', () => {
  const chargeAnew = async (owner: TestOwner, amount: number) => {
    await owner.agora.vault.topUp({ amount });
    const { customer, payment_method: card } = scene.stripe.books.intents.get(await scene.intentOf(owner)) ?? {};
    const id = randomUUID();
    await chargeAtStripe({ id, amount, customer: `${customer}`, card: `${card}` });
    return id;
  };

  test('is credited to the owner of its card at once, and once', async () => {
    const owner = await scene.payer();
    await chargeAnew(owner, 3000);
    const news = loseNews();
    expect(await reconcile()).toMatchObject({ settled: 1, raised: 0, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(6000);
    expect(await scene.topUpsOf(owner)).toEqual(['succeeded', 'succeeded']);
    expect(await findingsAbout(owner)).toEqual(['charge_missing_here settled']);
    for (const event of news) await scene.deliver(event);
    expect(await reconcileAfter(day)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(6000);
  });

  test('is credited less what has gone back of it since, also while another top-up is under way', async () => {
    const owner = await scene.payer();
    await chargeAnew(owner, 1000);
    refundAtStripe(scene.stripe.books, await scene.intentOf(owner), 400);
    loseNews();
    scene.stripe.fault({ kind: 'drop before', path: '/v1/payment_intents', method: 'POST' });
    await owner.agora.vault.topUp({ amount: 500 }).catch(() => undefined);
    scene.stripe.mend();
    expect(await reconcile()).toMatchObject({ settled: 1, open: 0 });
    expect(await scene.balanceOf(owner)).toBe(1600);
    expect(await scene.topUpsOf(owner)).toEqual(expect.arrayContaining(['succeeded', 'succeeded', 'pending']));
    await scene.sweepLater();
  });

  test('of an owner who is not known any more is left to the operator', async () => {
    const owner = await scene.payer();
    const id = await chargeAnew(owner, 1000);
    const intent = [...scene.stripe.books.intents.values()].find(({ metadata }) => metadata.agora_intent_id === id);
    Object.assign(intent as object, { customer: 'cus_of_nobody' });
    loseNews();
    expect(await reconcile()).toMatchObject({ settled: 0, raised: 1, open: 1 });
    expect(await scene.balanceOf(owner)).toBe(1000);
    scene.stripe.books.intents.delete(intent?.id as string);
    expect(await reconcileAfter(day)).toMatchObject({ open: 0 });
  });
});

describe('money that went back and whose news was lost', () => {
  test('is taken once, and its event sent again a week later raises nothing', async () => {
    const top = await paid(1000);
    refundAtStripe(scene.stripe.books, top.intentId, 300);
    const news = loseNews();
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 1, raised: 0, open: 0 });
    expect(await scene.balanceOf(top.owner)).toBe(700);
    await reconcileDaily(7);
    for (const event of news) await scene.deliver(event);
    expect(await reconcileDaily(2)).toEqual({ raised: 0, settled: 0 });
    expect(await scene.balanceOf(top.owner)).toBe(700);
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_here settled']);
  });

  test('twice of one charge is told of twice', async () => {
    const top = await paid(1000);
    for (const amount of [300, 200]) refundAtStripe(scene.stripe.books, top.intentId, amount);
    loseNews();
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 2, raised: 0, open: 0 });
    expect(await scene.balanceOf(top.owner)).toBe(500);
    expect(await findingsAbout(top.owner)).toEqual(Array(2).fill('reversal_missing_here settled'));
  });

  test('raises nothing either when it has become too old for the lists before its late news', async () => {
    const top = await paid(1000);
    refundAtStripe(scene.stripe.books, top.intentId, 300);
    scene.server.clock.advance(7 * day);
    for (const event of loseNews()) await scene.deliver(event);
    // The list goes back to the second day, and our books have the refund since the seventh.
    for (const ms of [2 * hour, 116 * day, 2 * day]) {
      expect(await reconcileAfter(ms)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    }
    expect(await findingsAbout(top.owner)).toEqual([]);
  });

  test('is told to its owner while Stripe does not answer, and gone once the event that was sent again is booked', async () => {
    const top = await paid(1000);
    const made = refundAtStripe(scene.stripe.books, top.intentId, 300);
    const news = loseNews();
    scene.stripe.fault({ kind: '500 before', path: `/v1/payment_intents/${top.intentId}` });
    expect(await reconcileAfter(2 * hour)).toMatchObject({ processor: 'checked', settled: 0, raised: 1, open: 1 });
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_here open']);
    expect(await reconcileDaily(7)).toEqual({ raised: 0, settled: 0 });
    scene.stripe.mend();
    for (const event of news) await scene.deliver(event);
    expect(await reconcileAfter(day)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_here gone']);
    const { rows } = await scene.server.pool.query(
      `select data from events where type = 'reconciliation.finding' and owner_id = $1`,
      [uuidOf(top.owner)],
    );
    expect(rows.map(({ data }) => data)).toMatchObject([{ subject: made.id, here: null, there: 300, status: 'open' }]);
  });

  test('is settled by a later run where the first could not ask', async () => {
    const top = await paid(1000);
    refundAtStripe(scene.stripe.books, top.intentId, 300);
    loseNews();
    scene.stripe.fault({ kind: '500 before', path: `/v1/payment_intents/${top.intentId}` });
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 0, raised: 1, open: 1 });
    await reconcileDaily(9);
    scene.stripe.mend();
    expect(await reconcileAfter(day)).toMatchObject({ settled: 1, raised: 0, open: 0 });
    expect(await scene.balanceOf(top.owner)).toBe(700);
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_here settled']);
  });

  test('stays as it is where the operator has declared that in order', async () => {
    const top = await paid(1000);
    const made = refundAtStripe(scene.stripe.books, top.intentId, 300);
    loseNews();
    scene.stripe.fault({ kind: '500 before', path: `/v1/payment_intents/${top.intentId}` });
    await reconcileAfter(2 * hour);
    scene.stripe.mend();
    const { vault } = scene.server.operator();
    const found = (await vault.listFindings({ status: 'open' })).data.find(({ subject }) => subject === made.id);
    await vault.clearFinding(found?.id as string, { reason: 'A gift of ours' });
    expect(await reconcileAfter(day)).toMatchObject({ settled: 0, raised: 0, open: 0 });
    expect(await scene.balanceOf(top.owner)).toBe(1000);
    expect(await findingsAbout(top.owner)).toEqual(['reversal_missing_here cleared']);
  });

  test('is not asked about on and on while Stripe does not answer', async () => {
    const tops = await Promise.all(Array.from({ length: 6 }, () => paid(1000)));
    for (const { intentId } of tops) refundAtStripe(scene.stripe.books, intentId, 300);
    loseNews();
    scene.stripe.fault({ kind: 'drop before', path: '/v1/payment_intents/' });
    const before = scene.stripe.seen.length;
    expect(await reconcileAfter(2 * hour)).toMatchObject({ settled: 0, raised: 6 });
    const asked = scene.stripe.seen.slice(before).filter((each) => each.startsWith('GET /v1/payment_intents/'));
    expect(asked).toHaveLength(3);
    scene.stripe.mend();
    expect(await reconcileAfter(day)).toMatchObject({ settled: 6, raised: 0, open: 0 });
  });
});
