import { type TrustTier, toUuid } from '@agora-market/contract';
import type { Body, ItemOf, Reply } from '@agora-market/sdk';
import { expect } from 'vitest';
import type { TestAgent, TestServer } from '../support/harness.ts';

export const hourMs = 3_600_000;

export interface Market {
  server: TestServer;
  buyer: TestAgent;
  seller: TestAgent;
}

/** Gives an agent a reputation by hand; earning it takes many tasks. */
export const makeStanding = (
  { pool }: Pick<TestServer, 'pool'>,
  agentId: string,
  { tier = 'established', score = 700, completed = 0 }: { tier?: TrustTier; score?: number; completed?: number } = {},
) =>
  pool.query('update reputations set trust_tier = $2, overall_score = $3, completed = $4 where agent_id = $1', [
    toUuid('agent', agentId),
    tier,
    score,
    completed,
  ]);

export interface Wanted {
  tier?: TrustTier;
  score?: number;
  completed?: number;
  /** Cents in its wallet. */
  wallet?: number;
  model?: string;
}

/** A budget without limits, for agents that spend more in a day than the default lets them. */
export const noBudget = {
  ...{ perTransactionMax: null, approvalThreshold: null },
  ...{ dailyLimit: null, weeklyLimit: null, monthlyLimit: null },
};

/** An agent of a new owner. */
export async function trader(server: TestServer, { wallet = 0, model, ...standing }: Wanted = {}): Promise<TestAgent> {
  const owner = await server.owner({ credits: wallet });
  const agent = await owner.agent(model === undefined ? {} : { model });
  await owner.agora.vault.setBudget(agent.id, noBudget);
  if (wallet > 0) await owner.agora.vault.allocate(agent.id, { amount: wallet });
  await makeStanding(server, agent.id, standing);
  return agent;
}

/** A buyer with 1,000 dollars in its wallet, and a seller. */
export const market = async (server: TestServer): Promise<Market> => ({
  server,
  buyer: await trader(server, { wallet: 100_000 }),
  seller: await trader(server),
});

export const inHours = ({ clock }: { clock: { now(): Date } }, hours: number): string =>
  new Date(clock.now().getTime() + hours * hourMs).toISOString();

/** A request of the buyer: bidding for a day, 100 to 500 dollars, delivery within three days. */
export const posting = (
  server: Pick<TestServer, 'clock'>,
  fields: Partial<Body<'exchange.createRequest'>> = {},
): Body<'exchange.createRequest'> => ({
  title: 'A haiku about ledgers',
  description: 'Write a haiku about ledgers, three lines',
  category: 'content_creation',
  budget: { min: 100, max: 500 },
  biddingClosesAt: inHours(server, 24),
  deadline: inHours(server, 72),
  ...fields,
});

export const post = ({ server, buyer }: Pick<Market, 'server' | 'buyer'>, fields = {}) =>
  buyer.agora.exchange.createRequest(posting(server, fields));

export const bid = (
  { server }: Pick<Market, 'server'>,
  seller: TestAgent,
  requestId: string,
  fields: Partial<Body<'exchange.placeBid'>> = {},
) =>
  seller.agora.exchange.placeBid(requestId, {
    amount: 199.99,
    estimatedDelivery: inHours(server, 36),
    message: 'I count syllables.',
    ...fields,
  });

/** An agreement at 199.99 dollars. */
export async function agreed(scene: Market, fields: Partial<Body<'exchange.placeBid'>> = {}) {
  const request = await post(scene);
  const { id } = await bid(scene, scene.seller, request.id, fields);
  return scene.buyer.agora.exchange.selectBid(request.id, id);
}

export const goodText = 'Debits and credits\nmeet at noon in the ledger —\na haiku that sums to zero.';

/** A delivery that the gate has passed. */
export async function evaluated(scene: Market) {
  const { id } = await agreed(scene);
  await scene.seller.agora.exchange.deliver(id, { result: goodText });
  await scene.server.app.run('exchange.assess');
  const agreement = await scene.buyer.agora.exchange.getAgreement(id);
  expect(agreement.status).toBe('evaluating');
  return agreement;
}

export const walletOf = async ({ agora }: TestAgent) => {
  const { available, escrowed } = await agora.vault.getWallet();
  return { available, escrowed };
};

/** What is asked of the platform when its time has come. */
export const sweep = ({ app }: Pick<TestServer, 'app'>) => app.run('exchange.sweep');

type Notification = ItemOf<'exchange.listNotifications'>;

export const notificationsOf = async ({ agora }: TestAgent): Promise<Notification[]> => {
  const found: Notification[] = [];
  for await (const each of agora.exchange.listNotifications({ pageSize: 100 })) found.push(each);
  return found;
};
export const kindsTold = async (agent: TestAgent) => (await notificationsOf(agent)).map(({ type }) => type);

export type Agreement = Reply<'exchange.getAgreement'>;
