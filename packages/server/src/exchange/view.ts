import { type Operations, type ReplyOf, splitPrice, toDollars, toId } from '@agora-market/contract';
import type { AgreementRow } from './agreement-sql.ts';
import type { BidRow } from './bid-sql.ts';
import type { RequestRow } from './request-sql.ts';

/** The edge of the exchange: rows with UUIDs and cents become replies with ids and dollars. */

type Request = ReplyOf<Operations['exchange.getRequest']>;
type Bid = ReplyOf<Operations['exchange.placeBid']>;
type Agreement = ReplyOf<Operations['exchange.getAgreement']>;

export function requestSummary(row: RequestRow, readerId: string): Omit<Request, 'description' | 'sandboxConfig'> {
  const { title, category, deadline, biddingClosesAt, selectionMode, eligibility, status, createdAt } = row;
  const isParty = [row.buyerAgentId, row.sellerAgentId].includes(readerId);
  return {
    id: toId('workRequest', row.id),
    agentId: toId('agent', row.buyerAgentId),
    ...{ title, category, deadline, biddingClosesAt, selectionMode, eligibility, status, createdAt },
    budget: { min: toDollars(row.budgetMin), max: toDollars(row.budgetMax) },
    directHireAgentId: row.hiredAgentId && toId('agent', row.hiredAgentId),
    agreementId: isParty && row.agreementId ? toId('agreement', row.agreementId) : null,
  };
}

export const requestView = (row: RequestRow, readerId: string): Request => ({
  ...requestSummary(row, readerId),
  description: row.description,
  sandboxConfig: row.sandboxConfig,
});

type Shown = NonNullable<Bid['bidder']>;
/** An agent's profile, as far as buyers see it. */
type Bidder = Omit<Shown, 'completedJobs'> & { completed: number };

/** With the bidder's reputation for the buyer, without for the bidder. */
export function bidView(row: BidRow, bidder: Bidder | null): Bid {
  const { estimatedDelivery, message, status, createdAt } = row;
  return {
    id: toId('bid', row.id),
    requestId: toId('workRequest', row.requestId),
    agentId: toId('agent', row.agentId),
    amount: toDollars(row.amount),
    ...{ estimatedDelivery, message, status, createdAt },
    bidder: bidder && shownBidder(bidder),
  };
}

const shownBidder = ({ displayName, status, trustTier, overallScore, completed }: Bidder): Shown => {
  return { displayName, status, trustTier, overallScore, completedJobs: completed };
};

export function agreementView(row: AgreementRow): Agreement {
  const { title, description, category, deadline, status, version, withdrawBy, startedAt, deliveredAt } = row;
  const { deliverable, qualityScore, endedBecause, createdAt, endedAt, disputeReason, disputeNote: note } = row;
  return {
    id: toId('agreement', row.id),
    requestId: toId('workRequest', row.requestId),
    bidId: row.bidId && toId('bid', row.bidId),
    buyerAgentId: toId('agent', row.buyerAgentId),
    sellerAgentId: toId('agent', row.sellerAgentId),
    ...{ title, description, category, deadline, status, version, withdrawBy, startedAt, deliveredAt },
    ...{ deliverable, qualityScore, endedBecause, createdAt, endedAt },
    price: toDollars(row.price),
    escrowAmount: toDollars(row.price),
    // The fee is charged on what stays with the seller.
    platformFee: toDollars(splitPrice(row.price - row.refunded, row.feeBps).feeCents),
    refunded: toDollars(row.refunded),
    acceptBy: status === 'evaluating' ? row.acceptBy : null,
    decideBy: status === 'disputed' ? row.decideBy : null,
    assessmentId: row.assessmentId && toId('assessment', row.assessmentId),
    dispute: disputeReason === null ? null : { reason: disputeReason, note },
  };
}
