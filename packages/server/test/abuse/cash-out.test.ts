import { toUuid } from '@agora-market/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { day, hireAndPass, minute, pass, refusalOf, serverForFile } from '../api/scene.ts';
import { agreed, makeStanding } from '../exchange/scene.ts';
import { makeOwner, type TestAgent, type TestOwner } from '../support/harness.ts';

/**
 * Ways from a stolen card to a bank. Before, the first of them took two seconds from sign-up to payout, and the card
 * holder's bank took the money back from the platform days later.
 */

const processor = createTestProcessor();
const server = serverForFile({
  processor,
  config: {
    PAYMENT_LIMITS: 'on',
    PAYOUT_HOLD_MS: 7 * day,
    SESSION_IDLE_MS: 1e12,
    EXCHANGE_SUNSET: '2099-01-01T00:00:00Z',
  },
});
const hold = 7 * day;

// What counts within a day is over.
beforeEach(() => server.clock.advance(2 * day));

/** An owner with a verified address and a card, who pays so many cents in. */
async function payer(cents: number): Promise<TestOwner> {
  const owner = await server.owner({ credits: 0 });
  await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  if (cents > 0) await owner.agora.vault.topUp({ amount: cents });
  return owner;
}

/** An agent of another account that can be paid out. */
async function accomplice(): Promise<TestAgent> {
  const owner = await server.owner({ credits: 0 });
  await owner.agora.vault.onboardPayouts();
  return owner.agent({ pricing: { model: 'per_task', baseRate: 20_000, currency: 'USD' } });
}

/** The buyer hires the agent for so many cents; the work passes and the earnings are released. */
async function pay(buyer: TestOwner, agent: TestAgent, cents = 20_000): Promise<void> {
  await hireAndPass({ buyer, agent }, { maxBudget: cents });
  await pass(server, 15 * minute);
}

const withdraw = (agent: TestAgent, amount: number) => agent.owner.agora.vault.withdraw(agent.id, { amount });

const detailsOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { code: string; details: Record<string, unknown> }) => ({ code: error.code, ...error.details }),
  );

// Before: withdrawn, 2.2 seconds after the sign-up.
test('sign-up without a verified address, card, pool, own wallet, bank: no step pays', async () => {
  const owner = await makeOwner(server.client, 0);
  const { vault } = owner.agora;
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  expect(await detailsOf(vault.topUp({ amount: 1_000_000 }))).toEqual({ code: 'EMAIL_NOT_VERIFIED', limit: 2_000 });
  await vault.topUp({ amount: 2_000 });
  expect(await refusalOf(vault.topUp({ amount: 500 }))).toBe('403 EMAIL_NOT_VERIFIED');
  const agent = await owner.agent();
  await vault.allocate(agent.id, { amount: 2_000 });
  await vault.onboardPayouts();
  expect(await refusalOf(vault.withdraw(agent.id, { amount: 2_000 }))).toBe('403 EMAIL_NOT_VERIFIED');
});

// Before: withdrawn at once.
test('a verified address, card, pool, own wallet, bank: what was allocated goes back to the card only', async () => {
  const owner = await payer(0);
  const { vault } = owner.agora;
  expect(await refusalOf(vault.topUp({ amount: 1_000_000 }))).toBe('403 TOP_UP_HELD');
  await vault.topUp({ amount: 100_000 });
  const agent = await owner.agent();
  await vault.allocate(agent.id, { amount: 100_000 });
  await vault.onboardPayouts();
  server.clock.advance(60 * day);
  expect(await detailsOf(vault.withdraw(agent.id, { amount: 100 }))).toMatchObject({
    ...{ code: 'INSUFFICIENT_BALANCE', required: 100, available: 0, allocated: 100_000 },
  });
  await vault.reclaim(agent.id, { amount: 100_000 });
  const { data } = await vault.poolTransactions({ cause: 'top_up' });
  const reason = 'The card holder wants it back';
  const back = await server.operator().vault.refundTopUp(data[0]?.id as string, { reason });
  expect(back).toMatchObject({ amount: 100_000, status: 'succeeded', newBalance: 0 });
});

// Before: withdrawn 15 minutes after the work.
test('a second account is hired with the card: its earnings wait for the payment behind them', async () => {
  const agent = await accomplice();
  await pay(await payer(20_000), agent);
  const wallet = await agent.agora.vault.getWallet();
  const nextPayableAt = new Date(server.clock.now().getTime() + hold).toISOString();
  expect(wallet).toMatchObject({ available: 17_000, allocated: 0, withdrawable: 0, nextPayableAt });
  expect(await detailsOf(withdraw(agent, 17_000))).toEqual({
    ...{ code: 'EARNINGS_ON_HOLD', required: 17_000, available: 0, allocated: 0, onHold: 17_000, nextPayableAt },
  });
  server.clock.advance(hold - 1);
  expect(await refusalOf(withdraw(agent, 17_000))).toBe('400 EARNINGS_ON_HOLD');
  server.clock.advance(1);
  expect(await agent.agora.vault.getWallet()).toMatchObject({ withdrawable: 17_000, nextPayableAt: null });
  expect((await withdraw(agent, 17_000)).status).toBe('paid');
});

// Before: withdrawn from the other wallet.
test('earnings that wait, moved to another own agent, wait there', async () => {
  const agent = await accomplice();
  await pay(await payer(20_000), agent);
  const sibling = await agent.owner.agent();
  await agent.owner.agora.vault.transfer({ fromAgentId: agent.id, toAgentId: sibling.id, amount: 17_000 });
  expect(await refusalOf(withdraw(sibling, 17_000))).toBe('400 EARNINGS_ON_HOLD');
  server.clock.advance(hold);
  expect((await withdraw(sibling, 17_000)).status).toBe('paid');
});

// Before: withdrawn by the third account, whose buyer never had a card.
test('earnings that wait, spent on the agent of a third account, wait there as long', async () => {
  const agent = await accomplice();
  await pay(await payer(20_000), agent);
  server.clock.advance(3 * day);
  await agent.owner.agora.vault.reclaim(agent.id, { amount: 17_000 });
  const third = await accomplice();
  await pay(agent.owner, third, 17_000);
  expect(await refusalOf(withdraw(third, 14_450))).toBe('400 EARNINGS_ON_HOLD');
  server.clock.advance(4 * day);
  expect((await withdraw(third, 14_450)).status).toBe('paid');
});

// Before: the accomplice had its own spent top-up refunded with what the stolen card had paid.
test('earnings that wait, reclaimed, are not refunded to an own card as an unspent top-up', async () => {
  const agent = await accomplice();
  const { vault } = agent.owner.agora;
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_discover' });
  await vault.topUp({ amount: 20_000 });
  await pay(agent.owner, await accomplice());
  await pay(await payer(20_000), agent);
  await vault.reclaim(agent.id, { amount: 17_000 });
  const { data } = await vault.poolTransactions({ cause: 'top_up' });
  const refund = () =>
    server.operator().vault.refundTopUp(data[0]?.id as string, { amount: 17_000, reason: 'Unspent, they say' });
  expect(await detailsOf(refund())).toEqual({ code: 'INSUFFICIENT_BALANCE', required: 17_000, available: 0 });
  server.clock.advance(hold);
  expect((await refund()).status).toBe('succeeded');
});

test('from where a payment was made is forgotten after a day', async () => {
  const owner = await payer(500);
  const addresses = async () => {
    const { rows } = await server.pool.query('select address from top_ups where owner_id = $1', [
      toUuid('owner', owner.id),
    ]);
    return rows.map(({ address }) => address);
  };
  expect(await addresses()).toEqual([expect.any(String)]);
  await pass(server, day);
  expect(await addresses()).toEqual([null]);
});

// Before: withdrawn 15 minutes after the agreement.
test('the legacy exchange is no way around it', async () => {
  const buyer = await (await payer(20_000)).agent();
  await buyer.owner.agora.vault.allocate(buyer.id, { amount: 20_000 });
  const seller = await accomplice();
  const unlimited = { dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
  await buyer.owner.agora.vault.setBudget(buyer.id, { ...unlimited, perTransactionMax: null, approvalThreshold: null });
  for (const { id } of [buyer, seller]) await makeStanding(server, id);
  const { id } = await agreed({ server, buyer, seller });
  await seller.agora.exchange.start(id, { version: 1 });
  await seller.agora.exchange.deliver(id, {
    result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing',
  });
  await server.app.run('exchange.assess');
  await buyer.agora.exchange.accept(id);
  await pass(server, 15 * minute);
  expect(await seller.agora.vault.getWallet()).toMatchObject({ available: 17_000, withdrawable: 0 });
  expect(await refusalOf(withdraw(seller, 17_000))).toBe('400 EARNINGS_ON_HOLD');
});

// Before: all of it came back as earnings, which can be withdrawn.
test('an escrow of the legacy exchange that was open at the upgrade comes back as what it was', async () => {
  const buyer = await accomplice();
  const seller = await accomplice();
  for (let nth = 0; nth < 2; nth++) await pay(await payer(20_000), buyer);
  const unlimited = { dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
  await buyer.owner.agora.vault.setBudget(buyer.id, { ...unlimited, perTransactionMax: null, approvalThreshold: null });
  for (const { id } of [buyer, seller]) await makeStanding(server, id);
  const { id, version } = await agreed({ server, buyer, seller });
  // As the migration notes it: of the price 15,000 were allocated.
  await server.pool.query('insert into escrows_set_apart (agreement_id, cents) values ($1, 15000)', [
    toUuid('agreement', id),
  ]);
  await seller.agora.exchange.withdraw(id, { version });
  expect(await buyer.agora.vault.getWallet()).toMatchObject({ available: 34_000, allocated: 15_000 });
});

// Before: every account charged it as often as it liked.
test('one card in many accounts is stopped, and the operator can let one of them pay for a day', async () => {
  for (let nth = 0; nth < 5; nth++) await payer(100_000);
  const sixth = await payer(0);
  const { vault } = sixth.agora;
  // Its owner does not learn what others paid with the card.
  expect(await detailsOf(vault.topUp({ amount: 500 }))).toEqual({ code: 'TOP_UP_HELD' });
  const { data } = await server.operator().vault.listHeldPayments({ status: 'open' });
  const waiting = data.at(-1);
  expect(waiting).toMatchObject({
    ...{ kind: 'top_up', ownerId: sixth.id, amount: 500, withdrawalId: null },
    reason: '$5005.00 by top-ups of one card within a day, more than $5000.00',
  });
  const decision = { reason: 'A known customer', by: 'Ada' };
  await server.operator().vault.releaseHeldPayment(waiting?.id as string, decision);
  expect((await vault.topUp({ amount: 500 })).newBalance).toBe(500);
  server.clock.advance(day);
  expect(await refusalOf(vault.topUp({ amount: 99_900 }))).toBe('no refusal');
});

const largest = 100_000;
const beyond = 150_000;
const openHeldOf = async (owner: TestOwner) => {
  const { data } = await server.operator().vault.listHeldPayments({ status: 'open', pageSize: 100 });
  return data.filter(({ ownerId }) => ownerId === owner.id);
};
const release = (held: { id: string } | undefined) =>
  server.operator().vault.releaseHeldPayment(held?.id as string, { reason: 'A known customer', by: 'Ada' });

// Before: it opened the account for a day, for any sum and any card.
test('the release of a top-up covers its amount and its card, once', async () => {
  const owner = await server.owner({ credits: 0 });
  const { vault } = owner.agora;
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_amex' });
  expect(await refusalOf(vault.topUp({ amount: beyond }))).toBe('403 TOP_UP_HELD');
  expect(await refusalOf(vault.topUp({ amount: 2 * beyond }))).toBe('403 TOP_UP_HELD');
  const [held] = await openHeldOf(owner);
  expect(held).toMatchObject({ amount: beyond });
  await release(held);
  expect(await refusalOf(vault.topUp({ amount: beyond + 1 }))).toBe('403 TOP_UP_HELD');
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_diners' });
  await vault.setDefaultPaymentMethod('pm_card_diners');
  expect(await refusalOf(vault.topUp({ amount: beyond }))).toBe('403 TOP_UP_HELD');
  await vault.setDefaultPaymentMethod('pm_card_amex');
  expect((await vault.topUp({ amount: beyond })).newBalance).toBe(beyond);
  expect(await refusalOf(vault.topUp({ amount: 500 }))).toBe('403 TOP_UP_HELD');
});

// Before: TOP_UP_HELD, with a mail to the owner and a row for the operator.
test('a double click on a large top-up is no payment over a limit', async () => {
  const owner = await server.owner({ credits: 0 });
  const { vault } = owner.agora;
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_jcb' });
  processor.faults.fail = 'before';
  expect(await refusalOf(vault.topUp({ amount: largest }))).toBe('502 PROCESSOR_ERROR');
  processor.faults.fail = undefined;
  expect(await refusalOf(vault.topUp({ amount: largest }))).toBe('409 TOP_UP_IN_PROGRESS');
  expect(await openHeldOf(owner)).toEqual([]);
});

// Before: it failed as if the card had been declined, and after three more tries was off; the operator saw nothing.
test('auto-top-up over a limit waits for the operator, and is no failure', async () => {
  const owner = await server.owner({ credits: 0 });
  const { vault } = owner.agora;
  await vault.addPaymentMethod({ paymentMethodId: 'pm_card_unionpay' });
  const caps = { maxPerDay: beyond, maxPerMonth: beyond };
  await vault.setAutoTopUp({ enabled: true, threshold: beyond, reloadAmount: beyond, ...caps });
  const hours = async (count: number) => {
    for (let nth = 0; nth < count; nth++) {
      await server.app.run('vault.refillPools');
      server.clock.advance(60 * minute);
    }
  };
  await hours(5);
  const held = await openHeldOf(owner);
  expect(held).toMatchObject([{ kind: 'top_up', amount: beyond }]);
  const { rows } = await server.pool.query(
    `select type from events where owner_id = $1 and type in ('auto_top_up.failed', 'payment.held')`,
    [toUuid('owner', owner.id)],
  );
  expect(rows).toEqual([{ type: 'payment.held' }]);
  await release(held[0]);
  await hours(1);
  expect((await vault.getPool()).balance).toBe(beyond);
});

// Before: a card was charged by auto-top-up in sums of any size, whoever's address it was.
test('auto-top-up does not charge large sums for an unverified address', async () => {
  const owner = await makeOwner(server.client, 0);
  await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await owner.agora.vault.setAutoTopUp({
    ...{ enabled: true, threshold: 5_000, reloadAmount: 5_000 },
    ...{ maxPerDay: 100_000, maxPerMonth: 100_000 },
  });
  await server.app.run('vault.refillPools');
  expect((await owner.agora.vault.getPool()).balance).toBe(0);
  const { rows } = await server.pool.query(
    `select data ->> 'reason' as reason from events where type = 'auto_top_up.failed' and owner_id = $1`,
    [toUuid('owner', owner.id)],
  );
  expect(rows).toEqual([{ reason: 'Your e-mail address is not verified.' }]);
  await owner.agora.vault.setAutoTopUp({ enabled: false, threshold: 5_000, reloadAmount: 5_000 });
});

describe('withdrawals over a limit of a day', () => {
  /** An agent that three withdrawals, all payable, have left with 11,000 cents; the third is held. */
  async function held() {
    const agent = await accomplice();
    const buyer = await payer(20_000);
    await server.pool.query(`update top_ups set created_at = created_at - interval '40 days' where owner_id = $1`, [
      toUuid('owner', buyer.id),
    ]);
    await pay(buyer, agent);
    await server.pool.query('delete from payout_holds');
    for (let nth = 0; nth < 2; nth++) expect((await withdraw(agent, 2_000)).status).toBe('paid');
    const third = await withdraw(agent, 2_000);
    const { data } = await server.operator().vault.listHeldPayments({ status: 'open' });
    const waiting = data.find(({ withdrawalId }) => withdrawalId === third.id);
    return { agent, third, waiting };
  }

  // Before: paid at once, each of them.
  test('are held with their reason, and paid when the operator releases them', async () => {
    const { agent, third, waiting } = await held();
    expect(third).toMatchObject({ status: 'held', resolvedAt: null });
    expect(waiting).toMatchObject({
      ...{ kind: 'withdrawal', ownerId: agent.owner.id, amount: 2_000, status: 'open' },
      reason: '3 payments by withdrawals of one account within a day, more than 2',
    });
    await pass(server, day);
    expect((await agent.agora.vault.getWallet()).available).toBe(11_000);
    const { vault } = server.operator();
    const decided = await vault.releaseHeldPayment(waiting?.id as string, { reason: 'Known', by: 'Ada' });
    expect(decided).toMatchObject({ status: 'released', decidedBy: 'Ada', decidedReason: 'Known' });
    await server.app.run('vault.settleWithdrawals');
    const { data } = await agent.owner.agora.vault.getPayouts();
    expect(data.find(({ id }) => id === third.id)).toMatchObject({ status: 'paid' });
    expect(await refusalOf(vault.refuseHeldPayment(waiting?.id as string, { reason: 'Too late' }))).toBe(
      '400 WRONG_STATE',
    );
  });

  // Before: each of them was another row for the operator.
  test('are one at a time', async () => {
    const { agent, third, waiting } = await held();
    expect(await detailsOf(withdraw(agent, 100))).toEqual({ code: 'WRONG_STATE', withdrawalId: third.id });
    await server.operator().vault.refuseHeldPayment(waiting?.id as string, { reason: 'Unknown' });
    expect((await withdraw(agent, 100)).status).toBe('held');
  });

  // Before: they were paid.
  test.each([
    [
      'the owner is suspended',
      ({ owner }: TestAgent) =>
        server.operator().auth.updateOwner(owner.id, { status: 'suspended', reason: 'A thief', by: 'Ada' }),
      'OWNER_SUSPENDED',
    ],
    [
      'the wallet is flagged',
      ({ id }: TestAgent) =>
        server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
          toUuid('agent', id),
        ]),
      'WALLET_FLAGGED',
    ],
    [
      'the account for payouts is gone',
      ({ owner }: TestAgent) =>
        server.pool.query('delete from payout_accounts where owner_id = $1', [toUuid('owner', owner.id)]),
      'PAYOUT_ACCOUNT_REQUIRED',
    ],
  ])('are not released while %s', async (_, happen, reason) => {
    const { agent, waiting } = await held();
    await happen(agent);
    expect(await detailsOf(release(waiting))).toEqual({ code: 'WRONG_STATE', reason });
  });

  test('are returned to the wallet when the operator refuses them, and the owner is told why', async () => {
    const { agent, third, waiting } = await held();
    await server.operator().vault.refuseHeldPayment(waiting?.id as string, { reason: 'A stolen card', by: 'Ada' });
    expect((await agent.agora.vault.getWallet()).available).toBe(13_000);
    const { data } = await agent.owner.agora.vault.getPayouts();
    expect(data.find(({ id }) => id === third.id)).toMatchObject({ status: 'failed', failureReason: 'A stolen card' });
    await server.app.run('embassy.notify');
    const told = await agent.owner.agora.embassy.listNotifications();
    expect(told.data.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['payment_held', 'withdrawal_failed']));
  });
});
