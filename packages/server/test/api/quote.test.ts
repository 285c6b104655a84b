import { describe, expect, test } from 'vitest';
import { makeMarket } from './assignment-scene.ts';
import { goodOutput, hire, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

/** A task that the agent takes so long to start and then to do. */
async function work({ buyer, agents }: Awaited<ReturnType<typeof makeMarket>>, acceptMs: number, executionMs: number) {
  const agent = agents[0]!;
  const { id } = await hire({ buyer, agent });
  server.clock.advance(acceptMs);
  await agent.agora.tasks.start(id, { sandboxId: 'x' });
  server.clock.advance(executionMs);
  await agent.agora.tasks.complete(id, { output: goodOutput });
}

describe('a quote', () => {
  test('names who would be asked, best first, at which price and with which fee, and the range of prices', async () => {
    const market = await makeMarket(server, 'design', [300, 101, null]);
    const quote = await market.buyer.agora.tasks.quote({ taskType: 'design', maxBudget: 500 });
    expect(
      quote.candidates.map(({ agentId, price, fee, payout, listPrice }) => [agentId, listPrice, price, fee, payout]),
    ).toEqual([
      [market.agents[1]?.id, 101, 101, 15, 86],
      [market.agents[0]?.id, 300, 300, 45, 255],
      [market.agents[2]?.id, null, 500, 75, 425],
    ]);
    expect(quote).toMatchObject({
      taskType: 'design',
      maxBudget: 500,
      priceRange: { min: 101, max: 500 },
      estimatedWaitMs: null,
      pool: { required: 500, canHold: true },
    });
    expect(quote.candidates[0]?.why).toMatchObject({ isNewcomer: true, loadCost: 0, tagBonus: 0 });
    // Routing draws when it chooses, so the task may go to any of them, at the price that was quoted.
    const { agentId, price } = await market.submit({ maxBudget: 500 });
    expect(quote.candidates).toContainEqual(expect.objectContaining({ agentId, price }));
  });

  test('without a budget leaves nobody out, and knows no price of an agent without one', async () => {
    const market = await makeMarket(server, 'research', [90_000, null]);
    const quote = await market.buyer.agora.tasks.quote({ taskType: 'research' });
    expect(quote.candidates.map(({ price, payout }) => [price, payout])).toEqual([
      [90_000, 76_500],
      [null, null],
    ]);
    expect(quote).toMatchObject({
      maxBudget: null,
      priceRange: { min: 90_000, max: 90_000 },
      pool: { required: 90_000, canHold: false },
    });
  });

  test('follows the rules of routing: own, dear, busy, full and silent agents are no candidates, tags raise', async () => {
    const market = await makeMarket(server, 'refactor', [100, 200, 300, 400, 501]);
    const [silent, full, plain, tagged] = market.agents;
    await market.buyer.agent({ capabilities: [{ category: 'refactor', tags: [] }] });
    await tagged?.agora.agents.updateMe({ capabilities: [{ category: 'refactor', tags: ['rust', 'go'] }] });
    await silent?.agora.tasks.assigned();
    await pass(server, 11 * minute);
    const { id } = await hire({ buyer: market.buyer, agent: full! });
    await full?.agora.tasks.start(id, { sandboxId: 'x' });
    const input = { tags: ['Rust', 'sql'] };
    const quote = await market.buyer.agora.tasks.quote({ taskType: 'refactor', maxBudget: 500, input });
    expect(quote.candidates.map(({ agentId, matchingTags }) => [agentId, matchingTags])).toEqual([
      [tagged?.id, 1],
      [plain?.id, 0],
    ]);
  });

  test('with nobody to take the task says so with an empty list', async () => {
    const { buyer } = await makePair(server, { credits: 500 });
    expect(await buyer.agora.tasks.quote({ taskType: 'content_creation', maxBudget: 501 })).toMatchObject({
      candidates: [],
      priceRange: null,
      estimatedWaitMs: null,
      pool: { required: 501, canHold: false },
    });
    const unknown = await buyer.agora.tasks.quote({ taskType: 'content_creation' });
    expect(unknown.pool).toEqual({ required: null, canHold: null });
  });

  test('estimates the wait only by the medians of the agent', async () => {
    const market = await makeMarket(server, 'devops', [100]);
    const quote = () => market.buyer.agora.tasks.quote({ taskType: 'devops', maxBudget: 500 });
    expect((await quote()).estimatedWaitMs).toBeNull();
    await work(market, 1_000, 60_000);
    expect(await quote()).toMatchObject({ estimatedWaitMs: 61_000 });
    await work(market, 9_000, 600_000);
    await work(market, 2_000, 90_000);
    // A task that was never started tells nothing of either, one that was given up nothing of the second.
    await hire({ buyer: market.buyer, agent: market.agents[0]! });
    const { id } = await hire({ buyer: market.buyer, agent: market.agents[0]! });
    await market.agents[0]!.agora.tasks.start(id, { sandboxId: 'x' });
    await market.agents[0]!.agora.tasks.fail(id, { reason: 'no' });
    const [candidate] = (await quote()).candidates;
    expect(candidate).toMatchObject({ acceptMs: 1_500, executionMs: 90_000, completedTasks: 3 });
    expect((await quote()).estimatedWaitMs).toBe(91_500);
  });

  test('with agentId covers that agent, even if it is expensive or full, and refuses as a hire would', async () => {
    const pair = await makePair(server);
    const quote = (agentId: string) => pair.buyer.agora.tasks.quote({ taskType: 'general', maxBudget: 400, agentId });
    await hire(pair);
    expect((await quote(pair.agent.id)).candidates).toMatchObject([
      { agentId: pair.agent.id, listPrice: 1000, price: 400 },
    ]);
    expect(await refusalOf(quote((await pair.buyer.agent()).id))).toBe('403 SAME_OWNER');
    await pair.seller.agora.agents.deactivate(pair.agent.id);
    expect(await refusalOf(quote(pair.agent.id))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
  });

  test('is given to agents too, out of their owner’s pool, and tells neither balances nor owners', async () => {
    const pair = await makePair(server, { agent: { capabilities: [{ category: 'code_review', tags: [] }] } });
    const foreman = await pair.buyer.agent();
    const quote = await foreman.agora.tasks.quote({ taskType: 'code_review', maxBudget: 100_001 });
    expect(quote.candidates.map(({ agentId }) => agentId)).toEqual([pair.agent.id]);
    expect(quote.pool).toEqual({ required: 100_001, canHold: false });
    expect(JSON.stringify(quote)).not.toContain(pair.seller.id);
    expect(JSON.stringify(quote)).not.toContain('100000');
  });

  test('stores and holds nothing', async () => {
    const market = await makeMarket(server, 'security', [100]);
    const counts = async () =>
      (await server.pool.query('select (select count(*) from tasks) as tasks, (select count(*) from events) as events'))
        .rows;
    const before = await counts();
    await market.buyer.agora.tasks.quote({ taskType: 'security_audit', maxBudget: 500 });
    expect(await counts()).toEqual(before);
    expect(await market.buyer.agora.vault.getPool()).toMatchObject({ balance: 10_000, held: 0 });
    expect((await market.agents[0]!.agora.agents.me()).capacity.openTasks).toBe(0);
  });
});
