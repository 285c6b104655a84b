import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type StripeFake, startStripeFake } from '../../../test/stripe/fake.ts';
import { type FakePayouts, fakePayouts } from '../../../test/stripe/fake-payouts.ts';
import type { PayOut } from './pay-out.ts';
import type { ProcessorRecords } from './payment-processor.ts';
import { createStripeClient } from './stripe-client.ts';
import { stripePayoutRecords } from './stripe-payout-records.ts';
import { stripePayouts } from './stripe-payouts.ts';

/** The Stripe half of payouts, against the fake and by the official SDK. */

let payouts: FakePayouts;
let fake: StripeFake;
let stripe: PayOut & Pick<ProcessorRecords, 'listPayouts'>;
const signal = new AbortController().signal;

beforeAll(async () => {
  payouts = fakePayouts();
  fake = await startStripeFake({ moreRoutes: payouts.routes });
  const { url: apiBase, secretKey } = fake;
  const ask = createStripeClient({ secretKey, webhookSecret: null, apiBase, retries: 0 });
  stripe = { ...stripePayouts(ask), ...stripePayoutRecords(ask) };
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.mend();
  payouts.books.platformBalance = 1_000_000;
  payouts.books.refuses = null;
});

const newOwner = () => ({ ownerId: randomUUID(), email: 'ada@example.com' });
async function readyAccount(): Promise<string> {
  const { accountRef } = await stripe.createAccount(newOwner(), signal);
  payouts.onboard(accountRef);
  return accountRef;
}
const newRequest = (accountRef: string, amountCents = 500) => ({ intentId: randomUUID(), accountRef, amountCents });
const lookUp = (request: ReturnType<typeof newRequest>) =>
  stripe.lookUpPayout({ ...request, madeAt: new Date() }, signal);
const heldBy = (accountRef: string) => payouts.books.balances.get(accountRef);
const madeFor = (accountRef: string) => [...payouts.books.payouts.values()].filter((one) => one.account === accountRef);
const rejected = (work: Promise<unknown>) =>
  work.then(
    () => false,
    () => true,
  );

describe('accounts', () => {
  test('an owner gets one account, also when two requests make it at once', async () => {
    const owner = newOwner();
    const made = await Promise.all([1, 2, 3].map(() => stripe.createAccount(owner, signal)));
    expect(new Set(made.map(({ accountRef }) => accountRef)).size).toBe(1);
  });

  test('an account is in onboarding, then restricted, then ready, and says what is missing', async () => {
    const { accountRef } = await stripe.createAccount(newOwner(), signal);
    const status = () => stripe.accountStatus(accountRef, signal);
    expect(await status()).toEqual({
      accountRef,
      status: 'onboarding',
      missing: ['external_account', 'individual.first_name'],
      fingerprint: null,
    });
    payouts.onboard(accountRef, 'something is missing');
    expect(await status()).toMatchObject({
      accountRef,
      status: 'onboarding',
      missing: ['individual.verification.document'],
    });
    payouts.onboard(accountRef, 'under review');
    expect(await status()).toMatchObject({ accountRef, status: 'restricted', missing: [] });
    payouts.onboard(accountRef);
    expect(await status()).toMatchObject({ accountRef, status: 'ready', missing: [] });
  });

  test('an account that is gone is none; a key that is not accepted is a failure', async () => {
    expect(await stripe.accountStatus('acct_gone', signal)).toBeNull();
    const stranger = createStripeClient({
      secretKey: 'sk_test_no',
      webhookSecret: null,
      apiBase: fake.url,
      retries: 0,
    });
    await expect(stripePayouts(stranger).accountStatus('acct_gone', signal)).rejects.toThrow('secret key');
  });

  test.each(['{"object":"account_link"}', '{"object":"account","id":"acct_other"}', '{"object":"account"}'])(
    'a reply that is another thing than was asked for is a failure: %s',
    async (text) => {
      const accountRef = await readyAccount();
      fake.fault({ kind: 'garbage', text });
      const urls = { returnUrl: 'https://agora.example/back', refreshUrl: 'https://agora.example/again' };
      expect(await rejected(stripe.onboardingLink({ accountRef, ...urls }, signal))).toBe(true);
      expect(await rejected(stripe.accountStatus(accountRef, signal))).toBe(true);
    },
  );

  test('the onboarding link is good for minutes', async () => {
    const { accountRef } = await stripe.createAccount(newOwner(), signal);
    const urls = { returnUrl: 'https://agora.example/back', refreshUrl: 'https://agora.example/again' };
    const link = await stripe.onboardingLink({ accountRef, ...urls }, signal);
    expect(link.url).toContain(accountRef);
    expect(link.expiresAt.getTime()).toBeGreaterThan(Date.now() + 60_000);
  });
});

describe('payouts', () => {
  test('money goes to the account and on to the bank, and arrives when the bank says so', async () => {
    const request = newRequest(await readyAccount());
    const sent = await stripe.payOut(request, signal);
    expect(sent).toEqual({ status: 'in_transit', ref: payouts.payoutOf(request.intentId)?.id });
    expect(heldBy(request.accountRef)).toBe(0);
    payouts.decide(request.intentId, 'paid');
    expect(await lookUp(request)).toEqual({ ...sent, status: 'paid' });
  });

  test('an intent is paid out once, however often it is sent, and also when its keys are forgotten', async () => {
    const accountRef = await readyAccount();
    const request = newRequest(accountRef);
    // What the account holds for another intent must not be paid out for this one.
    payouts.books.balances.set(accountRef, 10_000);
    await Promise.all([1, 2, 3].map(() => stripe.payOut(request, signal)));
    fake.forgetKeys();
    expect(await stripe.payOut(request, signal)).toMatchObject({ status: 'in_transit' });
    expect(madeFor(accountRef)).toHaveLength(1);
    expect(heldBy(accountRef)).toBe(10_000);
  });

  test.each([
    { path: '/v1/transfers', kind: 'drop after' },
    { path: '/v1/transfers', kind: '500 after' },
    { path: '/v1/payouts', kind: 'drop after' },
    { path: '/v1/payouts', kind: '500 before' },
    { path: '/v1/payouts', kind: 'garbage' },
    { path: '/v1/payouts', kind: '429' },
    { path: '/v1/transfers', kind: 'garbage', text: '{"object":"transfer","reversed":true}' },
    { path: '/v1/transfers', kind: 'garbage', text: '{"object":"transfer","id":"tr_1","amount":500,"currency":"usd"}' },
    { path: '/v1/payouts', kind: 'garbage', text: '{"object":"payout","status":"paid"}' },
    { path: '/v1/payouts', kind: 'garbage', text: '{"object":"payout","id":"po_1","status":"failed","amount":500}' },
  ] as const)('$kind at $path decides nothing, and sending again pays once ($text)', async (fault) => {
    const request = newRequest(await readyAccount());
    fake.fault({ ...fault, method: 'POST', times: 1 });
    expect(await rejected(stripe.payOut(request, signal))).toBe(true);
    expect(await stripe.payOut(request, signal)).toMatchObject({ status: 'in_transit' });
    expect(madeFor(request.accountRef)).toHaveLength(1);
    expect(heldBy(request.accountRef)).toBe(0);
    expect(payouts.books.platformBalance).toBe(1_000_000 - 500);
  });

  test('a look-up knows nothing of what was not sent, or stopped half-way', async () => {
    const request = newRequest(await readyAccount());
    expect(await lookUp(request)).toBeNull();
    fake.fault({ kind: '500 before', path: '/v1/payouts', times: 1 });
    await rejected(stripe.payOut(request, signal));
    expect(heldBy(request.accountRef)).toBe(500);
    expect(await lookUp(request)).toBeNull();
  });

  test('a refused payout is failed with a reason, its money is with the platform again, and a look-up says the same', async () => {
    const request = newRequest(await readyAccount());
    payouts.books.refuses = { code: 'payouts_not_allowed', message: 'Payouts of this account are paused.' };
    const refused = { status: 'failed', reason: expect.stringMatching(/^The payment processor makes no payouts/) };
    const said = expect.stringMatching(/^Payouts of this account are paused/);
    expect(await stripe.payOut(request, signal)).toEqual({ ...refused, said });
    payouts.books.refuses = null;
    expect(await lookUp(request)).toEqual(refused);
    expect(await stripe.payOut(request, signal)).toEqual(refused);
    expect([heldBy(request.accountRef), payouts.books.platformBalance]).toEqual([0, 1_000_000]);
  });

  test('a transfer that Stripe refuses is failed, and the balance of the platform stays secret', async () => {
    payouts.books.platformBalance = 499;
    const outcome = await stripe.payOut(newRequest(await readyAccount()), signal);
    expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('Try again later') });
    const { accountRef } = await stripe.createAccount(newOwner(), signal);
    expect(await stripe.payOut(newRequest(accountRef), signal)).toMatchObject({ status: 'failed' });
    expect(await stripe.payOut(newRequest('acct_gone'), signal)).toMatchObject({ status: 'failed' });
  });

  test('a payout that fails after it had arrived gives the money back to the platform once', async () => {
    const request = newRequest(await readyAccount());
    await stripe.payOut(request, signal);
    payouts.decide(request.intentId, 'paid');
    payouts.decide(request.intentId, 'failed');
    fake.fault({ kind: 'drop after', path: '/v1/transfers/', method: 'POST', times: 1 });
    expect(await rejected(lookUp(request))).toBe(true);
    const failed = { status: 'failed', reason: expect.stringMatching(/^The bank account has been closed/) };
    expect(await Promise.all([lookUp(request), lookUp(request)])).toMatchObject([failed, failed]);
    expect([heldBy(request.accountRef), payouts.books.platformBalance]).toEqual([0, 1_000_000]);
  });

  test('a reversal of something else does not say that the money is back', async () => {
    const request = newRequest(await readyAccount());
    await stripe.payOut(request, signal);
    payouts.decide(request.intentId, 'failed');
    for (const text of ['{"object":"transfer_reversal","id":"trr_1"}', '{"object":"transfer_reversal"}']) {
      fake.fault({ kind: 'garbage', text, path: '/v1/transfers/', method: 'POST', times: 1 });
      expect(await rejected(lookUp(request))).toBe(true);
    }
    expect(await lookUp(request)).toMatchObject({ status: 'failed' });
    expect(payouts.books.platformBalance).toBe(1_000_000);
  });

  test('money that cannot be taken back is not said to have failed', async () => {
    const request = newRequest(await readyAccount());
    await stripe.payOut(request, signal);
    payouts.decide(request.intentId, 'failed');
    payouts.books.balances.set(request.accountRef, 0);
    expect(await rejected(lookUp(request))).toBe(true);
  });

  test('the books list each payout of ours with what became of it', async () => {
    const since = new Date(Date.now() - 60_000);
    const accountRef = await readyAccount();
    const [paid, failed, open] = [
      newRequest(accountRef, 501),
      newRequest(accountRef, 502),
      newRequest(accountRef, 503),
    ];
    for (const request of [paid, failed, open]) await stripe.payOut(request, signal);
    payouts.decide(paid.intentId, 'paid');
    payouts.decide(failed.intentId, 'failed');
    await lookUp(failed);
    const records: unknown[] = [];
    for await (const record of stripe.listPayouts(since, signal)) {
      if (record.accountRef === accountRef) records.push([record.intentId, record.amountCents, record.status]);
    }
    expect(records.sort()).toEqual(
      [
        [paid.intentId, 501, 'paid'],
        [failed.intentId, 502, 'failed'],
        [open.intentId, 503, 'in_transit'],
      ].sort(),
    );
  });
});
