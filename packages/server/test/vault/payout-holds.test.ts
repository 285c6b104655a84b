import { toUuid } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { day, dispute, hireAndPass, minute, pass, serverForFile } from '../api/scene.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';

/** How long earnings wait for the payment behind them. The attacks that this ends are in `abuse/cash-out.test.ts`. */

const server = serverForFile({ config: { PAYOUT_HOLD_MS: 7 * day, SESSION_IDLE_MS: 1e12 } });
const hold = 7 * day;

async function seller(): Promise<TestAgent> {
  const owner = await server.owner({ credits: 0 });
  await owner.agora.vault.onboardPayouts();
  return owner.agent();
}

/** An agent whose owner was paid 900 cents on three days. */
async function seasoned(): Promise<TestAgent> {
  const agent = await seller();
  for (let nth = 0; nth < 2; nth++) await hireAndPass({ buyer: await server.owner({ credits: 1_000 }), agent });
  await pass(server, 15 * minute);
  server.clock.advance(hold);
  for (let nth = 0; nth < 3; nth++) {
    await agent.owner.agora.vault.withdraw(agent.id, { amount: 300 });
    server.clock.advance(day);
  }
  return agent;
}

/** A buyer whose card paid first so long ago, and then not again. */
async function buyerSince(ms: number): Promise<TestOwner> {
  const buyer = await server.owner({ credits: 10_000 });
  server.clock.advance(ms);
  return buyer;
}

/** How long new earnings wait after their release, in days. */
async function daysOfHold(buyer: TestOwner, agent: TestAgent): Promise<number> {
  await hireAndPass({ buyer, agent });
  await pass(server, 15 * minute);
  const { nextPayableAt } = await agent.agora.vault.getWallet();
  return nextPayableAt === null ? 0 : (Date.parse(nextPayableAt) - server.clock.now().getTime()) / day;
}

test('an old card and an earner with payouts: nothing waits', async () => {
  const buyer = await buyerSince(40 * day);
  const agent = await seasoned();
  const { withdrawable: before } = await agent.agora.vault.getWallet();
  expect(await daysOfHold(buyer, agent)).toBe(0);
  expect((await agent.agora.vault.getWallet()).withdrawable).toBe(before + 850);
});

test('an old card that has just paid: until the processor has the money, or when it says', async () => {
  const buyer = await buyerSince(40 * day);
  const agent = await seasoned();
  await buyer.agora.vault.topUp({ amount: 1_000 });
  expect(await daysOfHold(buyer, agent)).toBeCloseTo(2, 1);
  const other = await buyerSince(40 * day);
  await other.agora.vault.topUp({ amount: 1_000 });
  await server.pool.query(
    `update top_ups set available_at = created_at + interval '5 days' where owner_id = $1 and amount = 1000`,
    [toUuid('owner', other.id)],
  );
  expect(await daysOfHold(other, await seasoned())).toBe(0);
  const third = await seasoned();
  await other.agora.vault.topUp({ amount: 1_001 });
  await server.pool.query(
    `update top_ups set available_at = created_at + interval '5 days' where owner_id = $1 and amount = 1001`,
    [toUuid('owner', other.id)],
  );
  expect(await daysOfHold(other, third)).toBeCloseTo(5, 1);
});

test('a young card: seven days, also for an earner with payouts', async () => {
  const agent = await seasoned();
  expect(await daysOfHold(await buyerSince(29 * day), agent)).toBe(7);
});

test('the first payouts: seven days, also where an old card paid', async () => {
  const buyer = await buyerSince(40 * day);
  expect(await daysOfHold(buyer, await seller())).toBe(7);
});

// Before: three payouts of a dollar, on one day, were a history.
test('an earner that was paid less than these earnings, or on one day: seven days', async () => {
  const buyer = await buyerSince(40 * day);
  const paid = async (amount: number, apart: number) => {
    const agent = await seller();
    await hireAndPass({ buyer: await server.owner({ credits: 1_000 }), agent });
    await pass(server, 15 * minute);
    server.clock.advance(hold);
    for (let nth = 0; nth < 3; nth++) {
      await agent.owner.agora.vault.withdraw(agent.id, { amount });
      server.clock.advance(apart);
    }
    return agent;
  };
  expect(await daysOfHold(buyer, await paid(100, day))).toBe(7);
  expect(await daysOfHold(buyer, await paid(283, 1))).toBe(7);
});

// Before: a payment of five dollars made a card old for any sum 30 days later.
test('a card that pays far more than it did 30 days ago: seven days', async () => {
  const buyer = await server.owner({ credits: 500 });
  const agent = await seasoned();
  server.clock.advance(40 * day);
  await buyer.agora.vault.topUp({ amount: 1_501 });
  expect(await daysOfHold(buyer, agent)).toBe(7);
});

// Before: it vouched for the earnings that wait in the other.
test('what a flagged wallet has counts for no other wallet', async () => {
  const agent = await seasoned();
  const sibling = await agent.owner.agent();
  await hireAndPass({ buyer: await server.owner({ credits: 1_000 }), agent: sibling });
  await pass(server, 15 * minute);
  expect((await sibling.agora.vault.getWallet()).withdrawable).toBe(800);
  await server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
    toUuid('agent', agent.id),
  ]);
  expect((await sibling.agora.vault.getWallet()).withdrawable).toBe(0);
});

// Before: min(payable_at), although nothing is free then.
test('the next time is when there is more to withdraw', async () => {
  const agent = await seller();
  await hireAndPass({ buyer: await server.owner({ credits: 1_000 }), agent });
  await pass(server, 15 * minute);
  server.clock.advance(3 * day);
  await hireAndPass({ buyer: await server.owner({ credits: 1_000 }), agent });
  await pass(server, 15 * minute);
  const last = new Date(server.clock.now().getTime() + hold).toISOString();
  await agent.owner.agora.vault.reclaim(agent.id, { amount: 850 });
  expect(await agent.agora.vault.getWallet()).toMatchObject({ withdrawable: 0, nextPayableAt: last });
});

test('a buyer without a card, who pays with earnings that are payable: nothing waits', async () => {
  const rich = await seasoned();
  await rich.owner.agora.vault.reclaim(rich.id, { amount: 550 });
  const agent = await seller();
  await hireAndPass({ buyer: rich.owner, agent }, { maxBudget: 500 });
  await pass(server, 15 * minute);
  expect(await agent.agora.vault.getWallet()).toMatchObject({ withdrawable: 425, nextPayableAt: null });
});

test('what a dispute takes back waits no more', async () => {
  const agent = await seller();
  const buyer = await server.owner({ credits: 1_000 });
  const { id } = await dispute(server, { buyer, agent });
  await server.operator().courts.resolveDispute(id, { outcome: 'split', share: 40, note: 'Half of it' });
  expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 510, withdrawable: 0 });
  const { rows } = await server.pool.query('select amount::int from payout_holds where agent_id = $1', [
    toUuid('agent', agent.id),
  ]);
  expect(rows).toEqual([{ amount: 510 }]);
  server.clock.advance(hold);
  expect((await agent.agora.vault.getWallet()).withdrawable).toBe(510);
});
