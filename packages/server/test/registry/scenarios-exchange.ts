import { toUuid } from '@agora-market/contract';
import { bind } from '../api/policy.ts';
import type { World } from '../api/requests.ts';
import { agreed, bid, evaluated, goodText, makeStanding, market, post, posting, trader } from '../exchange/scene.ts';
import type { TestAgent } from '../support/harness.ts';
import { at, json, type Scenarios } from './scenario.ts';

type Ids = Extract<keyof Scenarios, `exchange.${string}`>;

const nobody = { request: 'wrq_01jxyz3k9mf5t8v2q7h4n6p0rs', bid: 'bid_01jxyz3k9mf5t8v2q7h4n6p0rs' };
const noAgreement = 'agr_01jxyz3k9mf5t8v2q7h4n6p0rs';

const by = ({ key }: TestAgent) => ({ headers: { 'x-api-key': key } });
const request = (id: string, verb: string) => at(`/exchange/requests/${id}${verb}`);
const agreement = (id: string, verb: string) => at(`/exchange/agreements/${id}${verb}`);
const noRequest = (verb: string) => async () => request(nobody.request, verb);

/** A bid of a seller of these qualities on a request with these fields. */
async function bidding(
  { server }: World,
  { fields = {}, seller = {}, amount = 150 }: { fields?: object; seller?: object; amount?: number },
) {
  const buyer = await trader(server, { wallet: 100_000 });
  const { id } = await post({ server, buyer }, fields);
  const agent = await trader(server, seller);
  const { biddingClosesAt: estimatedDelivery } = posting(server);
  return { ...request(id, '/bids'), ...by(agent), ...json({ amount, estimatedDelivery }) };
}

/** A request with a bid that the buyer now selects. */
async function selecting(
  { server }: World,
  {
    wallet = 100_000,
    fields = {},
    before = async () => {},
  }: { wallet?: number; fields?: object; before?: (scene: Bidden) => Promise<unknown> } = {},
) {
  const [buyer, seller] = [await trader(server, { wallet }), await trader(server)];
  const { id: requestId } = await post({ server, buyer }, fields);
  const { id: bidId } = await bid({ server }, seller, requestId);
  await before({ buyer, seller, requestId, bidId });
  return { ...request(requestId, `/bids/${bidId}/select`), ...by(buyer) };
}
interface Bidden {
  buyer: TestAgent;
  seller: TestAgent;
  requestId: string;
  bidId: string;
}

/** A direct offer that its target now answers. */
async function answering(
  { server }: World,
  verb: string,
  {
    seller: qualities = {},
    max = 500,
    before = async () => {},
  }: { seller?: object; max?: number; before?: (scene: Offered) => Promise<unknown> },
) {
  const [buyer, seller] = [await trader(server, { wallet: 100_000 }), await trader(server, qualities)];
  const { id } = await post(
    { server, buyer },
    { budget: { max }, selectionMode: 'direct', directHireAgentId: seller.id },
  );
  await before({ server, buyer, seller, id });
  return { ...request(id, verb), ...by(seller) };
}
type Offered = { buyer: TestAgent; seller: TestAgent; id: string } & Pick<World, 'server'>;

const offers = (verb: string) => ({
  WORK_REQUEST_NOT_FOUND: noRequest(verb),
  NOT_A_DIRECT_OFFER: async ({ requestId }: World) => request(requestId, verb),
  WRONG_STATE: (world: World) =>
    answering(world, verb, { before: ({ buyer, id }) => buyer.agora.exchange.cancelRequest(id) }),
});

/** What every change of an agreement refuses, for one that this side has just been given. */
const changing = (verb: string, side: 'buyer' | 'seller', body: object) => ({
  AGREEMENT_NOT_FOUND: async () => agreement(noAgreement, verb),
  WRONG_STATE: async ({ server }: World) => {
    const scene = await market(server);
    const { id } = await agreed(scene);
    if (side === 'buyer') return { ...agreement(id, verb), ...by(scene.buyer), ...json(body) };
    await scene.seller.agora.exchange.withdraw(id);
    return { ...agreement(id, verb), ...by(scene.seller), ...json(body) };
  },
  VERSION_CONFLICT: async ({ server }: World) => {
    const scene = await market(server);
    const { id } = await evaluated(scene);
    return { ...agreement(id, verb), ...by(scene[side]), ...json({ ...body, version: 1 }) };
  },
});

export const exchangeScenarios: Pick<Scenarios, Ids> = {
  'exchange.createRequest': {
    TIER_TOO_LOW: async ({ server }) => by(await trader(server, { tier: 'unverified' })),
    REQUEST_LIMIT_REACHED: async ({ server }) => {
      const buyer = await trader(server, { tier: 'provisional' });
      for (let made = 0; made < 3; made++) await post({ server, buyer });
      return by(buyer);
    },
    AGENT_NOT_FOUND: async ({ server }) =>
      json({ ...posting(server), selectionMode: 'direct', directHireAgentId: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs' }),
    SAME_OWNER: async ({ server, pair }) => {
      const { id: directHireAgentId } = await pair.seller.agent();
      return json({ ...posting(server), selectionMode: 'direct', directHireAgentId });
    },
    POLICY_DENIED: async ({ server }) => {
      const buyer = await trader(server);
      await bind(buyer.owner, { allowedCategories: [] });
      return { ...by(buyer), ...json(posting(server)) };
    },
    HIRE_TARGET_NOT_ACTIVE: async ({ server }) => {
      const hired = await trader(server);
      await hired.owner.agora.agents.deactivate(hired.id);
      return json({ ...posting(server), selectionMode: 'direct', directHireAgentId: hired.id });
    },
  },
  'exchange.getRequest': { WORK_REQUEST_NOT_FOUND: noRequest('') },
  'exchange.cancelRequest': {
    WORK_REQUEST_NOT_FOUND: noRequest('/cancel'),
    WRONG_STATE: async ({ server }) => {
      const scene = await market(server);
      const { requestId } = await agreed(scene);
      return { ...request(requestId, '/cancel'), ...by(scene.buyer) };
    },
  },
  'exchange.acceptOffer': {
    ...offers('/accept-offer'),
    AGREEMENT_LIMIT_REACHED: (world) =>
      answering(world, '/accept-offer', {
        max: 1,
        before: async ({ server, buyer, seller }) => {
          await agreed({ server, buyer, seller });
          await makeStanding(server, seller.id, { tier: 'unverified' });
        },
      }),
    BID_ABOVE_TIER_MAXIMUM: (world) => answering(world, '/accept-offer', { seller: { tier: 'unverified' } }),
    POLICY_DENIED: (world) =>
      answering(world, '/accept-offer', { before: ({ seller }) => bind(seller.owner, { allowedCategories: [] }) }),
  },
  'exchange.declineOffer': offers('/decline-offer'),
  'exchange.placeBid': {
    WORK_REQUEST_NOT_FOUND: noRequest('/bids'),
    REQUEST_NOT_OPEN: async ({ server, agreementId, pair }) => {
      const { requestId } = await pair.agent.agora.exchange.getAgreement(agreementId);
      return { ...request(requestId, '/bids'), ...by(await trader(server)) };
    },
    SAME_OWNER: async ({ server }) => {
      const buyer = await trader(server);
      const { id } = await post({ server, buyer });
      return { ...request(id, '/bids'), ...by(buyer) };
    },
    ELIGIBILITY_NOT_MET: (world) => bidding(world, { fields: { eligibility: { minScore: 1000 } } }),
    VERIFIED_AGENT_REQUIRED: (world) => bidding(world, { fields: { eligibility: { verifiedOnly: true } } }),
    MODEL_REQUIRED: (world) => bidding(world, { fields: { eligibility: { models: ['another'] } } }),
    BID_ABOVE_TIER_MAXIMUM: (world) => bidding(world, { seller: { tier: 'unverified' } }),
    POLICY_DENIED: async (world) => {
      const scene = await market(world.server);
      const { id } = await post(scene);
      await bind(scene.seller.owner, { allowedCategories: [] });
      const { biddingClosesAt: estimatedDelivery } = posting(world.server);
      return { ...request(id, '/bids'), ...by(scene.seller), ...json({ amount: 150, estimatedDelivery }) };
    },
    DUPLICATE: async ({ server }) => {
      const scene = await market(server);
      const { id } = await post(scene);
      await bid(scene, scene.seller, id);
      const { biddingClosesAt: estimatedDelivery } = posting(server);
      return { ...request(id, '/bids'), ...by(scene.seller), ...json({ amount: 150, estimatedDelivery }) };
    },
  },
  'exchange.listBids': { WORK_REQUEST_NOT_FOUND: noRequest('/bids') },
  'exchange.withdrawBid': {
    WORK_REQUEST_NOT_FOUND: noRequest(`/bids/${nobody.bid}`),
    BID_NOT_FOUND: async ({ requestId }) => request(requestId, `/bids/${nobody.bid}`),
    BID_NOT_PENDING: async ({ server }) => {
      const scene = await market(server);
      const { requestId, bidId } = await agreed(scene);
      return { ...request(requestId, `/bids/${bidId}`), ...by(scene.seller) };
    },
  },
  'exchange.selectBid': {
    WORK_REQUEST_NOT_FOUND: noRequest(`/bids/${nobody.bid}/select`),
    BID_NOT_FOUND: async ({ server }) => {
      const buyer = await trader(server);
      const { id } = await post({ server, buyer });
      return { ...request(id, `/bids/${nobody.bid}/select`), ...by(buyer) };
    },
    WRONG_STATE: (world) => selecting(world, { fields: { selectionMode: 'auto' } }),
    BID_NOT_PENDING: (world) =>
      selecting(world, {
        before: ({ seller, requestId, bidId }) => seller.agora.exchange.withdrawBid(requestId, bidId),
      }),
    BIDDER_AT_LIMIT: (world) =>
      selecting(world, {
        before: async ({ buyer, seller }) => {
          await agreed({ server: world.server, buyer, seller });
          await makeStanding(world.server, seller.id, { tier: 'unverified' });
        },
      }),
    POLICY_DENIED: (world) =>
      selecting(world, { before: ({ buyer, seller }) => bind(buyer.owner, { blockedCounterparties: [seller.id] }) }),
    INSUFFICIENT_BALANCE: (world) => selecting(world, { wallet: 500 }),
    BUDGET_EXCEEDED: (world) =>
      selecting(world, {
        before: ({ buyer }) =>
          world.server.pool.query('update agent_budgets set per_transaction_max = 1 where agent_id = $1', [
            toUuid('agent', buyer.id),
          ]),
      }),
    HIRE_TARGET_NOT_ACTIVE: (world) =>
      selecting(world, { before: ({ seller }) => seller.owner.agora.agents.deactivate(seller.id) }),
    WALLET_FLAGGED: (world) =>
      selecting(world, {
        before: ({ buyer }) =>
          world.server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
            toUuid('agent', buyer.id),
          ]),
      }),
  },
  'exchange.getAgreement': { AGREEMENT_NOT_FOUND: async () => agreement(noAgreement, '') },
  'exchange.start': changing('/start', 'seller', {}),
  'exchange.deliver': {
    ...changing('/deliver', 'seller', { result: 'x' }),
    DUPLICATE: async ({ server }) => {
      const scene = await market(server);
      const { id } = await agreed(scene);
      await scene.seller.agora.exchange.deliver(id, { result: goodText });
      return { ...agreement(id, '/deliver'), ...by(scene.seller), ...json({ result: goodText }) };
    },
  },
  'exchange.accept': changing('/accept', 'buyer', {}),
  'exchange.withdraw': {
    ...changing('/withdraw', 'seller', {}),
    WORK_STARTED: async ({ server }) => {
      const scene = await market(server);
      const { id } = await agreed(scene);
      await scene.seller.agora.exchange.start(id);
      return { ...agreement(id, '/withdraw'), ...by(scene.seller), ...json({}) };
    },
    WITHDRAWAL_DEADLINE_PASSED: async ({ server }) => {
      const scene = await market(server);
      const { id } = await agreed(scene);
      await server.pool.query(`update agreements set withdraw_by = created_at - interval '1 s' where id = $1`, [
        toUuid('agreement', id),
      ]);
      return { ...agreement(id, '/withdraw'), ...by(scene.seller), ...json({}) };
    },
  },
  'exchange.dispute': changing('/dispute', 'buyer', { reason: 'No' }),
  'exchange.resolve': {
    AGREEMENT_NOT_FOUND: async () => agreement(noAgreement, '/resolve'),
    WRONG_STATE: async () => ({}),
  },
};
