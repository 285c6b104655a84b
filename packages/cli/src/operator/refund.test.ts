import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { refundScene } from '../../../server/test/stripe/refund-scene.ts';
import { refundCommand } from './refund.ts';

/** The operator's refund, on the database of a server at work whose processor is Stripe's. */

const { scene, paid, stateOf } = refundScene();
let printed: string[];

beforeAll(() => {
  vi.stubEnv('DATABASE_URL', scene.server.databaseUrl);
  vi.stubEnv('LOG_LEVEL', 'silent');
});
afterAll(() => {
  vi.unstubAllEnvs();
});
beforeEach(() => {
  printed = [];
  vi.stubEnv('STRIPE_SECRET_KEY', scene.stripe.secretKey);
  vi.stubEnv('STRIPE_API_BASE', scene.stripe.url);
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(String(line)));
});

test('gives back the amount named, then what is left, and says what the owner has', async () => {
  const top = await paid();
  await refundCommand(top.topUpId, { reason: 'Goodwill', amount: '300', by: 'Ada' });
  await refundCommand(top.topUpId, { reason: 'All of it' });
  expect(printed).toEqual([
    expect.stringMatching(new RegExp(`^rfd_\\w+: 300 cents of ${top.topUpId} went back; its owner has 700 left\\.$`)),
    expect.stringContaining('its owner has 0 left.'),
  ]);
  expect((await stateOf(top)).atStripe).toEqual(['300 succeeded', '700 succeeded']);
});

test('says of a pending refund that it is on its way', async () => {
  const top = await paid();
  scene.stripe.books.refundsAre = 'pending';
  await refundCommand(top.topUpId, { reason: 'r' });
  expect(printed).toEqual([expect.stringContaining('1000 cents of')]);
  expect(printed[0]).toContain('is on its way back');
});

test('a refusal says how much there is', async () => {
  const top = await paid();
  await expect(refundCommand(top.topUpId, { reason: 'r', amount: '1001' })).rejects.toThrow(
    'The amount exceeds what can still be refunded of this top-up. See details.available. (required: 1001, available: 1000)',
  );
  await expect(refundCommand(top.topUpId, { reason: ' ' })).rejects.toThrow('--reason');
  await expect(refundCommand(top.topUpId, { reason: 'r', amount: '1e3' })).rejects.toThrow('--amount');
  await expect(refundCommand('txn_nothing', { reason: 'r' })).rejects.toThrow('No such top-up.');
  expect((await stateOf(top)).atStripe).toEqual([]);
});

test('the test processor is known to its server alone, and is not asked', async () => {
  const top = await paid();
  vi.stubEnv('STRIPE_SECRET_KEY', undefined);
  await expect(refundCommand(top.topUpId, { reason: 'r' })).rejects.toThrow('test processor');
  expect(await scene.balanceOf(top.owner)).toBe(1000);
});
