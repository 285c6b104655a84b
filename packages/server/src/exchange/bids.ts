import {
  exchangeByTier,
  exchangeRules,
  type Operations,
  toCents,
  toDollars,
  toId,
  toUuid,
} from '@agora-market/contract';
import { z } from 'zod';
import { policyDenied } from '../embassy/index.ts';
import {
  type Call,
  type Clock,
  decodeCursor,
  ensure,
  invalidField,
  newUuid,
  type Pool,
  pageOf,
  type Tx,
} from '../platform/index.ts';
import { findAgents } from '../registry/index.ts';
import { type BidRow, bidOf, bidsSoFar, insertBid, listBids, moveBid } from './bid-sql.ts';
import { barrierOf } from './eligibility.ts';
import { logRequest } from './log.ts';
import { notify } from './notifications.ts';
import { type RequestRow, requestById } from './request-sql.ts';
import { namedRequest, standingOf } from './requests.ts';
import { sellersDenial } from './rules.ts';
import { bidView } from './view.ts';

type PlaceBid = Call<Operations['exchange.placeBid']>;

/** The request takes this bid, in cents, at this time. */
function requireFit(request: RequestRow, { body, now }: PlaceBid, amount: number): void {
  if (amount > request.budgetMax) {
    throw invalidField('amount', `must not be above the budget of ${toDollars(request.budgetMax)} dollars`);
  }
  const delivery = new Date(body.estimatedDelivery);
  if (delivery <= now || delivery > new Date(request.deadline)) {
    throw invalidField('estimatedDelivery', `must be in the future and not after the deadline ${request.deadline}`);
  }
}

/** Bids on an open request. Nobody but the buyer learns of it. */
export async function placeBid(clock: Clock, call: PlaceBid) {
  const { tx, caller, params, body, now } = call;
  const request = await namedRequest(tx, params.requestId);
  ensure(request.buyerAgentId !== caller.agentId, 'SAME_OWNER', 'An agent cannot bid on its own request.');
  ensure(request.buyerOwnerId !== caller.ownerId, 'SAME_OWNER');
  const isTaking = request.status === 'open' && now < new Date(request.biddingClosesAt);
  ensure(isTaking, 'REQUEST_NOT_OPEN', undefined, { status: request.status, biddingClosesAt: request.biddingClosesAt });
  const { count, own } = await bidsSoFar(tx, request.id, caller.agentId);
  ensure(!own, 'DUPLICATE', 'The agent has bid on this request already. It can bid once.');
  const { bidsPerRequest } = exchangeRules;
  ensure(count < bidsPerRequest, 'REQUEST_NOT_OPEN', 'The request has as many bids as it takes.', { bidsPerRequest });
  const bidder = await standingOf(tx, caller.agentId);
  const barrier = barrierOf(bidder, request.eligibility);
  if (barrier) throw barrier;
  const { category, buyerAgentId, buyerOwnerId } = request;
  const work = { category, buyer: { agentId: buyerAgentId, ownerId: buyerOwnerId }, seller: caller };
  const denial = await sellersDenial(tx, work, now);
  if (denial !== null) throw policyDenied(denial);
  const amount = toCents(body.amount);
  const { bidMaximumCents } = exchangeByTier[bidder.trustTier];
  const maximum = toDollars(bidMaximumCents);
  ensure(amount <= bidMaximumCents, 'BID_ABOVE_TIER_MAXIMUM', undefined, { maximum, trustTier: bidder.trustTier });
  requireFit(request, call, amount);
  const id = newUuid(clock);
  const estimatedDelivery = new Date(body.estimatedDelivery).toISOString();
  const { message } = body;
  await insertBid(tx, {
    id,
    requestId: request.id,
    agentId: caller.agentId,
    amount,
    estimatedDelivery,
    message,
    at: now,
  });
  await record(call, request, id, 'bid.placed', 'bid_received');
  return bidView((await bidOf(tx, request.id, id)) as BidRow, null);
}

/** The log is read by both parties, so it does not say what was bid. */
async function record(
  { tx, caller, now: at }: Pick<PlaceBid, 'tx' | 'caller' | 'now'>,
  request: RequestRow,
  bidId: string,
  type: 'bid.placed' | 'bid.withdrawn',
  notice: 'bid_received' | 'bid_withdrawn',
): Promise<void> {
  await logRequest(tx, request, { type, agentId: caller.agentId, at }, { bidId: toId('bid', bidId) });
  await notify(tx, [{ agentId: request.buyerAgentId, type: notice, about: { requestId: request.id, bidId } }], at);
}

/** The bid of an id in a path, of a locked request. */
export async function namedBid(tx: Tx, request: RequestRow, bidId: string): Promise<BidRow> {
  const id = toUuid('bid', bidId);
  const bid = id === null ? null : await bidOf(tx, request.id, id);
  ensure(bid, 'BID_NOT_FOUND');
  return bid;
}

export async function withdrawBid(call: Call<Operations['exchange.withdrawBid']>): Promise<undefined> {
  const { tx, caller, params } = call;
  const request = await namedRequest(tx, params.requestId);
  const bid = await namedBid(tx, request, params.bidId);
  ensure(bid.agentId === caller.agentId, 'NOT_A_PARTY', 'Only the bidder can withdraw a bid.');
  ensure(await moveBid(tx, bid.id, 'withdraw'), 'BID_NOT_PENDING', undefined, { status: bid.status });
  await record(call, request, bid.id, 'bid.withdrawn', 'bid_withdrawn');
  return undefined;
}

/** The buyer reads every bid, with who bids. Bidders read their own and learn nothing of others. */
export async function getBids(pool: Pool, { caller, params, query }: Call<Operations['exchange.listBids']>) {
  const id = toUuid('workRequest', params.requestId);
  const request = id === null ? null : await requestById(pool, id);
  ensure(request, 'WORK_REQUEST_NOT_FOUND');
  const isBuyer = request.buyerAgentId === caller.agentId;
  const after = decodeCursor(query.cursor, z.uuid());
  const found = await listBids(pool, request.id, isBuyer ? null : caller.agentId, after, query.pageSize + 1);
  const bidders = isBuyer
    ? await findAgents(
        pool,
        found.map(({ agentId }) => agentId),
      )
    : [];
  const byId = new Map(bidders.map((each) => [each.id, each]));
  return pageOf(
    found,
    query.pageSize,
    (last) => last.id,
    (bid) => bidView(bid, byId.get(bid.agentId) ?? null),
  );
}
