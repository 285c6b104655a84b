import { describe, expect, test } from 'vitest';
import { refusalOf } from '../api/scene.ts';
import { earn } from '../support/earn.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { closeDispute, dispute, refund } from './fake-payments.ts';
import { stripeScene } from './scene.ts';

/** What went back to a card while the credits were held or in a wallet is owed, and paid by whatever comes into the pool. */

const scene = stripeScene();

interface Buyer {
  owner: TestOwner;
  intentId: string;
  seller: TestAgent;
}

/** An owner whose credits are all of one charge, and somebody to hire. */
async function paid(amount: number): Promise<Buyer> {
  const owner = await scene.payer();
  await owner.agora.vault.topUp({ amount });
  const seller = await (await scene.server.owner({ credits: 0 })).agent();
  return { owner, intentId: await scene.intentOf(owner), seller };
}

const hire = ({ owner, seller }: Buyer, maxBudget: number) =>
  owner.agora.tasks.submit({ taskType: 'general', maxBudget, agentId: seller.id, input: {} });

async function deliverAll(): Promise<void> {
  for (const event of scene.stripe.webhooks.take()) expect((await scene.deliver(event)).status).toBe(200);
}

/** The cardholder disputes the charge, and we hear of it. */
async function disputed({ intentId }: Buyer, amount?: number) {
  scene.stripe.webhooks.take();
  const made = dispute(scene.stripe.books, intentId, amount);
  await deliverAll();
  return made;
}

async function decided(made: Awaited<ReturnType<typeof disputed>>, outcome: 'won' | 'lost'): Promise<void> {
  closeDispute(scene.stripe.books, made, outcome);
  await deliverAll();
}

const poolOf = async ({ owner }: Buyer) => {
  const { balance, held, owed } = await owner.agora.vault.getPool();
  return { balance, held, owed };
};

const movesOf = async ({ owner }: Buyer) =>
  (await owner.agora.vault.poolTransactions({ pageSize: 100 })).data
    .filter(({ account }) => account === 'pool_available')
    .map(({ cause, amount }) => `${cause} ${amount}`)
    .reverse();

const eventsOf = async ({ owner }: Buyer, type: string) =>
  (
    await scene.server.pool.query(
      `select data from events where type = $2 and owner_id = (select id from owners where email = $1) order by seq`,
      [owner.email, type],
    )
  ).rows.map(({ data }) => data);

const refusedFor = async (request: Promise<unknown>) =>
  request.then(
    () => 'no refusal',
    ({ code, details }) => [code, details],
  );

describe('a charge disputed while its credits are away', () => {
  test('is not dodged by hiring first: what a cancelled task gives back cannot be spent, and is collected', async () => {
    const buyer = await paid(4000);
    const task = await hire(buyer, 4000);
    await disputed(buyer);
    expect(await poolOf(buyer)).toEqual({ balance: 0, held: 4000, owed: 4000 });
    await buyer.owner.agora.tasks.cancel(task.id);
    expect(await poolOf(buyer)).toEqual({ balance: 4000, held: 0, owed: 4000 });
    expect(await refusalOf(hire(buyer, 4000))).toBe('402 INSUFFICIENT_CREDITS');
    expect(await refusedFor(hire(buyer, 1))).toEqual(['INSUFFICIENT_CREDITS', { required: 1, available: 0 }]);
    const agent = await buyer.owner.agent();
    const allocating = buyer.owner.agora.vault.allocate(agent.id, { amount: 1 });
    expect(await refusedFor(allocating)).toEqual(['INSUFFICIENT_BALANCE', { required: 1, available: 0 }]);
    const { pool } = await buyer.owner.agora.tasks.quote({ taskType: 'general', maxBudget: 1 });
    expect(pool).toEqual({ required: 1, canHold: false });
    await scene.sweepLater();
    expect(await poolOf(buyer)).toEqual({ balance: 0, held: 0, owed: 0 });
    expect(await movesOf(buyer)).toEqual([
      'top_up 4000',
      'hold -4000',
      'hold_released 4000',
      'reversal_collected -4000',
    ]);
  });

  test('is not dodged by allocating first: what is reclaimed is collected at once, and until then nothing is withdrawn', async () => {
    const buyer = await paid(1800);
    const agent = await buyer.owner.agent();
    await earn(scene.server, agent, 100);
    const { vault } = buyer.owner.agora;
    await vault.allocate(agent.id, { amount: 1800 });
    const { url } = await vault.onboardPayouts({ returnUrl: 'https://agora.example/payouts' });
    scene.bank.onboard(url.split('/').at(-1) as string);
    await deliverAll();
    await disputed(buyer);
    const { pool } = await vault.reclaim(agent.id, { amount: 1700 });
    expect(pool).toMatchObject({ balance: 0, owed: 100 });
    expect(await refusalOf(hire(buyer, 1))).toBe('402 INSUFFICIENT_CREDITS');
    expect(await refusalOf(vault.allocate(agent.id, { amount: 1 }))).toBe('400 INSUFFICIENT_BALANCE');
    expect(await refusedFor(vault.withdraw(agent.id, { amount: 100 }))).toEqual(['WALLET_FLAGGED', { owed: 100 }]);
    await vault.topUp({ amount: 500 });
    expect(await poolOf(buyer)).toEqual({ balance: 400, held: 0, owed: 0 });
    expect(await refusalOf(vault.withdraw(agent.id, { amount: 100 }))).toBe('no refusal');
  });

  test('is paid by a later top-up, the oldest first, and only what is more can be spent', async () => {
    const buyer = await paid(1000);
    await hire(buyer, 900);
    await disputed(buyer, 600);
    await disputed(buyer, 300);
    expect(await poolOf(buyer)).toEqual({ balance: 0, held: 900, owed: 800 });
    expect(await buyer.owner.agora.vault.topUp({ amount: 600 })).toEqual({ newBalance: 0, amountCharged: 600 });
    expect(await poolOf(buyer)).toMatchObject({ balance: 0, owed: 200 });
    expect(await buyer.owner.agora.vault.topUp({ amount: 700 })).toEqual({ newBalance: 500, amountCharged: 700 });
    expect(await eventsOf(buyer, 'pool.reversal_collected')).toEqual([
      { kind: 'dispute', amount: 500, missing: 0 },
      { kind: 'dispute', amount: 100, missing: 200 },
      { kind: 'dispute', amount: 200, missing: 0 },
    ]);
    await hire(buyer, 500);
  });

  test('gives all that was taken back if it is won later, once, however often it was collected', async () => {
    const buyer = await paid(3000);
    const tasks = [await hire(buyer, 1000), await hire(buyer, 1200), await hire(buyer, 500)];
    const made = await disputed(buyer);
    for (const { id } of tasks) {
      await buyer.owner.agora.tasks.cancel(id);
      await scene.sweepLater();
    }
    expect(await poolOf(buyer)).toEqual({ balance: 0, held: 0, owed: 0 });
    closeDispute(scene.stripe.books, made, 'won');
    const [closed] = scene.stripe.webhooks.take();
    await Promise.all([1, 2, 3].map(() => scene.deliver(closed as NonNullable<typeof closed>)));
    expect(await poolOf(buyer)).toEqual({ balance: 3000, held: 0, owed: 0 });
    expect((await movesOf(buyer)).slice(-5)).toEqual([
      'hold_released 1200',
      'reversal_collected -1200',
      'hold_released 500',
      'reversal_collected -500',
      'top_up_reinstated 3000',
    ]);
  });

  test('is owed no more once it is won, and what it had taken pays what else is owed', async () => {
    const buyer = await paid(1000);
    await hire(buyer, 600);
    const made = await disputed(buyer, 700);
    refund(scene.stripe.books, buyer.intentId, 300);
    await deliverAll();
    expect(await poolOf(buyer)).toEqual({ balance: 0, held: 600, owed: 600 });
    await decided(made, 'won');
    expect(await poolOf(buyer)).toEqual({ balance: 100, held: 600, owed: 0 });
  });
});

test('the operator, who clears the finding of it, lets the rest of a debt go', async () => {
  const buyer = await paid(1000);
  await hire(buyer, 1000);
  await disputed(buyer);
  const { vault } = scene.server.operator();
  await vault.reconcile();
  const { data } = await vault.listFindings({ status: 'open' });
  const found = data.filter(({ kind, there }) => kind === 'reversal_uncovered' && there === 1000);
  expect(found).toHaveLength(1);
  await vault.clearFinding(found[0]!.id, { by: 'operator', reason: 'paid by bank transfer' });
  expect(await poolOf(buyer)).toEqual({ balance: 0, held: 1000, owed: 0 });
  expect(await buyer.owner.agora.vault.topUp({ amount: 500 })).toMatchObject({ newBalance: 500 });
  await hire(buyer, 500);
});

describe('auto-top-up', () => {
  const on = { enabled: true, threshold: 1000, reloadAmount: 5000, maxPerDay: 100_000, maxPerMonth: 500_000 };

  test.each([
    ['dispute', dispute],
    ['refund', refund],
  ] as const)(
    'is turned off by a %s, so that the card is not charged again, and the owner is told why',
    async (kind, happen) => {
      const buyer = await paid(5000);
      await buyer.owner.agora.vault.setAutoTopUp(on);
      scene.stripe.webhooks.take();
      happen(scene.stripe.books, buyer.intentId);
      await deliverAll();
      for (let turn = 0; turn < 3; turn++) await scene.sweepLater();
      expect(await scene.chargesOf(buyer.owner)).toEqual([5000]);
      expect((await buyer.owner.agora.vault.getPool()).autoTopUp).toEqual({ ...on, enabled: false });
      expect(await eventsOf(buyer, 'auto_top_up.disabled')).toEqual([{ reason: expect.stringContaining(kind) }]);
    },
  );

  test('that was off already is not told of', async () => {
    const buyer = await paid(1000);
    await disputed(buyer, 10);
    expect(await eventsOf(buyer, 'auto_top_up.disabled')).toEqual([]);
  });

  test('turned on again does not charge the card over and over for what is owed', async () => {
    const buyer = await paid(5000);
    await hire(buyer, 5000);
    await disputed(buyer);
    await buyer.owner.agora.vault.setAutoTopUp({ ...on, reloadAmount: 1000 });
    for (let turn = 0; turn < 3; turn++) await scene.sweepLater();
    expect(await scene.chargesOf(buyer.owner)).toEqual([5000]);
  });
});

test('64 submissions, allocations, cancellations, collections and a top-up at once spend nothing that is owed', async () => {
  const buyer = await paid(6400);
  const agent = await buyer.owner.agent();
  const tasks = await Promise.all(Array.from({ length: 16 }, () => hire(buyer, 400)));
  await disputed(buyer, 4000);
  expect(await poolOf(buyer)).toEqual({ balance: 0, held: 6400, owed: 4000 });
  const { vault } = buyer.owner.agora;
  const kinds = [
    (turn: number) => buyer.owner.agora.tasks.cancel(tasks[turn]!.id),
    () => hire(buyer, 150),
    () => vault.allocate(agent.id, { amount: 130 }),
    (turn: number) => (turn === 7 ? vault.topUp({ amount: 500 }) : scene.server.app.sweep()),
  ];
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_, at) => refusalOf(kinds[at % 4]!(Math.floor(at / 4)) as Promise<unknown>)),
  );
  const known = ['no refusal', '400 INSUFFICIENT_BALANCE', '402 INSUFFICIENT_CREDITS'];
  expect(outcomes.filter((outcome) => !known.includes(outcome))).toEqual([]);
  await scene.sweepLater();
  const { balance, held, owed } = await poolOf(buyer);
  const { available } = await vault.getAgentWallet(agent.id);
  expect([owed, balance + held + available]).toEqual([0, 6400 + 500 - 4000]);
});
