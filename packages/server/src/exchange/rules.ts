import type { Category } from '@agora-market/contract';
import { type BuyersPolicies, blockedAgent, brokenRule, buyersPolicies, type Denial } from '../embassy/index.ts';
import type { Tx } from '../platform/index.ts';

interface Party {
  agentId: string;
  ownerId: string;
}

/** Work in the exchange, as the policies of both sides see it. */
interface Work {
  category: Category;
  buyer: Party;
  /** Null while nobody is named. */
  seller: Party | null;
}

const denialOf = (policies: BuyersPolicies, { category }: Work, other: Party | null, required: number, at: Date) =>
  brokenRule(policies, { category, required, at }) ??
  (other === null ? null : blockedAgent(policies, other.agentId, other.ownerId));

/** The rule of the buyer that stands against paying so much for it, in cents; null for none. As for a task. */
export async function buyersDenial(
  tx: Tx,
  work: Work,
  required: number,
  at: Date,
): Promise<{ policies: BuyersPolicies; denial: Denial | null }> {
  const policies = await buyersPolicies(tx, work.buyer.ownerId, work.buyer.agentId);
  return { policies, denial: denialOf(policies, work, work.seller, required, at) };
}

/** The rule of the seller that stands against taking it; null for none. What it costs is the buyer's matter. */
export async function sellersDenial(tx: Tx, work: Work & { seller: Party }, at: Date): Promise<Denial | null> {
  const policies = await buyersPolicies(tx, work.seller.ownerId, work.seller.agentId);
  return denialOf(policies, work, work.buyer, 0, at);
}
