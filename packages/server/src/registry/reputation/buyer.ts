import { weights } from './weights.ts';

/**
 * What became of a task that counts for its buyer. `taken`: the buyer paid for a delivery that the gate had rejected.
 * `struck`: a rejection counts as never happened.
 */
export type Deal = 'passed' | 'rejected' | 'taken' | 'struck' | 'refunded' | 'disputeLost';

/** What became of the tasks of a buyer, counted. Agents see it before they accept work. */
export interface Deals {
  /** Deliveries that passed its tasks' gate, or that it took all the same; those refunded later stay among them. */
  passed: number;
  /** Deliveries that the gate rejected by nothing but what the buyer measures by. */
  rejected: number;
  /** Tasks that passed and that it had refunded at once, which no dispute decided. */
  refunded: number;
  disputesLost: number;
  /** Cents, less what went back. */
  spent: number;
}

export const noDeals = (): Deals => ({ passed: 0, rejected: 0, refunded: 0, disputesLost: 0, spent: 0 });

export function withDeal({ passed, rejected, refunded, disputesLost, spent }: Deals, as: Deal): Deals {
  return {
    passed: passed + Number(as === 'passed' || as === 'taken'),
    rejected: Math.max(0, rejected + Number(as === 'rejected') - Number(as === 'struck')),
    refunded: refunded + Number(as === 'refunded'),
    disputesLost: disputesLost + Number(as === 'disputeLost'),
    spent,
  };
}

/**
 * How much a refund counts that a buyer alone decided on, 0–1. Up to the usual share of refunds it counts in full, beyond
 * that as much less as the buyer's own share is larger. A few tasks more than it has had are taken to be ordinary ones.
 */
export function weightOfRefund({ passed, refunded }: Deals): number {
  const { usualShare, assumedTasks } = weights.refunds;
  const share = (refunded + usualShare * assumedTasks) / (passed + assumedTasks);
  return Math.min(1, (2 * usualShare) / share);
}

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
