import { bidScore, exchangeByTier, exchangeRules, toUuid, trustTiers } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { refusalOf, serverForFile } from '../api/scene.ts';
import {
  agreed,
  bid,
  hourMs,
  inHours,
  kindsTold,
  makeStanding,
  market,
  notificationsOf,
  post,
  sweep,
  trader,
  walletOf,
} from './scene.ts';

/** Bids and how one is selected. */

const server = serverForFile();

describe('a bid', () => {
  test('is read by the buyer with the reputation of the bidder, and stays unseen by other bidders', async () => {
    const { buyer, seller } = await market(server);
    const rival = await trader(server, { tier: 'trusted', score: 812, completed: 7 });
    const { id: requestId } = await post({ server, buyer });
    const own = await bid({ server }, seller, requestId, { amount: 150.5 });
    const other = await bid({ server }, rival, requestId, { amount: 120 });
    expect(own).toMatchObject({ amount: 150.5, status: 'pending', agentId: seller.id, bidder: null });

    const read = await buyer.agora.exchange.listBids(requestId);
    expect(read.data.map(({ id, amount }) => [id, amount])).toEqual([
      [own.id, 150.5],
      [other.id, 120],
    ]);
    expect(read.data[1]?.bidder).toMatchObject({ trustTier: 'trusted', overallScore: 812, completedJobs: 7 });
    const pages = [];
    for await (const { id } of buyer.agora.exchange.listBids(requestId, { pageSize: 1 })) pages.push(id);
    expect(pages).toEqual([own.id, other.id]);

    expect((await seller.agora.exchange.listBids(requestId)).data).toEqual([own]);
    expect((await rival.agora.exchange.listBids(requestId)).data).toEqual([other]);
    const stranger = await trader(server);
    expect((await stranger.agora.exchange.listBids(requestId)).data).toEqual([]);
    // Neither the request nor a notification tells of it.
    expect(JSON.stringify(await rival.agora.exchange.getRequest(requestId))).not.toContain(own.id);
    expect(await notificationsOf(rival)).toEqual([]);
    expect(await kindsTold(buyer)).toEqual(['bid_received', 'bid_received']);
  });

  test('stays unseen once another was selected', async () => {
    const { buyer, seller } = await market(server);
    const rival = await trader(server);
    const { id: requestId } = await post({ server, buyer });
    const own = await bid({ server }, seller, requestId, { amount: 150 });
    const other = await bid({ server }, rival, requestId, { amount: 120 });
    const agreement = await buyer.agora.exchange.selectBid(requestId, own.id);
    expect((await rival.agora.exchange.listBids(requestId)).data).toEqual([{ ...other, status: 'rejected' }]);
    expect((await rival.agora.exchange.getRequest(requestId)).agreementId).toBeNull();
    expect((await seller.agora.exchange.getRequest(requestId)).agreementId).toBe(agreement.id);
    const told = await notificationsOf(rival);
    expect(told.map(({ type, data }) => [type, data])).toEqual([['bid_rejected', { requestId, bidId: other.id }]]);
    expect(await refusalOf(rival.agora.exchange.getAgreement(agreement.id))).toBe('403 NOT_A_PARTY');
  });

  test('is made once for each request, also after a withdrawal', async () => {
    const { buyer, seller } = await market(server);
    const { id: requestId } = await post({ server, buyer });
    const { id } = await bid({ server }, seller, requestId);
    expect(await refusalOf(bid({ server }, seller, requestId))).toBe('409 DUPLICATE');
    await seller.agora.exchange.withdrawBid(requestId, id);
    expect(await kindsTold(buyer)).toEqual(['bid_received', 'bid_withdrawn']);
    expect(await refusalOf(bid({ server }, seller, requestId))).toBe('409 DUPLICATE');
    expect(await refusalOf(seller.agora.exchange.withdrawBid(requestId, id))).toBe('400 BID_NOT_PENDING');
    expect(await refusalOf(buyer.agora.exchange.selectBid(requestId, id))).toBe('400 BID_NOT_PENDING');
  });

  test('is refused on an own request, on one of the same owner, and at and after the end of bidding', async () => {
    const { buyer, seller } = await market(server);
    const { id } = await post({ server, buyer });
    expect(await refusalOf(bid({ server }, buyer, id))).toBe('403 SAME_OWNER');
    expect(await refusalOf(bid({ server }, await buyer.owner.agent(), id))).toBe('403 SAME_OWNER');
    server.clock.advance(24 * hourMs - 1);
    expect(await refusalOf(bid({ server }, await trader(server), id))).toBe('no refusal');
    server.clock.advance(1);
    expect(await refusalOf(bid({ server }, seller, id))).toBe('400 REQUEST_NOT_OPEN');
  });

  test.each([
    ['above the budget', { amount: 500.01 }],
    ['of nothing', { amount: 0 }],
    ['of a part of a cent', { amount: 1.005 }],
    ['that would deliver after the deadline', { estimatedDelivery: '2099-01-01T00:00:00Z' }],
    ['that has delivered already', { estimatedDelivery: '2026-01-01T00:00:00Z' }],
    ['whose time is none', { estimatedDelivery: 'soon' }],
  ])('%s is refused', async (_name, fields) => {
    const { buyer, seller } = await market(server);
    const { id } = await post({ server, buyer });
    expect(await refusalOf(bid({ server }, seller, id, fields))).toBe('400 VALIDATION_ERROR');
  });

  test.each(trustTiers)('of an agent of tier %s has the maximum of the tier', async (tier) => {
    const buyer = await trader(server);
    const seller = await trader(server, { tier });
    const maximum = exchangeByTier[tier].bidMaximumCents / 100;
    const { id } = await post({ server, buyer }, { budget: { max: maximum + 1 } });
    await expect(bid({ server }, seller, id, { amount: maximum + 0.01 })).rejects.toMatchObject({
      status: 403,
      code: 'BID_ABOVE_TIER_MAXIMUM',
      details: { maximum, trustTier: tier },
    });
    expect((await bid({ server }, seller, id, { amount: maximum })).amount).toBe(maximum);
  });

  test('is one of at most two hundred', async () => {
    const { buyer, seller } = await market(server);
    const { id: requestId } = await post({ server, buyer });
    await server.pool.query(
      `with many as (
         insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories, key_hash,
           key_prefix, created_at, updated_at)
         select gen_random_uuid(), owner_id, 'x', framework, model, '', capabilities, categories,
           sha256(gen_random_uuid()::text::bytea), 'x', now(), now()
         from agents, generate_series(1, $3) where id = $2 returning id
       )
       insert into bids (id, request_id, agent_id, amount, estimated_delivery, message, created_at)
       select gen_random_uuid(), $1, id, 1, now(), '', now() from many`,
      [toUuid('workRequest', requestId), toUuid('agent', seller.id), exchangeRules.bidsPerRequest],
    );
    expect(await refusalOf(bid({ server }, seller, requestId))).toBe('400 REQUEST_NOT_OPEN');
  });
});

describe('selecting', () => {
  test('is for the agent that posted, once, and not for the mode auto', async () => {
    const { buyer, seller } = await market(server);
    const { id: requestId } = await post({ server, buyer });
    const { id } = await bid({ server }, seller, requestId);
    const rival = await bid({ server }, await trader(server), requestId);
    expect(await refusalOf(seller.agora.exchange.selectBid(requestId, id))).toBe('403 NOT_A_PARTY');
    const sibling = await buyer.owner.agent();
    expect(await refusalOf(sibling.agora.exchange.selectBid(requestId, id))).toBe('403 NOT_A_PARTY');
    await buyer.agora.exchange.selectBid(requestId, id);
    for (const each of [id, rival.id])
      expect(await refusalOf(buyer.agora.exchange.selectBid(requestId, each))).toBe('400 BID_NOT_PENDING');
    expect(await refusalOf(seller.agora.exchange.withdrawBid(requestId, id))).toBe('400 BID_NOT_PENDING');
    const auto = await post({ server, buyer }, { selectionMode: 'auto' });
    const bidOnAuto = await bid({ server }, seller, auto.id);
    expect(await refusalOf(buyer.agora.exchange.selectBid(auto.id, bidOnAuto.id))).toBe('400 WRONG_STATE');
  });

  // Before: a bid could be selected a second before the deadline, and the end counted as the agent's own failure.
  test('still works after bidding while half of the time is left that the bid asked for; then the request ends', async () => {
    const { buyer, seller } = await market(server);
    const [first, second] = [await post({ server, buyer }), await post({ server, buyer })];
    const offers = [await bid({ server }, seller, first.id), await bid({ server }, seller, second.id)];
    // Of 72 hours the bids asked for 36.
    server.clock.advance(54 * hourMs);
    await sweep(server);
    expect((await buyer.agora.exchange.selectBid(first.id, offers[0]!.id)).status).toBe('active');
    server.clock.advance(1);
    const tooLate = await buyer.agora.exchange.selectBid(second.id, offers[1]!.id).catch((error) => error);
    expect(tooLate).toMatchObject({ status: 400, code: 'WRONG_STATE', details: { deadline: second.deadline } });
    expect(tooLate.message).toContain('too late for this bid');
    server.clock.advance(18 * hourMs);
    expect(await refusalOf(buyer.agora.exchange.selectBid(second.id, offers[1]!.id))).toBe('400 WRONG_STATE');
    await sweep(server);
    expect((await buyer.agora.exchange.getRequest(second.id)).status).toBe('cancelled');
    expect((await seller.agora.exchange.listBids(second.id)).data[0]?.status).toBe('rejected');
  });

  test('a bidder that is at its limit or not active is refused, and nothing is held', async () => {
    const scene = await market(server);
    const { buyer, seller } = scene;
    await makeStanding(server, seller.id, { tier: 'unverified' });
    await agreed(scene, { amount: 20 });
    const { id: requestId } = await post(scene);
    const { id } = await bid(scene, seller, requestId, { amount: 20 });
    expect(await refusalOf(buyer.agora.exchange.selectBid(requestId, id))).toBe('409 BIDDER_AT_LIMIT');
    await seller.owner.agora.agents.deactivate(seller.id);
    expect(await refusalOf(buyer.agora.exchange.selectBid(requestId, id))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
    expect(await walletOf(buyer)).toEqual({ available: 98_000, escrowed: 2_000 });
  });
});

describe('the mode auto', () => {
  test('selects by reputation, price and speed when bidding closes, and not before', async () => {
    const { buyer } = await market(server);
    const { id: requestId } = await post({ server, buyer }, { selectionMode: 'auto' });
    const bids = [];
    for (const [score, amount, hours] of [
      [500, 100, 36],
      [900, 250, 36],
      [900, 200, 36],
      [900, 200, 30],
      [900, 200, 30],
    ] as const) {
      const agent = await trader(server, { score });
      bids.push({
        agent,
        ...(await bid({ server }, agent, requestId, { amount, estimatedDelivery: inHours(server, hours) })),
      });
    }
    server.clock.advance(24 * hourMs - 1);
    await sweep(server);
    expect((await buyer.agora.exchange.getRequest(requestId)).status).toBe('open');
    server.clock.advance(1);
    await sweep(server);
    const { status, agreementId } = await buyer.agora.exchange.getRequest(requestId);
    expect(status).toBe('in_progress');
    const agreement = await buyer.agora.exchange.getAgreement(agreementId as string);
    // The last two are equal, so the older one wins.
    expect(agreement).toMatchObject({ bidId: bids[3]!.id, price: 200 });
    expect(await kindsTold(bids[3]!.agent)).toEqual(['bid_accepted']);
    expect(await kindsTold(bids[4]!.agent)).toEqual(['bid_rejected']);
    expect((await kindsTold(buyer)).at(-1)).toBe('bid_accepted');
  });

  test('passes over bids that cannot be taken, and ends the request where none can', async () => {
    const buyer = await trader(server, { wallet: 15_000 });
    const { id: requestId } = await post({ server, buyer }, { selectionMode: 'auto' });
    const best = await trader(server, { score: 1000 });
    await bid({ server }, best, requestId, { amount: 200 });
    const gone = await trader(server, { score: 950 });
    await bid({ server }, gone, requestId, { amount: 100 });
    await gone.owner.agora.agents.deactivate(gone.id);
    const payable = await trader(server, { score: 300 });
    const { id } = await bid({ server }, payable, requestId, { amount: 150 });
    const hopeless = await post({ server, buyer }, { selectionMode: 'auto' });
    await bid({ server }, best, hopeless.id, { amount: 400 });
    const empty = await post({ server, buyer }, { selectionMode: 'auto' });
    server.clock.advance(24 * hourMs);
    await sweep(server);
    const { agreementId } = await buyer.agora.exchange.getRequest(requestId);
    expect((await buyer.agora.exchange.getAgreement(agreementId as string)).bidId).toBe(id);
    for (const each of [hopeless, empty])
      expect((await buyer.agora.exchange.getRequest(each.id)).status).toBe('cancelled');
    expect(await walletOf(buyer)).toEqual({ available: 0, escrowed: 15_000 });
  });

  test('has a score of 0 to 100 that grows with reputation, thrift and speed', () => {
    const base = {
      amountCents: 5_000,
      budgetMaxCents: 10_000,
      overallScore: 500,
      closedAt: 0,
      deliveryAt: 50,
      deadlineAt: 100,
    };
    expect(bidScore(base)).toBe(50);
    expect(bidScore({ ...base, overallScore: 600 })).toBe(55);
    expect(bidScore({ ...base, amountCents: 4_000 })).toBeCloseTo(53);
    expect(bidScore({ ...base, deliveryAt: 40 })).toBeCloseTo(52);
    expect(bidScore({ ...base, overallScore: 1000, amountCents: 0, deliveryAt: -5 })).toBe(100);
    expect(bidScore({ ...base, overallScore: 0, amountCents: 10_000, deliveryAt: 100 })).toBe(0);
  });
});

describe('notifications', () => {
  test('are read from a time on, which counts too, page by page', async () => {
    const { buyer } = await market(server);
    const { id: requestId } = await post({ server, buyer });
    const times: string[] = [];
    for (let count = 0; count < 3; count++) {
      server.clock.advance(1_000);
      await bid({ server }, await trader(server), requestId);
      times.push(server.clock.now().toISOString());
    }
    const list = async (query: object) => {
      const found = [];
      for await (const each of buyer.agora.exchange.listNotifications(query)) found.push(each);
      return found;
    };
    expect((await list({})).map(({ createdAt }) => createdAt)).toEqual(times);
    expect((await list({ pageSize: 1 })).map(({ createdAt }) => createdAt)).toEqual(times);
    expect((await list({ since: times[1] })).map(({ createdAt }) => createdAt)).toEqual(times.slice(1));
    expect(new Set((await list({})).map(({ id }) => id)).size).toBe(3);
    server.clock.advance(1);
    expect(await list({ since: server.clock.now().toISOString() })).toEqual([]);
    for (const since of ['yesterday', '2026-11-21', '1763720000', ''])
      expect(await refusalOf(buyer.agora.exchange.listNotifications({ since }))).toBe('400 VALIDATION_ERROR');
  });
});
