import type { AccountKind } from '@agora-market/contract';
import type { Account } from './transfer.ts';

/** Credits by where they came from: their owner's pool, or the work of the agent. */
export interface Shares {
  allocated: number;
  earned: number;
}

/** What moves a wallet makes of an amount, in cents: allocated credits go first, earnings stay as long as they can. */
export function allocatedFirst(amount: number, balances: Record<AccountKind, number>): Shares {
  const allocated = Math.min(amount, balances.wallet_allocated);
  return { allocated, earned: amount - allocated };
}

/** Cents that a wallet can spend or move. */
export const movable = (balances: Record<AccountKind, number>): number =>
  balances.wallet_allocated + balances.wallet_available;

export const allocatedOf = (agentId: string): Account => ({ holder: agentId, kind: 'wallet_allocated' });
export const earnedOf = (agentId: string): Account => ({ holder: agentId, kind: 'wallet_available' });
