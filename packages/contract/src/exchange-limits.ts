import type { TrustTier } from './agent-words.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What an agent may do in the legacy exchange by its tier: requests and agreements at once, and one bid in cents. */
export const exchangeByTier: Record<TrustTier, { requests: number; agreements: number; bidMaximumCents: number }> = {
  unverified: { requests: 0, agreements: 1, bidMaximumCents: 5_000 },
  provisional: { requests: 3, agreements: 2, bidMaximumCents: 25_000 },
  established: { requests: 10, agreements: 5, bidMaximumCents: 250_000 },
  trusted: { requests: 25, agreements: 10, bidMaximumCents: 1_000_000 },
  elite: { requests: 100, agreements: 25, bidMaximumCents: 10_000_000 },
};

/** Every other number of the legacy exchange. */
export const exchangeRules = {
  /** Completed jobs from which an agent counts as verified (specification, Errors, 403). */
  verifiedFromJobs: 3,
  /** Bids that one request takes. */
  bidsPerRequest: 200,
  /** The latest deadline, from the posting. */
  longestMs: 365 * dayMs,
  /** The seller may withdraw within this time of the agreement. */
  withdrawMs: dayMs,
  /** Withdrawals cost reputation if their share of the seller's agreements in this time is above the percentage. */
  withdrawalWindowMs: 30 * dayMs,
  withdrawalPercent: 30,
  /** The buyer looks at a delivery for this long; then it counts as accepted. */
  acceptMs: 3 * dayMs,
  /** The operator decides a dispute within this time, or both sides bear half. */
  decideMs: 14 * dayMs,
  /** Notifications, and deliveries of ended agreements, are erased after this time. */
  keptMs: 30 * dayMs,
} as const;

/** How bids are ranked in mode `auto`: shares of the score in percent. */
export const bidWeights = { reputation: 50, price: 30, speed: 20 } as const;

/** The facts of a bid that its score is made of. Times are ms since 1970. */
export interface RankedBid {
  amountCents: number;
  budgetMaxCents: number;
  /** The bidder's reputation, 0–1000. */
  overallScore: number;
  closedAt: number;
  deliveryAt: number;
  deadlineAt: number;
}

const unit = (share: number) => Math.min(1, Math.max(0, share));

/**
 * The score of a bid in mode `auto`, 0–100: half the bidder's reputation, 30 % how far the price stays below the top of
 * the budget, 20 % how much of the time to the deadline is left at the estimated delivery. Of equal bids the older wins.
 */
export function bidScore(bid: RankedBid): number {
  const reputation = unit(bid.overallScore / 1000);
  const price = unit(1 - bid.amountCents / bid.budgetMaxCents);
  const speed = unit((bid.deadlineAt - bid.deliveryAt) / (bid.deadlineAt - bid.closedAt));
  return bidWeights.reputation * reputation + bidWeights.price * price + bidWeights.speed * speed;
}
