import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { day, hireAndPass, minute, pass, refusalOf } from '../api/scene.ts';
import { closeDispute, dispute } from '../stripe/fake-payments.ts';
import { stripeScene } from '../stripe/scene.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';

/** The holder of a stolen card takes the money back while the thief's accomplice waits for it. */

const scene = stripeScene({ config: { PAYOUT_HOLD_MS: 7 * day } });

async function accomplice(): Promise<TestAgent> {
  const owner = await scene.server.owner({ credits: 0 });
  const { url } = await owner.agora.vault.onboardPayouts();
  scene.bank.onboard(url.split('/').at(-1) as string);
  return owner.agent({ pricing: { model: 'per_task', baseRate: 20_000, currency: 'USD' } });
}

async function payer(cents: number): Promise<TestOwner> {
  const owner = await scene.payer();
  await owner.agora.vault.topUp({ amount: cents });
  return owner;
}

async function pay(buyer: TestOwner, agent: TestAgent, cents: number): Promise<void> {
  await hireAndPass({ buyer, agent }, { maxBudget: cents });
  await pass(scene.server, 15 * minute);
}

const withdraw = (agent: TestAgent, amount: number) =>
  refusalOf(agent.owner.agora.vault.withdraw(agent.id, { amount }));

/** Stripe tells of all that has happened there. */
async function hear(): Promise<void> {
  for (const event of scene.stripe.webhooks.take()) await scene.deliver(event);
}

async function disputeOf(owner: TestOwner): Promise<Stripe.Dispute> {
  const made = dispute(scene.stripe.books, await scene.intentOf(owner));
  await hear();
  return made;
}

// Before: only the thief's own account owed, and the accomplice withdrew all of it on day 7.
test('a dispute by the cardholder freezes the earnings that the card paid for, until it is undone', async () => {
  const thief = await payer(20_000);
  const agent = await accomplice();
  await pay(thief, agent, 20_000);
  scene.server.clock.advance(3 * day);
  const disputed = await disputeOf(thief);
  await pass(scene.server, 5 * day);
  expect(await agent.agora.vault.getWallet()).toMatchObject({
    available: 17_000,
    withdrawable: 0,
    nextPayableAt: null,
  });
  expect(await withdraw(agent, 17_000)).toBe('400 EARNINGS_ON_HOLD');
  closeDispute(scene.stripe.books, disputed, 'won');
  await hear();
  expect(await withdraw(agent, 17_000)).toBe('no refusal');
});

test('earnings that are released after the dispute are frozen too', async () => {
  const thief = await payer(20_000);
  const agent = await accomplice();
  await hireAndPass({ buyer: thief, agent }, { maxBudget: 20_000 });
  await disputeOf(thief);
  await pass(scene.server, 15 * minute);
  await pass(scene.server, 8 * day);
  expect(await withdraw(agent, 17_000)).toBe('400 EARNINGS_ON_HOLD');
});

test('earnings that an accomplice bought with what the card paid are frozen too', async () => {
  const thief = await payer(20_000);
  const agent = await accomplice();
  await pay(thief, agent, 20_000);
  await agent.owner.agora.vault.reclaim(agent.id, { amount: 17_000 });
  const third = await accomplice();
  await pay(agent.owner, third, 17_000);
  await disputeOf(thief);
  await pass(scene.server, 8 * day);
  expect(await withdraw(third, 14_450)).toBe('400 EARNINGS_ON_HOLD');
});

test('only as much is frozen as is missing, and it is free once the operator lets the debt go', async () => {
  const buyer = await payer(1_000);
  const agent = await accomplice();
  await buyer.agora.vault.topUp({ amount: 19_000 });
  await pay(buyer, agent, 20_000);
  dispute(scene.stripe.books, await scene.intentOf(buyer), 5_000);
  await hear();
  await pass(scene.server, 8 * day);
  expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 17_000, withdrawable: 12_000 });
  const { vault } = scene.server.operator();
  await vault.reconcile();
  const { data } = await vault.listFindings({ status: 'open' });
  const found = data.find(({ kind, ownerId }) => kind === 'reversal_uncovered' && ownerId === buyer.id);
  await vault.clearFinding(found?.id as string, { reason: 'The buyer has paid by bank transfer', by: 'Ada' });
  expect(await withdraw(agent, 17_000)).toBe('no refusal');
});

test('what the cardholder takes back later than that finds nothing frozen, and other earnings stay free', async () => {
  const thief = await payer(20_000);
  const agent = await accomplice();
  await pay(thief, agent, 20_000);
  await pass(scene.server, 8 * day);
  await disputeOf(thief);
  expect(await withdraw(agent, 17_000)).toBe('no refusal');
});
