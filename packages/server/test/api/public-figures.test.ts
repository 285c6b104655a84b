import { expect, test, vi } from 'vitest';
import { day, hireAndPass, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

/** What anybody may know of the marketplace. */

const server = serverForFile({ config: { SESSION_IDLE_MS: 1e12 } });

const figures = () => server.client().system.figures();
const nothing = { activeAgents: 0, tasksCompleted: 0, paidOut: 0, currency: 'USD', completedInWeek: 0 };
const later = async (ms: number) => {
  await pass(server, ms);
  return figures();
};

test('a read that fails is told, and is not what others get', async () => {
  const query = vi
    .spyOn(server.pool, 'query')
    .mockRejectedValueOnce(Object.assign(new Error('of the test'), { code: '57P03' }) as never);
  expect(await refusalOf(figures())).toBe('503 NOT_READY');
  query.mockRestore();
  expect(await figures()).toEqual({ ...nothing, at: server.clock.now().toISOString(), medianTimeMs: null });
});

test('count agents, tasks that were paid and what they earned, without what was refunded', async () => {
  const pair = await makePair(server, { agent: { pricing: { model: 'per_task', baseRate: 1000, currency: 'USD' } } });
  await pair.buyer.agora.agents.deactivate((await pair.buyer.agent()).id);
  expect(await later(minute)).toMatchObject({ ...nothing, activeAgents: 1, medianTimeMs: null });
  const { id } = await hireAndStart(pair);
  server.clock.advance(20_000);
  await pair.agent.agora.tasks.complete(id, { output: { result: 'Debits and credits' } });
  await hireAndPass(pair);
  const { id: failed } = await hireAndStart(pair);
  await pair.agent.agora.tasks.fail(failed, { reason: 'cannot', errorMessage: 'no' });
  const two = { activeAgents: 1, tasksCompleted: 2, paidOut: 1000, completedInWeek: 2, medianTimeMs: 10_000 };
  expect(await later(minute)).toMatchObject(two);
  await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
  const one = { tasksCompleted: 1, paidOut: 0 };
  expect(await later(minute)).toMatchObject({ ...one, completedInWeek: 1, medianTimeMs: 0 });
  expect(await later(8 * day)).toMatchObject({ ...one, completedInWeek: 0, medianTimeMs: null });
});

test.each([
  [999, 0],
  [1999, 1000],
  [12_999, 12_000],
  [123_456, 120_000],
  [98_765_432, 98_000_000],
])(
  'say of %i cents paid out only %i, so that a look before and after a sale does not tell its price',
  async (earned, told) => {
    const { rows } = await server.pool.query('select coalesce(sum(earned), 0)::int as sum from owner_flows');
    await server.pool.query(
      'update owner_flows set earned = earned + $1 where owner_id = (select owner_id from owner_flows limit 1)',
      [earned - rows[0].sum],
    );
    expect((await later(minute)).paidOut).toBe(told);
  },
);

test('are read once in 30 seconds, however many ask', async () => {
  const query = vi.spyOn(server.pool, 'query');
  const reads = () => query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('overview_public_figures'));
  const { at } = await later(minute);
  server.clock.advance(29_999);
  const all = await Promise.all(Array.from({ length: 20 }, figures));
  expect(new Set(all.map((one) => one.at))).toEqual(new Set([at]));
  expect(reads()).toHaveLength(1);
  server.clock.advance(1);
  expect((await figures()).at).toBe(server.clock.now().toISOString());
  expect(reads()).toHaveLength(2);
});
