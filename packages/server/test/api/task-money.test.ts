import { describe, expect, test } from 'vitest';
import { subHire } from '../support/sub-hire.ts';
import { hire, hireAndPass, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();
const perTask = (baseRate: number) => ({ model: 'per_task' as const, baseRate, currency: 'USD' as const });

describe('fee 15 %, payout 85 %', () => {
  test.each([
    { price: 999, fee: 149, payout: 850 },
    { price: 1000, fee: 150, payout: 850 },
    { price: 100, fee: 15, payout: 85 },
    { price: 7, fee: 1, payout: 6 },
    { price: 6, fee: 0, payout: 6 },
    { price: 1, fee: 0, payout: 1 },
  ])('a price of $price cents makes a fee of $fee and a payout of $payout', async ({ price, fee, payout }) => {
    const pair = await makePair(server, { credits: 5000, agent: { pricing: perTask(price) } });
    const done = await hireAndPass(pair, { maxBudget: 2000 });
    expect(done).toMatchObject({ price, creditsCharged: price });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: payout, available: 0 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000 - price, held: 0 });
    const charged = await pair.buyer.agora.tasks.events(done.id);
    const event = charged.data.find((each) => each.eventType === 'credits.charged');
    expect(event?.data).toEqual({ price, fee, payout });
  });
});

describe('price = min(budget, base rate)', () => {
  test.each([
    { name: 'the list price where the budget is higher', baseRate: 700, maxBudget: 1000, price: 700 },
    { name: 'the budget where a direct hire offers less', baseRate: 1500, maxBudget: 1000, price: 1000 },
    { name: 'both where they are equal', baseRate: 1000, maxBudget: 1000, price: 1000 },
    { name: 'the budget where the agent has no price', baseRate: null, maxBudget: 1000, price: 1000 },
  ])('$name', async ({ baseRate, maxBudget, price }) => {
    const pricing = baseRate === null ? null : perTask(baseRate);
    const pair = await makePair(server, { credits: 5000, agent: { pricing } });
    const submitted = await hire(pair, { maxBudget });
    expect(submitted.price).toBe(price);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000 - maxBudget, held: maxBudget });
    await pair.agent.agora.tasks.start(submitted.id, { sandboxId: 'x' });
    const done = await pair.agent.agora.tasks.complete(submitted.id, { output: { result: 'A good answer' } });
    expect(done.creditsCharged).toBe(price);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000 - price, held: 0 });
  });

  test('a new list price does not touch a task that was agreed before', async () => {
    const pair = await makePair(server, { agent: { pricing: perTask(500) } });
    const { id } = await hireAndStart(pair);
    await pair.seller.agora.agents.update(pair.agent.id, { pricing: perTask(900) });
    const done = await pair.agent.agora.tasks.complete(id, { output: { result: 'A good answer' } });
    expect(done.creditsCharged).toBe(500);
  });

  test('a free agent moves no credits, and thumbs-down still makes its task refunded', async () => {
    const pair = await makePair(server, { credits: 5000, agent: { pricing: perTask(0) } });
    const done = await hireAndPass(pair);
    expect(done).toMatchObject({ price: 0, creditsCharged: 0 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 0, available: 0 });
    const given = await pair.buyer.agora.tasks.feedback(done.id, { direction: 'down' });
    expect(given).toMatchObject({ refunded: true, task: { status: 'refunded' } });
    const other = await hireAndPass(pair);
    await pass(server, 15 * minute);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 0, available: 0 });
    expect((await pair.buyer.agora.tasks.get(other.id)).status).toBe('completed');
  });
});

describe('earnings are held 15 minutes', () => {
  test('they are released at exactly 15 minutes, not a millisecond before', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    await pass(server, 15 * minute - 1);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 850 });
    await pass(server, 1);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 850, escrowed: 0 });
    await server.app.sweep();
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 850, escrowed: 0 });
  });

  test('each task has its own 15 minutes, and a refunded one releases nothing', async () => {
    const pair = await makePair(server, { agent: { pricing: perTask(100) } });
    await hireAndPass(pair);
    await pass(server, 5 * minute);
    const second = await hireAndPass(pair);
    await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(second.id, { direction: 'down' });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 170 });
    await pass(server, 10 * minute);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 85, escrowed: 85 });
    await pass(server, 5 * minute);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 170, escrowed: 0 });
  });

  test('the wallet and the pool can be read back movement by movement', async () => {
    const pair = await makePair(server, { credits: 5000, agent: { pricing: perTask(100) } });
    await hireAndPass(pair, { maxBudget: 300 });
    await pass(server, 15 * minute);
    const wallet = (await pair.agent.agora.vault.walletTransactions()).data;
    expect(wallet.map(({ cause, account, amount }) => [cause, account, amount])).toEqual([
      ['earnings_released', 'wallet_available', 85],
      ['earnings_released', 'wallet_escrowed', -85],
      ['payout', 'wallet_escrowed', 85],
    ]);
    const pool = (await pair.buyer.agora.vault.poolTransactions()).data;
    const available = pool.filter((each) => each.account === 'pool_available');
    expect(available.map(({ cause, amount, balanceAfter }) => [cause, amount, balanceAfter])).toEqual([
      ['hold_returned', 200, 4900],
      ['hold', -300, 4700],
      ['top_up', 5000, 5000],
    ]);
    for (const each of pool) expect(each.balanceAfter - each.balanceBefore).toBe(each.amount);
  });
});

describe('sub-hire: an agent submits', () => {
  test("its owner's pool pays, and the agent and its owner are the submitter", async () => {
    const prime = await makePair(server, { credits: 0 });
    const { agent: boss, seller: payer } = prime;
    await payer.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await payer.agora.vault.topUp({ amount: 5000 });
    const worker = await (await server.owner({ credits: 0 })).agent();
    const task = await subHire(boss.agora, {
      taskType: 'general',
      maxBudget: 1200,
      input: { description: 'Help me' },
      agentId: worker.id,
    });
    expect(task).toMatchObject({ status: 'submitted', submitterId: boss.id, agentId: worker.id });
    expect(await payer.agora.vault.getPool()).toMatchObject({ balance: 3800, held: 1200 });
    await worker.agora.tasks.start(task.id, { sandboxId: 'x' });
    await worker.agora.tasks.complete(task.id, { output: { result: 'Helped' } });
    expect((await boss.agora.tasks.list({ role: 'submitted' })).data.map((each) => each.id)).toEqual([task.id]);
    expect((await boss.agora.tasks.list({ role: 'assigned' })).data).toEqual([]);
    expect((await payer.agora.tasks.list()).data.map((each) => each.id)).toEqual([task.id]);
    const given = await boss.agora.tasks.feedback(task.id, { direction: 'down' });
    expect(given.refunded).toBe(true);
    expect(await payer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await boss.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 0 });
  });

  test('an agent of the same owner is refused by name and skipped by routing', async () => {
    const owner = await server.owner({ credits: 5000 });
    const boss = await owner.agent();
    const sibling = await owner.agent({ capabilities: [{ category: 'refactor', tags: [] }] });
    const body = { taskType: 'refactor', maxBudget: 1000, input: { description: 'Tidy up' } } as const;
    const direct = boss.agora.tasks.submitAsAgent({ ...body, agentId: sibling.id });
    expect(await refusalOf(direct)).toBe('403 SAME_OWNER');
    const itself = boss.agora.tasks.submitAsAgent({ ...body, agentId: boss.id });
    expect(await refusalOf(itself)).toBe('403 SAME_OWNER');
    expect(await refusalOf(boss.agora.tasks.submitAsAgent(body))).toBe('404 NO_AGENTS_AVAILABLE');
    const byOwner = owner.agora.tasks.submit({ ...body, agentId: sibling.id });
    expect(await refusalOf(byOwner)).toBe('403 SAME_OWNER');
    expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test("an owner's empty pool is INSUFFICIENT_CREDITS for its agent, who is not told what it holds", async () => {
    const boss = await (await server.owner({ credits: 0 })).agent();
    const worker = await (await server.owner({ credits: 0 })).agent();
    const call = boss.agora.tasks.submitAsAgent({ taskType: 'general', maxBudget: 1, input: {}, agentId: worker.id });
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', status: 402 });
    expect(error).toHaveProperty('details', { required: 1 });
  });
});
