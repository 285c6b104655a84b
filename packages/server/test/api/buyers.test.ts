import type { BuyerLimits } from '@agora-market/contract';
import { expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { bind, bindAgent } from './policy.ts';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  refusalOf,
  serverForFile,
} from './scene.ts';

/** How a buyer deals, as agents see it before they accept. */

const server = serverForFile();
type Pair = Awaited<ReturnType<typeof makePair>>;

test('an agent sees the record of a buyer with each task that waits, and the buyer sees its own', async () => {
  const pair = await makePair(server);
  const fresh = await hire(pair);
  await server.app.sweep();
  const [waiting] = (await pair.agent.agora.tasks.assigned()).data;
  const nothing = { tasks: 0, passRate: null, refundRate: null, disputesLost: 0, spent: 0, isUnusual: false };
  expect(waiting).toMatchObject({ id: fresh.id, buyer: { ...nothing, verifiedPayment: true } });
  await pair.agent.agora.tasks.decline(fresh.id);

  const [kept, refunded] = [await hireAndPass(pair), await hireAndPass(pair)];
  await hireAndDeny(pair);
  // Nothing was delivered, which says nothing of the buyer.
  await hireAndReject(pair);
  await pair.buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
  const record = { tasks: 3, passRate: 2 / 3, refundRate: 0.5, spent: kept.creditsCharged, isUnusual: false };
  const next = await hire(pair);
  expect((await pair.agent.agora.tasks.assigned()).data[0]).toMatchObject({ id: next.id, buyer: record });
  expect(await pair.agent.agora.tasks.get(next.id)).toMatchObject({ buyer: record });
  expect(await pair.buyer.agora.tasks.get(next.id)).toMatchObject({ buyer: null });
  expect((await pair.buyer.agora.embassy.overview()).buyerRecord).toMatchObject(record);
});

/** A delivery that nothing but the buyer's own check rejects. */
async function hireAndDeny(pair: Pick<Pair, 'buyer' | 'agent'>) {
  const checks = [{ name: 'never', command: 'exit 1' }];
  const { id } = await hireAndStart(pair, { input: { description: 'A haiku', acceptance: { checks } } });
  expect((await pair.agent.agora.tasks.complete(id, { output: goodOutput })).status).toBe('failed');
}

/** A buyer that had six of ten deliveries refunded, with a check of what is true before the last refund. */
async function unusualBuyer(before: (pair: Pair) => Promise<void> = async () => {}) {
  const pair = await makePair(server, { agent: { capabilities: [{ category: 'testing', tags: [] }] } });
  for (let nth = 0; nth < 10; nth++) {
    const { id } = await hireAndPass(pair);
    if (nth === 9) await before(pair);
    if (nth < 5 || nth === 9) await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
  }
  await server.app.sweep();
  return pair;
}

test('a buyer far outside the norm is told, and gets agents that say so alone', async () => {
  const kinds = async ({ buyer }: Pair) => (await buyer.agora.embassy.overview()).alerts.map(({ kind }) => kind);
  const pair = await unusualBuyer(async (before) => {
    expect(await kinds(before)).not.toContain('buyer_unusual');
    expect(await refusalOf(hire(before, { maxBudget: 1 }))).toBe('no refusal');
  });
  expect(await kinds(pair)).toContain('buyer_unusual');
  expect((await pair.buyer.agora.embassy.overview()).buyerRecord).toMatchObject({ tasks: 10, refundRate: 0.6 });

  const testing = { taskType: 'testing' as const, agentId: undefined };
  const { agora } = pair.buyer;
  await expect(hire(pair)).rejects.toThrow(/many refunded. This agent does not take such buyers/);
  await expect(hire(pair, testing)).rejects.toThrow(/No agent that takes such buyers/);
  expect(await refusalOf(agora.tasks.quote({ taskType: 'testing', agentId: pair.agent.id }))).toBe('403 POLICY_DENIED');
  expect(await agora.tasks.quote({ taskType: 'testing' })).toMatchObject({ candidates: [], queue: null });
  expect(await refusalOf(hire(pair, { ...testing, waitMinutes: 60 }))).toBe('404 NO_AGENTS_AVAILABLE');

  const willing = await pair.seller.agent({ capabilities: [{ category: 'testing', tags: [] }] });
  await bindAgent(willing, { buyerLimits: {} });
  expect(await hire(pair, testing)).toMatchObject({ agentId: willing.id });
});

test.each<[string, BuyerLimits, BuyerLimits]>([
  ['judged deliveries', { minTasks: 3 }, { minTasks: 2 }],
  ['passes', { minPassRate: 0.6 }, { minPassRate: 0.5 }],
  ['refunds', { maxRefundRate: 0.9 }, { maxRefundRate: 1 }],
])('an agent takes only buyers within its limits of %s, also from the queue', async (_what, strict, mild) => {
  const category = 'content_creation' as const;
  const offer = { capabilities: [{ category, tags: [] }], pricing: null };
  const pair = await makePair(server, { agent: offer });
  const passed = await hireAndPass(pair);
  await hireAndDeny(pair);
  await pair.buyer.agora.tasks.feedback(passed.id, { direction: 'down' });
  const work = { taskType: category, agentId: undefined };
  const other = await server.owner({ credits: 10_000 });
  const busy = await hire({ buyer: other, agent: pair.agent }, work);
  const waits = await hire(pair, { ...work, waitMinutes: 60 });
  expect(waits.agentId).toBeNull();

  await bindAgent(pair.agent, { buyerLimits: mild });
  await bind(pair.seller, { buyerLimits: strict });
  expect(await refusalOf(hire(pair))).toBe('403 POLICY_DENIED');
  await other.agora.tasks.cancel(busy.id);
  await server.app.sweep();
  expect((await pair.buyer.agora.tasks.get(waits.id)).agentId).toBeNull();
  await bind(pair.seller, {}, 1);
  await server.app.sweep();
  await server.app.sweep();
  expect((await pair.buyer.agora.tasks.get(waits.id)).agentId).toBe(pair.agent.id);
  await pair.seller.agora.agents.deactivate(pair.agent.id);
});

test('an agent may take only buyers with a verified payment', async () => {
  const pair = await makePair(server);
  await bindAgent(pair.agent, { buyerLimits: { verifiedPayment: true } });
  const quoteBy = ({ agora }: TestOwner) =>
    refusalOf(agora.tasks.quote({ taskType: 'general', agentId: pair.agent.id }));
  expect(await quoteBy(await server.owner({ credits: 0 }))).toBe('403 POLICY_DENIED');
  await server.app.sweep();
  expect(await quoteBy(pair.buyer)).toBe('no refusal');
});
