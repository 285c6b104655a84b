import type { Task } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { type Market, makeMarket } from './assignment-scene.ts';
import {
  goodOutput,
  hire,
  hireAndPass,
  makePair,
  minute,
  pass,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();

const storedWrites = async (display: string) => {
  const { rows } = await server.pool.query<{ at: string | null }>(
    `select last_seen_at as at from agent_stats where agent_id = (select id from agents where display_name = $1)`,
    [display],
  );
  return rows[0]?.at;
};

describe('smart routing and silence', () => {
  test('passes over an agent that asked for tasks and then did not for ten minutes, until it asks again', async () => {
    const market = await makeMarket(server, 'design', [100, 200]);
    const [first] = market.agents;
    await first?.agora.tasks.assigned();
    await pass(server, 10 * minute);
    const within = await market.submit();
    expect(await market.holderOf(within)).toBe(0);
    await market.buyer.agora.tasks.cancel(within.id);
    await pass(server, 1);
    const silent = await market.submit();
    expect(await market.holderOf(silent)).toBe(1);
    await first?.agora.tasks.assigned();
    await pass(server, 0);
    const again = await market.submit();
    expect(await market.holderOf(again)).toBe(0);
  });

  test('still asks agents that were never seen, because they may be called by webhook', async () => {
    const market = await makeMarket(server, 'research', [100]);
    await pass(server, 6 * 24 * 60 * minute);
    expect(await market.holderOf(await market.submit())).toBe(0);
  });

  test('passes over an agent that never asked once it has left a task unanswered for ten minutes', async () => {
    const market = await makeMarket(server, 'content_creation', [100, 1000]);
    const [first] = market.agents;
    // Work as a buyer's choice takes it to a tier that may have two tasks at once.
    for (let done = 0; done < 3; done++) await hireAndPass({ buyer: market.buyer, agent: first! }, { maxBudget: 100 });
    const waiting = await market.submit();
    expect(await market.holderOf(waiting)).toBe(0);
    await pass(server, 10 * minute);
    const within = await market.submit();
    expect(await market.holderOf(within)).toBe(0);
    await market.buyer.agora.tasks.cancel(within.id);
    await pass(server, 1);
    const after = await market.submit();
    expect(await market.holderOf(after)).toBe(1);
    await market.buyer.agora.tasks.cancel(after.id);
    // It loses that task, and no other comes to it.
    await pass(server, 5 * minute);
    expect(await market.holderOf(waiting)).toBe(1);
    await market.buyer.agora.tasks.cancel(waiting.id);
    expect(await market.holderOf(await market.submit())).toBe(1);
  });

  /** The only agent of a category has left a task unanswered; what it does then brings it back. */
  test.each<[string, (market: Market, left: Task) => Promise<unknown>]>([
    ['asks for tasks', async ({ agents }) => agents[0]!.agora.tasks.assigned()],
    ['declines one', async ({ agents }, left) => agents[0]!.agora.tasks.decline(left.id)],
    [
      'starts and ends one',
      async ({ agents }, left) => {
        await agents[0]!.agora.tasks.start(left.id, { sandboxId: 'mine' });
        await agents[0]!.agora.tasks.complete(left.id, { output: goodOutput });
      },
    ],
    [
      'does what it is hired for',
      async ({ buyer, agents }) => hireAndPass({ buyer, agent: agents[0]! }, { maxBudget: 100 }),
    ],
    [
      'is reactivated',
      async ({ seller, agents }) => {
        await seller.agora.agents.deactivate(agents[0]!.id);
        await seller.agora.agents.reactivate(agents[0]!.id);
      },
    ],
  ])('asks it again when it %s', async (_how, act) => {
    const market = await makeMarket(server, 'data_analysis', [100]);
    for (let done = 0; done < 3; done++)
      await hireAndPass({ buyer: market.buyer, agent: market.agents[0]! }, { maxBudget: 100 });
    const left = await market.submit();
    await pass(server, 10 * minute + 1);
    expect(await refusalOf(market.submit())).toBe('404 NO_AGENTS_AVAILABLE');
    await act(market, left);
    await pass(server, 0);
    const task = await market.submit();
    expect(await market.holderOf(task)).toBe(0);
    await market.buyer.agora.tasks.cancel(task.id);
    await market.seller.agora.agents.deactivate(market.agents[0]!.id);
  });

  test('does not take being named and not answering for silence, or a cent would keep an agent from work', async () => {
    const market = await makeMarket(server, 'general', [100]);
    await hire({ buyer: market.buyer, agent: market.agents[0]! }, { maxBudget: 1 });
    await pass(server, 30 * minute);
    expect(await market.holderOf(await market.submit())).toBe(0);
  });

  test('finds nobody if all are silent, and gives the task of a silent agent to nobody', async () => {
    const market = await makeMarket(server, 'refactor', [100, 200]);
    for (const { agora } of market.agents) await agora.tasks.assigned();
    await pass(server, 0);
    const task = await market.submit();
    await pass(server, 15 * minute);
    expect((await market.buyer.agora.tasks.get(task.id)).status).toBe('failed');
    expect(await refusalOf(market.submit())).toBe('404 NO_AGENTS_AVAILABLE');
    // By its own wish a buyer can still hire it.
    expect((await market.submit({ agentId: market.agents[0]!.id })).status).toBe('submitted');
  });

  test('treats a reactivated agent as one that was never seen', async () => {
    const market = await makeMarket(server, 'devops', [100]);
    const [agent] = market.agents;
    await agent?.agora.tasks.assigned();
    await pass(server, 60 * minute);
    expect(await refusalOf(market.submit())).toBe('404 NO_AGENTS_AVAILABLE');
    await market.seller.agora.agents.deactivate(agent!.id);
    const back = await market.seller.agora.agents.reactivate(agent!.id);
    expect(back.lastSeenAt).toBeNull();
    expect(await market.holderOf(await market.submit())).toBe(0);
  });

  test('still respects the availability that the agent has set', async () => {
    const market = await makeMarket(server, 'testing', [100]);
    const agora = market.agents[0]!.agora;
    await agora.tasks.assigned();
    await pass(server, 0);
    await agora.agents.updateMe({ availability: 'offline' });
    expect(await refusalOf(market.submit())).toBe('404 NO_AGENTS_AVAILABLE');
  });

  test('counts a long poll as long as it lasts', async () => {
    const market = await makeMarket(server, 'bug_fix', [100]);
    const poll = market.agents[0]!.agora.tasks.assigned({ wait: 30 });
    await until('the poll is seen', async () => {
      await pass(server, 0);
      return (await market.agents[0]!.agora.agents.me()).lastSeenAt !== null;
    });
    await pass(server, 20 * minute);
    // It ends because its time is over, and has been there until now.
    expect((await poll).data).toEqual([]);
    await pass(server, 0);
    expect(await market.holderOf(await market.submit())).toBe(0);
  });
});

describe('what is kept of it', () => {
  test('is public to the full ten minutes, and null before the first time', async () => {
    const pair = await makePair(server);
    const seen = async () => (await pair.buyer.agora.agents.get(pair.agent.id)).lastSeenAt;
    expect(await seen()).toBeNull();
    server.clock.advance(7 * minute + 123);
    await pair.agent.agora.tasks.assigned();
    await pass(server, 0);
    const atMs = server.clock.now().getTime();
    expect(await seen()).toBe(new Date(atMs - (atMs % (10 * minute))).toISOString());
    expect((await pair.buyer.agora.agents.search({ pageSize: 100 })).data.some(({ lastSeenAt }) => lastSeenAt)).toBe(
      true,
    );
  });

  test('is written once a minute at most, however often the agent asks, and never by a step', async () => {
    const pair = await makePair(server);
    const { displayName } = await pair.agent.agora.agents.me();
    const times = new Set<string | null | undefined>();
    for (let second = 0; second < 120; second += 5) {
      await pair.agent.agora.tasks.assigned();
      await pass(server, 5_000);
      times.add(await storedWrites(displayName));
    }
    expect(times.size).toBe(2);
    const idle = await makePair(server);
    await hireAndPass(idle);
    await pass(server, 0);
    expect(await storedWrites((await idle.agent.agora.agents.me()).displayName)).toBeNull();
  });
});

test('a step that holds an agent is not waited for, and the sight is stored once it has let go', async () => {
  const pair = await makePair(server);
  const { displayName } = await pair.agent.agora.agents.me();
  const held = await server.pool.connect();
  await held.query('begin');
  await held.query(
    `select from agent_stats where agent_id = (select id from agents where display_name = $1) for update`,
    [displayName],
  );
  await pair.agent.agora.tasks.assigned();
  await pass(server, 0);
  expect(await storedWrites(displayName)).toBeNull();
  await held.query('commit');
  held.release();
  await pass(server, 0);
  expect(await storedWrites(displayName)).not.toBeNull();
});

describe('two processes', () => {
  let other: SecondApp;
  beforeAll(async () => {
    other = await startSecondApp(server);
  });
  afterAll(() => other.app.close());

  test('an agent that asks one of them is routed to by both, and an older sight never replaces a newer', async () => {
    const market = await makeMarket(server, 'security', [100]);
    const agent = market.agents[0]!;
    const there = agent.agora.withOptions({ baseUrl: other.url });
    await agent.agora.tasks.assigned();
    server.clock.advance(20 * minute);
    await there.tasks.assigned();
    await other.app.sweep();
    // This one stores late what it saw twenty minutes ago.
    await server.app.sweep();
    expect(await market.holderOf(await market.submit())).toBe(0);
  });
});

describe('an agent that comes back', () => {
  test('finds the work that was assigned while it was away at its next poll, and again until it starts it', async () => {
    const pair = await makePair(server);
    await pair.agent.agora.tasks.assigned();
    await pass(server, 11 * minute);
    const { id } = await hire(pair);
    for (let poll = 0; poll < 3; poll++) {
      expect((await pair.agent.agora.tasks.assigned({ wait: 1 })).data.map((task) => task.id)).toEqual([id]);
    }
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect((await pair.agent.agora.tasks.assigned()).data).toEqual([]);
    // What it had started before it went away it still has, and can go on with.
    expect((await pair.agent.agora.tasks.list({ status: 'executing' })).data.map((task) => task.id)).toEqual([id]);
  });
});
