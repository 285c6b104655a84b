import { toUuid } from '@agora-market/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { middling, type TestAgent } from '../support/harness.ts';
import { makeMarket } from './assignment-scene.ts';
import { hire, makePair, refusalOf, serverForFile } from './scene.ts';

let chance = middling;
const server = serverForFile({ random: () => chance() });
beforeEach(() => {
  chance = middling;
});

/** What the reader of the event log would store of so much good and bad work in a category. */
const known = ({ id }: TestAgent, category: string, good: number, bad: number) =>
  server.pool.query(
    `insert into agent_domains (agent_id, category, score, confidence, tasks, alpha, beta)
     values ($1, $2, $3, 50, 9, $4, $5)`,
    [toUuid('agent', id), category, Math.round((1000 * (2 + good)) / (4 + good + bad)), 2 + good, 2 + bad],
  );

describe('why a task went to its agent', () => {
  test('is told to the submitter: who was considered, what counted, and what was drawn; to the agent of itself alone', async () => {
    const market = await makeMarket(server, 'design', [600, 300]);
    const cheap = market.agents[1] as TestAgent;
    await cheap.agora.agents.updateMe({ capabilities: [{ category: 'design', tags: ['svg'] }] });
    const task = await market.submit({ input: { description: 'Draw', tags: ['SVG', 'png'] } });
    const told = await market.buyer.agora.tasks.routing(task.id);
    expect(told).toMatchObject({
      taskId: task.id,
      by: 'newcomers',
      reason: expect.stringContaining('newcomers'),
      decidedAt: task.createdAt,
      considered: 2,
      candidates: [
        {
          agentId: cheap.id,
          chosen: true,
          listPrice: 300,
          openTasks: 0,
          capacity: 1,
          tagBonus: 0.05,
          isNewcomer: true,
        },
        { agentId: market.agents[0]?.id, chosen: false, listPrice: 600, tagBonus: 0 },
      ],
    });
    for (const { utility, drawnQuality, priceCost, loadCost, tagBonus, historyBonus } of told.candidates)
      expect(utility).toBeCloseTo(drawnQuality + historyBonus - priceCost - loadCost + tagBonus, 3);
    // The agent is shown itself; before, it read ids, loads and draws of its competitors.
    const { candidates, ...rest } = told;
    const own = candidates.filter(({ chosen }) => chosen);
    expect(await cheap.agora.tasks.routing(task.id)).toEqual({ ...rest, candidates: own });
  });

  test('is told to nobody else, and of no task that is not there', async () => {
    const market = await makeMarket(server, 'research', [100, 200]);
    const task = await market.submit();
    const { buyer } = await makePair(server);
    for (const stranger of [buyer, market.agents[1] as TestAgent])
      expect(await refusalOf(stranger.agora.tasks.routing(task.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(server.client().tasks.routing(task.id))).toBe('401 MISSING_CREDENTIALS');
    for (const id of ['tsk_01jxyz3k9mf5t8v2q7h4n6p0rs', 'x'])
      expect(await refusalOf(buyer.agora.tasks.routing(id))).toBe('404 TASK_NOT_FOUND');
  });

  test('is the submitter where the submitter named the agent', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    expect(await pair.agent.agora.tasks.routing(id)).toEqual({
      taskId: id,
      by: 'submitter',
      reason: 'The submitter named the agent.',
      decidedAt: null,
      considered: 0,
      candidates: [],
    });
  });

  test('is the last choice where the task was passed on, and the agent that lost it reads nothing', async () => {
    const market = await makeMarket(server, 'devops', [100, 200, 300]);
    const task = await market.submit();
    server.clock.advance(1000);
    const [first, second, third] = market.agents as [TestAgent, TestAgent, TestAgent];
    await first.agora.tasks.decline(task.id);
    const told = await market.buyer.agora.tasks.routing(task.id);
    expect(told).toMatchObject({ considered: 2, decidedAt: server.clock.now().toISOString() });
    expect(told.candidates.map(({ agentId, chosen }) => [agentId, chosen])).toEqual([
      [second.id, true],
      [third.id, false],
    ]);
    expect(await refusalOf(first.agora.tasks.routing(task.id))).toBe('403 NOT_A_PARTY');
  });

  test('lists ten agents at most, the chosen one among them', async () => {
    const market = await makeMarket(server, 'testing', Array(10).fill(100));
    await makeMarket(server, 'testing', [100, 100]);
    const task = await market.submit();
    const told = await market.buyer.agora.tasks.routing(task.id);
    expect(told).toMatchObject({ considered: 12, candidates: { length: 10 } });
    expect(told.candidates.filter(({ chosen }) => chosen).map(({ agentId }) => agentId)).toEqual([task.agentId]);
  });
});

describe('who gets a task', () => {
  test('is an agent with a record before any newcomer, however cheap', async () => {
    const market = await makeMarket(server, 'bug_fix', [0, 1000]);
    await known(market.agents[1] as TestAgent, 'bug_fix', 6, 2);
    const task = await market.submit();
    expect(await market.holderOf(task)).toBe(1);
    expect(await market.buyer.agora.tasks.routing(task.id)).toMatchObject({
      by: 'best',
      candidates: [{ isNewcomer: false }, { isNewcomer: true }],
    });
  });

  test('is sometimes given by lottery, and the quote before still names the best expected', async () => {
    const market = await makeMarket(server, 'refactor', [100, 100]);
    const [good, better] = market.agents as [TestAgent, TestAgent];
    await known(good, 'refactor', 4, 4);
    await known(better, 'refactor', 7, 1);
    const fields = { taskType: 'refactor', maxBudget: 1000 } as const;
    const quote = await market.buyer.agora.tasks.quote(fields);
    expect(quote.candidates.map(({ agentId }) => agentId)).toEqual([better.id, good.id]);
    // Of 1,000 numbers the lowest are those of the lottery.
    chance = () => 0.001;
    const task = await market.submit();
    expect(await market.buyer.agora.tasks.routing(task.id)).toMatchObject({ by: 'lottery' });
  });
});
