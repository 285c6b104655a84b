import { describe, expect, test } from 'vitest';
import { day, dispute, hireAndPass, minute, type Pair, pass } from '../api/scene.ts';
import { courtServer, fresh, moneyOf, platform } from './scene.ts';

const server = courtServer();
const note = 'Decided';
const operator = () => server.operator().courts;

/** A disputed task of 1000 cents (fee 150, payout 850) whose earnings are out already. */
async function lateDispute(pair: Pair) {
  const { id } = await hireAndPass(pair);
  await pass(server, 15 * minute);
  return pair.buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' });
}

test('is in the revenue of the day: fees given back, and what the platform paid in an agent’s place', async () => {
  const revenue = async () => (await server.operator().vault.revenue()).total;
  const gained = async (work: () => Promise<unknown>) => {
    const [before, , after] = [await revenue(), await work(), await revenue()];
    return Object.fromEntries(Object.entries(after).map(([key, cents]) => [key, cents - before[key as 'fees']]));
  };
  const charged = { fees: 150, volume: 1000, charges: 1, refunds: 1 };
  const pair = await fresh(server);
  const split = gained(async () => {
    const { id } = await dispute(server, pair);
    await operator().resolveDispute(id, { outcome: 'split', note, share: 33 });
  });
  expect(await split).toEqual({ ...charged, feesRefunded: 50, disputeCosts: 0, netRevenue: 100, volumeRefunded: 330 });
  const other = await fresh(server);
  const lost = gained(async () => {
    const { id } = await lateDispute(other);
    await other.seller.agora.vault.reclaim(other.agent.id, { amount: 800 });
    await operator().resolveDispute(id, { outcome: 'buyer_wins', note });
  });
  expect(await lost).toEqual({
    ...charged,
    feesRefunded: 150,
    disputeCosts: 800,
    netRevenue: -800,
    volumeRefunded: 1000,
  });
});

describe('earnings that are escrowed', () => {
  test('stay there while the task is disputed, however long, and are released when the seller wins', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair);
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 850, available: 0 });
    await pass(server, 2 * day);
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 850, available: 0 });
    await operator().resolveDispute(id, { outcome: 'seller_wins', note });
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: 850 });
    expect(await pair.buyer.agora.tasks.get(taskId)).toMatchObject({ status: 'completed', creditsCharged: 1000 });
  });

  test('are frozen also in the moment in which they are due', async () => {
    const pair = await fresh(server);
    const { id } = await hireAndPass(pair);
    server.clock.advance(15 * minute);
    await pair.buyer.agora.tasks.dispute(id, { reason: 'No' });
    await pass(server, 0);
    expect(await moneyOf(pair)).toMatchObject({ escrowed: 850, available: 0 });
  });

  const outcomes = [
    { outcome: 'buyer_wins', buyer: 5000, available: 0, fee: 0, status: 'refunded', charged: 0 },
    { outcome: 'seller_wins', buyer: 4000, available: 850, fee: 150, status: 'completed', charged: 1000 },
    { outcome: 'dismissed', buyer: 4000, available: 850, fee: 150, status: 'completed', charged: 1000 },
    { outcome: 'split', share: 1, buyer: 4010, available: 842, fee: 148, status: 'completed', charged: 990 },
    { outcome: 'split', share: 33, buyer: 4330, available: 570, fee: 100, status: 'completed', charged: 670 },
    { outcome: 'split', share: 99, buyer: 4990, available: 9, fee: 1, status: 'completed', charged: 10 },
  ] as const;

  test.each(outcomes)('$outcome $share: buyer $buyer, agent $available, fee $fee', async (wanted) => {
    const pair = await fresh(server);
    const before = await platform(server);
    const { id, taskId } = await dispute(server, pair);
    const { outcome } = wanted;
    const share = 'share' in wanted ? { share: wanted.share } : {};
    const resolved = await operator().resolveDispute(id, { outcome, note, ...share });
    expect(resolved).toMatchObject({ status: 'resolved', outcome, decidedBy: 'operator', note });
    expect(resolved.refunded).toBe(wanted.buyer - 4000);
    expect(await moneyOf(pair)).toEqual({ buyer: wanted.buyer, escrowed: 0, available: wanted.available });
    const after = await platform(server);
    expect(after).toEqual({ fees: before.fees + wanted.fee, reserve: before.reserve });
    expect(await pair.buyer.agora.tasks.get(taskId)).toMatchObject({
      status: wanted.status,
      creditsCharged: wanted.charged,
    });
    await pass(server, 15 * minute);
    expect(await moneyOf(pair)).toMatchObject({ available: wanted.available });
    const { data: events } = await pair.agent.agora.tasks.events(taskId);
    const released = events.filter((event) => event.eventType === 'earnings.released').map((event) => event.data);
    expect(released).toEqual(wanted.available === 0 ? [] : [{ amount: wanted.available }]);
  });

  test('the smallest prices are shared to the cent as well', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair, { maxBudget: 7 });
    const { refunded } = await operator().resolveDispute(id, { outcome: 'split', share: 50, note });
    // Of 7 cents 3 go back; the fee of the 4 that stay is none, so the platform gives back its one.
    expect(refunded).toBe(3);
    expect(await moneyOf(pair)).toEqual({ buyer: 4996, escrowed: 0, available: 4 });
  });

  test('a task that cost nothing is refunded all the same', async () => {
    const pair = await fresh(server);
    await pair.seller.agora.agents.update(pair.agent.id, {
      pricing: { model: 'per_task', baseRate: 0, currency: 'USD' },
    });
    const { id, taskId } = await dispute(server, pair);
    await operator().resolveDispute(id, { outcome: 'buyer_wins', note });
    expect((await pair.buyer.agora.tasks.get(taskId)).status).toBe('refunded');
  });
});

describe('earnings that are out', () => {
  test('are paid back from the wallet, and the reserve is not touched', async () => {
    const pair = await fresh(server);
    const before = await platform(server);
    const { id } = await lateDispute(pair);
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: 850 });
    await operator().resolveDispute(id, { outcome: 'buyer_wins', note });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    expect(await platform(server)).toEqual(before);
  });

  test('what the wallet lacks the reserve covers; no wallet goes below zero', async () => {
    const pair = await fresh(server);
    const before = await platform(server);
    const { id, taskId } = await lateDispute(pair);
    await pair.seller.agora.vault.reclaim(pair.agent.id, { amount: 800 });
    await operator().resolveDispute(id, { outcome: 'buyer_wins', note });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    expect(await platform(server)).toEqual({ fees: before.fees, reserve: before.reserve - 800 });
    const moved = (await pair.buyer.agora.vault.poolTransactions({ taskId })).data;
    const back = moved.filter(({ cause }) => cause.startsWith('dispute_'));
    expect(Object.fromEntries(back.map(({ cause, amount }) => [cause, amount]))).toEqual({
      dispute_debited: 50,
      dispute_covered: 800,
      dispute_fee_refunded: 150,
    });
    // What is in the wallet is its owner's business, not the buyer's.
    expect(JSON.stringify((await pair.buyer.agora.tasks.events(taskId)).data)).not.toContain('"wallet"');
  });

  test('an empty wallet leaves all of it to the reserve', async () => {
    const pair = await fresh(server);
    const before = await platform(server);
    const { id } = await lateDispute(pair);
    await pair.seller.agora.vault.reclaim(pair.agent.id, { amount: 850 });
    await operator().resolveDispute(id, { outcome: 'split', share: 20, note });
    expect(await moneyOf(pair)).toEqual({ buyer: 4200, escrowed: 0, available: 0 });
    expect(await platform(server)).toEqual({ fees: before.fees + 120, reserve: before.reserve - 170 });
  });

  test.each(['seller_wins', 'dismissed'] as const)('nothing moves with %s', async (outcome) => {
    const pair = await fresh(server);
    const { id } = await lateDispute(pair);
    await operator().resolveDispute(id, { outcome, note });
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: 850 });
  });
});

test('the operator reads in the revenue what disputes gave back and what they cost', async () => {
  const pair = await fresh(server);
  const { courts, vault } = server.operator();
  const from = server.clock.now().toISOString().slice(0, 10);
  const totals = async () => (await vault.revenue({ from, to: '2026-12-31' })).total;
  const before = await totals();
  const frozen = await dispute(server, pair);
  await courts.resolveDispute(frozen.id, { outcome: 'split', share: 30, note });
  const { id } = await lateDispute(pair);
  await pair.seller.agora.vault.reclaim(pair.agent.id, { amount: 595 + 850 });
  await courts.resolveDispute(id, { outcome: 'buyer_wins', note });
  const after = await totals();
  const grown = Object.entries(after).map(([name, value]) => [name, value - before[name as keyof typeof before]]);
  expect(Object.fromEntries(grown)).toEqual({
    charges: 2,
    volume: 2000,
    fees: 300,
    refunds: 2,
    volumeRefunded: 1300,
    feesRefunded: 45 + 150,
    disputeCosts: 850,
    netRevenue: 105 - 850,
  });
});

describe('the record of the agent', () => {
  const recordOf = async (pair: Pair) => {
    const { rows } = await server.pool.query(
      `select s.completed, s.refunded, f.earned::int, s.failures_in_a_row as row, s.overall_score as score
       from reputations s join agents a on a.id = s.agent_id join owner_flows f using (owner_id) where a.owner_id = (
         select id from owners where email = $1)`,
      [pair.seller.email],
    );
    return rows[0];
  };

  test('a lost dispute counts as a refunded task, and costs reputation', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    const before = await recordOf(pair);
    expect(before).toMatchObject({ completed: 1, refunded: 0, earned: 850 });
    await operator().resolveDispute(id, { outcome: 'buyer_wins', note });
    const after = await recordOf(pair);
    expect(after).toMatchObject({ completed: 0, refunded: 1, earned: 0, row: 0 });
    expect(after.score).toBeLessThan(before.score);
  });

  test('a shared one takes the earnings off that went back, and a won one nothing', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    await operator().resolveDispute(id, { outcome: 'split', share: 50, note });
    expect(await recordOf(pair)).toMatchObject({ completed: 1, refunded: 0, earned: 425 });
    const won = await dispute(server, pair);
    await operator().resolveDispute(won.id, { outcome: 'dismissed', note });
    expect(await recordOf(pair)).toMatchObject({ completed: 2, refunded: 0, earned: 1275 });
  });
});
