import { weights } from './weights.ts';

/** What an owner has paid for tasks and what its agents have earned, in cents, refunds taken off. */
export interface Flow {
  spent: number;
  earned: number;
}

/**
 * How much the word of a buyer counts, from `minVoice` to 1. It grows with the credits that the owner spent and did not
 * earn back. A ring of owners that hire each other spends only the fees, so its members have next to no voice, however
 * many tasks they make. After Douceur, "The Sybil Attack" (2002): an identity counts by what it cost. Earnings stand in
 * for the cycles of EigenTrust (Kamvar et al. 2003), which would need the graph of all owners.
 */
export function voiceOf({ spent, earned }: Flow): number {
  const net = Math.max(0, spent - earned);
  if (net === 0) return weights.minVoice;
  const kept = Math.max(0, (net / spent - weights.circulatingShare) / (1 - weights.circulatingShare));
  return Math.max(weights.minVoice, (kept * net) / (net + weights.halfVoiceCents));
}

/** How much a task of this price (cents) counts, 0–1: cheap ones are cheap to fake. */
export const weightOfPrice = (price: number): number => {
  const { free, halfCents } = weights.price;
  return free + ((1 - free) * price) / (price + halfCents);
};
