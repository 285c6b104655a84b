import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { day, expectSoundLedger, minute, pass, refusalOf } from '../api/scene.ts';
import { earn } from '../support/earn.ts';
import { availableOf, movementsOf, onlyWithdrawal, uuidOf } from './payout-scene.ts';
import { stripePayoutScene } from './stripe-payout-scene.ts';

/** Withdrawals through Stripe, from the onboarding to the bank and back; Stripe's own books must agree with ours. */

const { bank, fake, server, deliver, withdraw, connect, makeEarner, atStripe } = await stripePayoutScene();

describe('onboarding', () => {
  test('an account is paid out to once Stripe has all it wants, and says so by webhook or when it is asked', async () => {
    const owner = await server.owner({ credits: 0 });
    const earner = { owner, agent: await owner.agent() };
    await earn(server, earner.agent, 500);
    const accountRef = await connect(owner);
    expect(await connect(owner)).toBe(accountRef);
    const account = async () => (await owner.agora.vault.getPayouts()).account;
    expect(await account()).toMatchObject({ onboarded: false, missing: ['external_account', expect.any(String)] });
    bank.onboard(accountRef, 'under review');
    expect(await account()).toMatchObject({ onboarded: true, payoutsEnabled: false });
    expect(await refusalOf(withdraw(earner, 100))).toBe('400 PAYOUT_ACCOUNT_REQUIRED');
    bank.onboard(accountRef);
    expect((await withdraw(earner, 100)).status).toBe('pending');
  });

  test('an account that Stripe restricts later is known by webhook, and news in the wrong order do no harm', async () => {
    const earner = await makeEarner(500);
    bank.onboard(earner.accountRef, 'something is missing');
    const [restricted] = fake.webhooks.take() as [Stripe.Event];
    expect(await deliver(restricted)).toMatchObject({ status: 200 });
    expect(await refusalOf(withdraw(earner, 100))).toBe('400 PAYOUT_ACCOUNT_REQUIRED');
    bank.onboard(earner.accountRef);
    await deliver({ ...restricted, id: 'evt_older' });
    expect((await withdraw(earner, 100)).status).toBe('pending');
  });
});

describe('the bank tells by webhook', () => {
  test('a payout is pending until it is paid, and news that come late, twice or old change nothing more', async () => {
    const earner = await makeEarner(1000);
    const { id, status } = await withdraw(earner, 400);
    expect(status).toBe('pending');
    expect(atStripe(earner)).toEqual({ sent: 400, held: 0 });
    bank.decide(uuidOf(id), 'paid');
    const [created, paid] = fake.webhooks.take() as [Stripe.Event, Stripe.Event];
    expect(await deliver(paid)).toEqual({ status: 200, body: { received: true, duplicate: false } });
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    expect(await deliver(paid)).toMatchObject({ body: { duplicate: true } });
    await deliver({ ...paid, id: 'evt_again' });
    await deliver(created);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    expect(await movementsOf(earner)).toEqual(['withdrawal -400']);
  });

  test('a payout that fails after it was paid returns the money once, in whatever order it is told', async () => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'paid');
    const [created, paid] = fake.webhooks.take() as [Stripe.Event, Stripe.Event];
    await deliver(paid);
    bank.decide(uuidOf(id), 'failed');
    const [failed] = fake.webhooks.take() as [Stripe.Event];
    await Promise.all([deliver(failed), deliver({ ...failed, id: 'evt_twin' })]);
    for (const event of [{ ...paid, id: 'evt_late' }, created, failed, ...fake.webhooks.take()]) await deliver(event);
    expect(await onlyWithdrawal(earner)).toMatchObject({
      status: 'failed',
      failureReason: expect.stringMatching(/^The bank account has been closed\. /),
    });
    expect(await movementsOf(earner)).toEqual(['withdrawal -400', 'withdrawal_returned 400']);
    expect(atStripe(earner)).toEqual({ sent: 0, held: 0 });
    await expectSoundLedger(server);
  });

  test('news that Stripe cannot be asked about are refused, so that it sends them again', async () => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'failed');
    const failed = fake.webhooks.take().at(-1) as Stripe.Event;
    fake.fault({ kind: '500 before', path: '/v1/payouts' });
    expect((await deliver(failed)).status).toBe(502);
    fake.mend();
    expect(await deliver(failed)).toEqual({ status: 200, body: { received: true, duplicate: false } });
    expect(await availableOf(earner)).toBe(1000);
  });

  test('payouts and accounts that are not ours are left alone', async () => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'paid');
    const paid = fake.webhooks.take().at(-1) as Stripe.Event;
    const payout = paid.data.object as Stripe.Payout;
    const about = (metadata: Stripe.Metadata) => ({ data: { object: { ...payout, metadata } } });
    const strangers = [
      { id: 'evt_1', account: 'acct_other' },
      { id: 'evt_2', ...about({}) },
      { id: 'evt_3', ...about({ agora_intent_id: earner.accountRef }) },
      { id: 'evt_4', ...about({ agora_intent_id: uuidOf(id).replace(/.$/, 'x') }) },
      { id: 'evt_5', type: 'account.updated', data: { object: { id: 'acct_other', object: 'account' } } },
    ];
    for (const changes of strangers) {
      const event = Object.assign<object, object>({ ...paid }, changes) as Stripe.Event;
      expect((await deliver(event)).status).toBe(200);
    }
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
  });
});

describe('a Stripe that fails', () => {
  test.each([
    { kind: 'drop before', path: '/v1/transfers' },
    { kind: 'drop after', path: '/v1/transfers' },
    { kind: 'garbage', path: '/v1/transfers' },
    { kind: '500 after', path: '/v1/payouts' },
    { kind: 'drop before', path: '/v1/payouts' },
    { kind: '429', path: '/v1/payouts' },
  ] as const)('($kind at $path) leaves the withdrawal pending with 502, and the sweep pays once', async (fault) => {
    const earner = await makeEarner(1000);
    fake.fault({ ...fault, method: 'POST' });
    expect(await refusalOf(withdraw(earner, 400))).toBe('502 PROCESSOR_ERROR');
    await pass(server, minute);
    fake.mend();
    await pass(server, day);
    const { id } = await onlyWithdrawal(earner);
    expect(atStripe(earner)).toEqual({ sent: 400, held: 0 });
    bank.decide(uuidOf(id), 'paid');
    await pass(server, day);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    expect(await movementsOf(earner)).toEqual(['withdrawal -400']);
  });

  test('and has forgotten our keys when we ask again still pays once', async () => {
    const earner = await makeEarner(1000);
    fake.fault({ kind: '500 before', path: '/v1/payouts', times: 1 });
    expect(await refusalOf(withdraw(earner, 400))).toBe('502 PROCESSOR_ERROR');
    await withdraw(earner, 300);
    fake.forgetKeys();
    await pass(server, 2 * day);
    expect(atStripe(earner)).toEqual({ sent: 700, held: 0 });
  });

  test('a refusal is PAYOUT_REFUSED, tells nothing of the platform, and the money is back on both sides', async () => {
    const earner = await makeEarner(1000);
    bank.books.platformBalance = 399;
    const poor = withdraw(earner, 400);
    await expect(poor).rejects.toMatchObject({
      status: 400,
      code: 'PAYOUT_REFUSED',
      details: { reason: 'The money is not available at the payment processor yet. Try again later.' },
    });
    bank.books.platformBalance = 1000;
    for (const code of ['payouts_not_allowed', 'a_code_nobody_knows', undefined]) {
      bank.books.refuses = { code, message: 'Platform acct_1Secret may not do that.' };
      const told = withdraw(earner, 400).then(String, (error) => `${error.code} ${JSON.stringify(error.details)}`);
      expect(await told).toMatch(/^PAYOUT_REFUSED .*The payment processor (makes no payouts|refused)/);
      expect(await told).not.toContain('acct_1Secret');
    }
    const { data } = await earner.owner.agora.vault.getPayouts();
    expect(JSON.stringify(data)).not.toContain('acct_1Secret');
    const { rows } = await server.pool.query(`select from events where data::text like '%acct_1Secret%'`);
    expect(rows).toEqual([]);
    for (const event of fake.webhooks.take()) await deliver(event);
    expect([await availableOf(earner), atStripe(earner), bank.books.platformBalance]).toEqual([
      1000,
      { sent: 0, held: 0 },
      1000,
    ]);
  });
});

test('64 withdrawals at once through a Stripe that fails at random end where its books say', async () => {
  const earner = await makeEarner(4000);
  for (const [kind, path] of [
    ['drop after', '/v1/transfers'],
    ['500 before', '/v1/payouts'],
    ['drop after', '/v1/payouts'],
    ['garbage', '/v1/transfers'],
  ] as const)
    fake.fault({ kind, path, method: 'POST', times: 6 });
  const outcomes = await Promise.all(Array.from({ length: 64 }, () => refusalOf(withdraw(earner, 100))));
  expect(new Set(outcomes)).toEqual(new Set(['no refusal', '502 PROCESSOR_ERROR', '400 INSUFFICIENT_BALANCE']));
  await expectSoundLedger(server);
  fake.mend();
  await pass(server, day);
  const { data } = await earner.owner.agora.vault.getPayouts({ pageSize: 100 });
  data.forEach(({ id }, index) => {
    bank.decide(uuidOf(id), 'paid');
    if (index % 3 === 0) bank.decide(uuidOf(id), 'failed');
  });
  const news = fake.webhooks.take();
  await Promise.all([...news.toReversed(), ...news].map(deliver));
  await expectSoundLedger(server);
  const after = (await earner.owner.agora.vault.getPayouts({ pageSize: 100 })).data;
  const paid = after.filter(({ status }) => status === 'paid').length * 100;
  expect([data.length, after.filter(({ status }) => status === 'pending').length]).toEqual([40, 0]);
  expect(atStripe(earner)).toEqual({ sent: paid, held: 0 });
  expect(await availableOf(earner)).toBe(4000 - paid);
});
