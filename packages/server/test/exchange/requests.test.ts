import { exchangeByTier, trustTiers } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { refusalOf, serverForFile } from '../api/scene.ts';
import {
  bid,
  hourMs,
  inHours,
  kindsTold,
  makeStanding,
  market,
  notificationsOf,
  post,
  posting,
  sweep,
  trader,
  walletOf,
} from './scene.ts';

/** Work requests, how they are found and how they end, and direct offers. */

const server = serverForFile();

describe('posting', () => {
  test('keeps every field as it was given', async () => {
    const buyer = await trader(server);
    const body = posting(server, {
      selectionMode: 'auto',
      eligibility: {
        minTrustTier: 'provisional',
        minScore: 600,
        verifiedOnly: true,
        models: ['m'],
        modelTiers: ['premium'],
      },
      sandboxConfig: { image: 'node', cpus: 2 },
      budget: { min: 0.01, max: 1234.56 },
    });
    const made = await buyer.agora.exchange.createRequest(body);
    expect(made).toMatchObject({
      ...body,
      agentId: buyer.id,
      status: 'open',
      agreementId: null,
      directHireAgentId: null,
    });
    expect(await buyer.agora.exchange.getRequest(made.id)).toEqual(made);
  });

  test.each(trustTiers)('%s agents may have as many active requests as the tier allows', async (tier) => {
    const buyer = await trader(server, { tier });
    const { requests } = exchangeByTier[tier];
    if (requests === 0) return expect(await refusalOf(post({ server, buyer }))).toBe('403 TIER_TOO_LOW');
    const made = await post({ server, buyer });
    for (let count = 1; count < requests; count++) await post({ server, buyer });
    expect(await refusalOf(post({ server, buyer }))).toBe('403 REQUEST_LIMIT_REACHED');
    await buyer.agora.exchange.cancelRequest(made.id);
    expect(await refusalOf(post({ server, buyer }))).toBe('no refusal');
  });

  test.each([
    ['a deadline that is not after the end of bidding', (at: string) => ({ biddingClosesAt: at, deadline: at })],
    ['an end of bidding in the past', () => ({ biddingClosesAt: inHours(server, -1) })],
    ['a deadline in two years', () => ({ deadline: inHours(server, 2 * 365 * 24) })],
    ['a time that is none', () => ({ deadline: 'tomorrow' })],
    ['thirds of a cent', () => ({ budget: { max: 10.001 } })],
    ['a budget of nothing', () => ({ budget: { max: 0 } })],
    ['a budget upside down', () => ({ budget: { min: 2, max: 1 } })],
    ['the mode direct without an agent', () => ({ selectionMode: 'direct' as const })],
    ['an agent without the mode direct', () => ({ directHireAgentId: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs' })],
    ['an unknown category', () => ({ category: 'cooking' as never })],
    ['a sandbox configuration above the cap', () => ({ sandboxConfig: { a: 'x'.repeat(4_000) } })],
  ])('%s is refused', async (_name, fields) => {
    const buyer = await trader(server);
    expect(await refusalOf(post({ server, buyer }, fields(inHours(server, 24))))).toBe('400 VALIDATION_ERROR');
  });
});

describe('the search', () => {
  const scene = async () => {
    const buyer = await trader(server, { tier: 'elite' });
    // Only what was posted here is looked at.
    const mine = async (agora: typeof buyer.agora, query: object) => {
      const found: string[] = [];
      for await (const { id, agentId } of agora.exchange.searchRequests({ pageSize: 2, ...query }))
        if (agentId === buyer.id) found.push(id);
      return found;
    };
    return { buyer, mine };
  };

  test('orders by newest, deadline and budget, page by page, without the descriptions', async () => {
    const { buyer, mine } = await scene();
    const ids: string[] = [];
    for (const [max, hours] of [
      [300, 50],
      [100, 90],
      [200, 50],
      [300, 70],
      [50, 30],
    ] as const)
      ids.push((await post({ server, buyer }, { budget: { max }, deadline: inHours(server, hours) })).id);
    const at = (...order: number[]) => order.map((index) => ids[index]);
    const { agora } = await trader(server);
    expect(await mine(agora, {})).toEqual(at(4, 3, 2, 1, 0));
    expect(await mine(agora, { sort: 'newest' })).toEqual(at(4, 3, 2, 1, 0));
    expect(await mine(agora, { sort: 'deadline' })).toEqual(at(4, 0, 2, 3, 1));
    expect(await mine(agora, { sort: 'budget' })).toEqual(at(3, 0, 2, 1, 4));
    expect(await refusalOf(agora.exchange.searchRequests({ sort: 'deadline', cursor: 'bm8' }))).toBe(
      '400 VALIDATION_ERROR',
    );
    const [first] = (await agora.exchange.searchRequests()).data;
    expect(first).not.toHaveProperty('description');
  });

  test('filters by category, and leaves out what takes no bids', async () => {
    const { buyer, mine } = await scene();
    const { agora } = await trader(server);
    const design = await post({ server, buyer }, { category: 'design' });
    const devops = await post({ server, buyer }, { category: 'devops' });
    const cancelled = await post({ server, buyer }, { category: 'devops' });
    await buyer.agora.exchange.cancelRequest(cancelled.id);
    const brief = await post({ server, buyer }, { category: 'devops', biddingClosesAt: inHours(server, 1) });
    expect(await mine(agora, { category: 'design' })).toEqual([design.id]);
    expect(await mine(agora, { category: 'devops' })).toEqual([brief.id, devops.id]);
    server.clock.advance(hourMs);
    expect(await mine(agora, { category: 'devops' })).toEqual([devops.id]);
    expect(await mine(buyer.agora, { mine: true })).toEqual([brief.id, cancelled.id, devops.id, design.id]);
    expect(await mine(buyer.agora, {})).toEqual([]);
  });

  test.each([
    ['a tier', { minTrustTier: 'trusted' }, { tier: 'trusted' }, { tier: 'established' }, 'ELIGIBILITY_NOT_MET'],
    ['a score', { minScore: 701 }, { score: 701 }, { score: 700 }, 'ELIGIBILITY_NOT_MET'],
    ['completed jobs', { verifiedOnly: true }, { completed: 3 }, { completed: 2 }, 'VERIFIED_AGENT_REQUIRED'],
    ['a model', { models: ['gpt-5', 'other'] }, { model: 'other' }, { model: 'Other' }, 'MODEL_REQUIRED'],
    ['a model tier', { modelTiers: ['premium'] }, { model: 'gpt-5' }, { model: 'gpt-5-mini' }, 'MODEL_REQUIRED'],
    ['a known model tier', { modelTiers: ['budget'] }, { model: 'gpt-5-mini' }, { model: 'unheard' }, 'MODEL_REQUIRED'],
  ] as const)('with eligible_only finds just what one may bid on: %s', async (_what, eligibility, fit, unfit, code) => {
    const { buyer, mine } = await scene();
    const { id } = await post({ server, buyer }, { eligibility });
    const open = await post({ server, buyer });
    const [able, unable] = [await trader(server, fit), await trader(server, unfit)];
    expect(await mine(able.agora, { eligible_only: true })).toEqual([open.id, id]);
    expect(await mine(unable.agora, { eligible_only: true })).toEqual([open.id]);
    expect(await mine(unable.agora, {})).toEqual([open.id, id]);
    expect(await refusalOf(bid({ server }, unable, id))).toBe(`403 ${code}`);
    expect(await refusalOf(bid({ server }, able, id))).toBe('no refusal');
    const sibling = await buyer.owner.agent();
    expect(await mine(sibling.agora, { eligible_only: true })).toEqual([]);
    expect(await mine(sibling.agora, {})).toEqual([open.id, id]);
  });
});

describe('a direct offer', () => {
  const offer = async (fields: object = {}) => {
    const scene = await market(server);
    const hired = { selectionMode: 'direct', directHireAgentId: scene.seller.id, ...fields };
    return { ...scene, request: await post(scene, hired) };
  };

  test('is accepted at the top of the budget, which goes into escrow', async () => {
    const { buyer, seller, request } = await offer();
    expect(request).toMatchObject({ status: 'direct_offer', directHireAgentId: seller.id });
    expect(await kindsTold(seller)).toEqual(['direct_offer']);
    const agreement = await seller.agora.exchange.acceptOffer(request.id);
    expect(agreement).toMatchObject({ status: 'active', price: 500, platformFee: 75, bidId: null });
    expect(await walletOf(buyer)).toEqual({ available: 50_000, escrowed: 50_000 });
    expect((await notificationsOf(buyer)).map(({ type, data }) => [type, data.agreementId])).toEqual([
      ['offer_accepted', agreement.id],
    ]);
    expect(await refusalOf(seller.agora.exchange.acceptOffer(request.id))).toBe('400 WRONG_STATE');
  });

  test('is seen and answered by its two parties alone', async () => {
    const { seller, request } = await offer();
    const stranger = await trader(server);
    const { exchange } = stranger.agora;
    expect(await refusalOf(exchange.getRequest(request.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(exchange.acceptOffer(request.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(exchange.declineOffer(request.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(bid({ server }, stranger, request.id))).toBe('400 REQUEST_NOT_OPEN');
    for await (const { id } of exchange.searchRequests({ pageSize: 100 })) expect(id).not.toBe(request.id);
    expect((await seller.agora.exchange.getRequest(request.id)).id).toBe(request.id);
  });

  test('is declined, and the buyer hears of it', async () => {
    const { buyer, seller, request } = await offer();
    expect((await seller.agora.exchange.declineOffer(request.id)).status).toBe('cancelled');
    expect(await kindsTold(buyer)).toEqual(['offer_declined']);
    expect(await refusalOf(seller.agora.exchange.acceptOffer(request.id))).toBe('400 WRONG_STATE');
  });

  test('ends when nobody answers in time, and both hear of it', async () => {
    const { buyer, seller, request } = await offer();
    server.clock.advance(24 * hourMs);
    expect(await refusalOf(seller.agora.exchange.acceptOffer(request.id))).toBe('400 WRONG_STATE');
    await sweep(server);
    expect((await buyer.agora.exchange.getRequest(request.id)).status).toBe('cancelled');
    expect([await kindsTold(buyer), await kindsTold(seller)]).toEqual([
      ['request_cancelled'],
      ['direct_offer', 'request_cancelled'],
    ]);
  });

  test('is not made to agents of the same owner, unknown or not active ones', async () => {
    const { buyer, seller } = await market(server);
    const to = (directHireAgentId: string) =>
      refusalOf(post({ server, buyer }, { selectionMode: 'direct', directHireAgentId }));
    expect(await to((await buyer.owner.agent()).id)).toBe('403 SAME_OWNER');
    expect(await to('agt_01jxyz3k9mf5t8v2q7h4n6p0rs')).toBe('404 AGENT_NOT_FOUND');
    await seller.owner.agora.agents.deactivate(seller.id);
    expect(await to(seller.id)).toBe('400 HIRE_TARGET_NOT_ACTIVE');
  });

  test('says no more than that the buyer cannot pay', async () => {
    const { buyer, seller, request } = await offer();
    await buyer.owner.agora.vault.reclaim(buyer.id, { amount: 60_000 });
    await expect(seller.agora.exchange.acceptOffer(request.id)).rejects.toMatchObject({
      code: 'WRONG_STATE',
      details: {},
    });
  });

  test('above what the tier of the seller allows is not taken, nor one agreement too many', async () => {
    const { buyer, seller, request } = await offer();
    await makeStanding(server, seller.id, { tier: 'provisional' });
    expect(await refusalOf(seller.agora.exchange.acceptOffer(request.id))).toBe('403 BID_ABOVE_TIER_MAXIMUM');
    const offers = [];
    for (let count = 0; count < 3; count++) {
      const fields = { selectionMode: 'direct', directHireAgentId: seller.id, budget: { max: 10 } };
      offers.push((await post({ server, buyer }, fields)).id);
    }
    const refusals = [];
    for (const id of offers) refusals.push(await refusalOf(seller.agora.exchange.acceptOffer(id)));
    expect(refusals).toEqual(['no refusal', 'no refusal', '403 AGREEMENT_LIMIT_REACHED']);
  });
});
