import { exchangeByTier, exchangeRules, feeBps, type Operations, toDollars, toId } from '@agora-market/contract';
import { approvalLimit, policyDenied } from '../embassy/index.ts';
import { ApiError, type Call, type Clock, ensure, newUuid, type Tx } from '../platform/index.ts';
import { type AgentBudget, budgetExceeded, budgetNow, exceededBy, spendOutside } from '../tasks/index.ts';
import { escrowObstacle, holdEscrow } from '../vault/index.ts';
import { type AgreementRow, agreementById, countOpenAgreements, insertAgreement } from './agreement-sql.ts';
import { type BidRow, moveBid, rejectOthers } from './bid-sql.ts';
import { namedBid } from './bids.ts';
import { logAgreement } from './log.ts';
import { notify } from './notifications.ts';
import { moveRequest, type RequestRow } from './request-sql.ts';
import { namedRequest, standingOf, standingOffer } from './requests.ts';
import { buyersDenial, sellersDenial } from './rules.ts';
import { agreementView } from './view.ts';

/** What an agreement would be made of. The price is cents. */
export interface Terms {
  request: RequestRow;
  sellerAgentId: string;
  bidId: string | null;
  price: number;
  /** The buyer's, as it is in this transaction. */
  budget: AgentBudget;
}

/** For `Terms`, in a transaction of mode 'ledger'. */
export const buyersBudget = (tx: Tx, { buyerAgentId }: RequestRow, at: Date) => budgetNow(tx, buyerAgentId, at);

/** Why the buyer may not or cannot pay; null if it may. Its policies and budget hold here as for tasks. */
async function paymentObstacle(
  tx: Tx,
  { request, price, budget }: Terms,
  seller: Standing,
  at: Date,
): Promise<ApiError | null> {
  const { policies, denial } = await buyersDenial(tx, workOf(request, seller), price, at);
  if (denial !== null) return policyDenied(denial);
  const exceeded = exceededBy(budget, price);
  if (exceeded !== null) return budgetExceeded(exceeded, price);
  const limit = approvalLimit(policies, budget.approvalThreshold);
  if (limit !== null && price > limit) {
    const why = 'This needs the approval of the owner, which only tasks can ask for.';
    return new ApiError('BUDGET_EXCEEDED', why, { limit, required: price });
  }
  return escrowObstacle(tx, request.buyerAgentId, price);
}

type Standing = Awaited<ReturnType<typeof standingOf>>;

/** A request as the policies of both sides see it. */
const workOf = ({ category, buyerAgentId, buyerOwnerId }: RequestRow, seller: Pick<Standing, 'id' | 'ownerId'>) => ({
  category,
  buyer: { agentId: buyerAgentId, ownerId: buyerOwnerId },
  seller: { agentId: seller.id, ownerId: seller.ownerId },
});

/** Why these terms cannot be agreed on now; null if they can. `atLimit` is the refusal of a seller with no room. */
export async function obstacleTo(
  tx: Tx,
  terms: Terms,
  atLimit: 'BIDDER_AT_LIMIT' | 'AGREEMENT_LIMIT_REACHED',
  at: Date,
): Promise<ApiError | null> {
  const seller = await standingOf(tx, terms.sellerAgentId);
  if (seller.status !== 'active') return new ApiError('HIRE_TARGET_NOT_ACTIVE');
  const { agreements: limit } = exchangeByTier[seller.trustTier];
  if ((await countOpenAgreements(tx, seller.id)) >= limit) return new ApiError(atLimit, undefined, { limit });
  // What the rules of the seller are is not the buyer's business.
  if ((await sellersDenial(tx, workOf(terms.request, seller), at)) !== null) {
    return new ApiError('POLICY_DENIED', 'The agent does not take this work at this time.');
  }
  return paymentObstacle(tx, terms, seller, at);
}

/** Makes an agreement on terms without an obstacle, in a transaction of mode 'ledger'. The price goes into escrow. */
export async function agree(
  tx: Tx,
  clock: Clock,
  { request, sellerAgentId, bidId, price, budget }: Terms,
  verb: 'select' | 'award' | 'acceptOffer',
  at: Date,
): Promise<AgreementRow> {
  const { ownerId: sellerOwnerId } = await standingOf(tx, sellerAgentId);
  const { buyerAgentId, buyerOwnerId, deadline, correlationId } = request;
  const id = newUuid(clock);
  const withdrawMs = Math.min(at.getTime() + exchangeRules.withdrawMs, Date.parse(deadline));
  if (!(await moveRequest(tx, request.id, verb))) throw new Error('a locked request has moved');
  if (bidId !== null && !(await moveBid(tx, bidId, 'accept'))) throw new Error('a pending bid has moved');
  await insertAgreement(tx, {
    ...{ id, requestId: request.id, bidId, buyerAgentId, buyerOwnerId, sellerAgentId, sellerOwnerId, price, feeBps },
    ...{ deadline, correlationId, at },
    withdrawBy: new Date(withdrawMs).toISOString(),
  });
  const spending = { id, agentId: buyerAgentId, ownerId: buyerOwnerId, cents: price, correlationId };
  await spendOutside(tx, budget, spending, at);
  await holdEscrow(tx, { agreementId: id, buyerAgentId, sellerAgentId, priceCents: price }, at);
  const made = (await agreementById(tx, id)) as AgreementRow;
  await logAgreement(tx, made, { type: 'agreement.made', at }, { verb, ...(bidId && { bidId: toId('bid', bidId) }) });
  const about = { requestId: request.id, bidId, agreementId: id };
  const rejected = await rejectOthers(tx, request.id);
  const toSeller = { agentId: sellerAgentId, type: 'bid_accepted', about } as const;
  const toBuyer = { agentId: buyerAgentId, type: verb === 'award' ? 'bid_accepted' : 'offer_accepted', about } as const;
  await notify(
    tx,
    [
      ...(verb === 'acceptOffer' ? [] : [toSeller]),
      ...(verb === 'select' ? [] : [toBuyer]),
      ...rejected.map((each) => ({
        agentId: each.agentId,
        type: 'bid_rejected' as const,
        about: { requestId: request.id, bidId: each.id },
      })),
    ],
    at,
  );
  return made;
}

/** Nobody is bound to a deadline that cannot be met: half of the time that the bid asked for must be left. */
function requireTime({ createdAt, estimatedDelivery }: BidRow, { deadline }: RequestRow, now: Date): void {
  const askedMs = Date.parse(estimatedDelivery) - Date.parse(createdAt);
  const selectBy = new Date(Date.parse(deadline) - askedMs / 2);
  const why = `It is too late for this bid: its work takes longer than is left until ${deadline}. Select another bid, or post the work again.`;
  ensure(now <= selectBy, 'WRONG_STATE', why, { selectBy: selectBy.toISOString(), estimatedDelivery, deadline });
}

/** The buyer selects a bid, in mode `manual`. */
export async function selectBid(clock: Clock, call: Call<Operations['exchange.selectBid']>) {
  const { tx, caller, params, now } = call;
  const request = await namedRequest(tx, params.requestId);
  ensure(request.buyerAgentId === caller.agentId, 'NOT_A_PARTY', 'Only the agent that posted it can select a bid.');
  const bid = await namedBid(tx, request, params.bidId);
  const { status, selectionMode, deadline } = request;
  ensure(bid.status === 'pending', 'BID_NOT_PENDING', undefined, { status: bid.status });
  ensure(status === 'open', 'WRONG_STATE', `The request is ${status}.`, { status });
  ensure(now < new Date(deadline), 'WRONG_STATE', `The deadline ${deadline} has passed.`, { deadline });
  const why = 'The platform selects the best bid when bidding closes.';
  ensure(selectionMode === 'manual', 'WRONG_STATE', why, { selectionMode });
  requireTime(bid, request, now);
  const budget = await buyersBudget(tx, request, now);
  const terms = { request, sellerAgentId: bid.agentId, bidId: bid.id, price: bid.amount, budget };
  const obstacle = await obstacleTo(tx, terms, 'BIDDER_AT_LIMIT', now);
  if (obstacle) throw obstacle;
  return agreementView(await agree(tx, clock, terms, 'select', now));
}

/** The agent that it was made to accepts a direct offer, at the top of the budget. */
export async function acceptOffer(clock: Clock, call: Call<Operations['exchange.acceptOffer']>) {
  const { tx, caller, now } = call;
  const request = await standingOffer(tx, call);
  const budget = await buyersBudget(tx, request, now);
  const terms = { request, sellerAgentId: caller.agentId, bidId: null, price: request.budgetMax, budget };
  const seller = await standingOf(tx, caller.agentId);
  const { trustTier } = seller;
  const { bidMaximumCents } = exchangeByTier[trustTier];
  const denial = await sellersDenial(tx, workOf(request, seller), now);
  if (denial !== null) throw policyDenied(denial);
  ensure(terms.price <= bidMaximumCents, 'BID_ABOVE_TIER_MAXIMUM', 'The offer is above the maximum of the tier.', {
    maximum: toDollars(bidMaximumCents),
    trustTier,
  });
  const obstacle = await obstacleTo(tx, terms, 'AGREEMENT_LIMIT_REACHED', now);
  if (obstacle?.code === 'AGREEMENT_LIMIT_REACHED') throw obstacle;
  // What is in the wallet of another, and what it may spend, is not the seller's business.
  ensure(obstacle === null, 'WRONG_STATE', 'The buyer cannot pay the offer now.');
  return agreementView(await agree(tx, clock, terms, 'acceptOffer', now));
}
