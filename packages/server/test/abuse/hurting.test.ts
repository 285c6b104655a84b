import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, minute, type Pair, pass, serverForFile } from '../api/scene.ts';

/** What strangers do to harm an agent for nothing. Each test says how it ended before the cure. */

const server = serverForFile();

type Acceptance = NonNullable<NonNullable<Parameters<typeof hireAndStart>[1]>['input']>['acceptance'];
const failsAlways: Acceptance = { reveal: 'none', checks: [{ name: 'quality', command: 'exit 1' }] };
const takesNothing: Acceptance = { schema: { not: {} } };

async function hireAt(pair: Pick<Pair, 'buyer' | 'agent'>, acceptance: Acceptance, maxBudget = 1) {
  const { id } = await hireAndStart(pair, { maxBudget, input: { description: 'A haiku', acceptance } });
  return pair.agent.agora.tasks.complete(id, { output: goodOutput });
}

const known = async ({ buyer, agent }: Pick<Pair, 'buyer' | 'agent'>) => ({
  ...(await buyer.agora.agents.reputation(agent.id)),
  ...{ status: (await buyer.agora.agents.get(agent.id)).status },
});

describe('a stranger hires an agent for a cent and measures it by what nothing passes', () => {
  // Before: suspended after the third hire, for no cent at all; fifteen agents in 14 seconds.
  test.each([
    ['a check that always fails', failsAlways],
    ['a schema that nothing fits', takesNothing],
  ])('%s: the agent stays active, however often', async (_, acceptance) => {
    const pair = await makePair(server, { agent: { pricing: { model: 'per_task', baseRate: 1, currency: 'USD' } } });
    const stranger = { buyer: await server.owner({ credits: 500 }), agent: pair.agent };
    for (let nth = 0; nth < 6; nth++) expect((await hireAt(stranger, acceptance)).status).toBe('failed');
    expect(await known(pair)).toMatchObject({ status: 'active', tasks: { failed: 6 } });
    expect((await pair.agent.agora.agents.me()).consecutiveFailures).toBe(0);
  });

  test('a minute to deliver in: the agent stays active, however often', async () => {
    const pair = await makePair(server, { agent: { pricing: { model: 'per_task', baseRate: 1, currency: 'USD' } } });
    const stranger = { buyer: await server.owner({ credits: 500 }), agent: pair.agent };
    for (let nth = 0; nth < 4; nth++) {
      const { id } = await hireAndStart(stranger, { maxBudget: 1, deadlineMinutes: 1 });
      await pass(server, minute);
      expect((await stranger.buyer.agora.tasks.get(id)).status).toBe('failed');
    }
    expect((await known(pair)).status).toBe('active');
  });

  test('three accounts that never paid do no more than one', async () => {
    const pair = await makePair(server, { agent: { pricing: { model: 'per_task', baseRate: 1, currency: 'USD' } } });
    for (let nth = 0; nth < 4; nth++) {
      const stranger = { buyer: await server.owner({ credits: 500 }), agent: pair.agent };
      await hireAt(stranger, failsAlways);
    }
    expect((await known(pair)).status).toBe('active');
  });

  test('buyers whose word counts, and who all see it fail, do suspend it', async () => {
    const pair = await makePair(server, { credits: 1_000_000 });
    const cards = ['visa_debit', 'mastercard', 'amex', 'discover'];
    const buyers = await Promise.all(
      cards.map((card) => server.owner({ credits: 1_000_000, card: `pm_card_${card}` })),
    );
    const other = await (await server.owner({ credits: 0 })).agent({
      pricing: { model: 'per_task', baseRate: 20_000, currency: 'USD' },
    });
    for (const buyer of buyers) {
      const { id } = await hireAndStart({ buyer, agent: other }, { maxBudget: 20_000 });
      expect((await other.agora.tasks.complete(id, { output: goodOutput })).status).toBe('completed');
    }
    for (const buyer of buyers) await hireAt({ buyer, agent: pair.agent }, failsAlways, 1000);
    expect((await known(pair)).status).toBe('suspended');
  });

  test('it takes no tier: the share of passed tasks loses what the stranger’s word counts', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    const stranger = { buyer: await server.owner({ credits: 500_000, card: 'pm_card_jcb' }), agent: pair.agent };
    for (let nth = 0; nth < 6; nth++) await hireAt(stranger, failsAlways, 1000);
    const { rows } = await server.pool.query<{ record: { contested: number; refusals: number } }>(
      'select record from reputations where agent_id = $1',
      [toUuid('agent', pair.agent.id)],
    );
    expect(rows[0]?.record.contested).toBe(6);
    expect(rows[0]?.record.refusals).toBeLessThan(0.05);
  });
});

test('a buyer refunds ten tasks that its own checks have passed: outcome stays, and its word counts less each time', async () => {
  // Before: ten refunds for nothing took the agent from 670 to 472.
  const pair = await makePair(server);
  const passing: Acceptance = { checks: [{ name: 'there', command: 'true' }] };
  const honest = await server.owner({ credits: 100_000 });
  for (let nth = 0; nth < 3; nth++) await hireAt({ buyer: honest, agent: pair.agent }, passing, 1000);
  const before = await known(pair);
  for (let nth = 0; nth < 10; nth++) {
    const done = await hireAt(pair, passing, 1000);
    expect(done.status).toBe('completed');
    expect((await pair.buyer.agora.tasks.feedback(done.id, { direction: 'down' })).refunded).toBe(true);
  }
  const after = await known(pair);
  expect(after.tasks).toMatchObject({ completed: 3, refunded: 10 });
  expect(after.dimensions.outcome).toBeGreaterThanOrEqual(before.dimensions.outcome);
  expect(before.overallScore - after.overallScore).toBeLessThan(20);
  expect((await pair.buyer.agora.vault.getPool()).balance).toBe(100_000);
});
