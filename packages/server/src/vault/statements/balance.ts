import { type AccountKind, toId } from '@agora-market/contract';
import type { Pool } from '../../platform/index.ts';
import { balancesAt } from './balance-sql.ts';

/** The requested instant, at most now: future balances are unknown. */
function pastInstant(at: string | undefined, now: Date): string {
  const asked = at === undefined ? now : new Date(at);
  return (asked > now ? now : asked).toISOString();
}

async function balances(pool: Pool, holder: string, at: string): Promise<(kind: AccountKind) => number> {
  const found = await balancesAt(pool, [holder], at);
  return (kind) => found.find((account) => account.kind === kind)?.balance ?? 0;
}

export async function poolBalance(pool: Pool, ownerId: string, asked: string | undefined, now: Date) {
  const at = pastInstant(asked, now);
  const of = await balances(pool, ownerId, at);
  return { at, balance: of('pool_available'), held: of('pool_held'), currency: 'USD' as const };
}

export async function walletBalance(pool: Pool, agentId: string, asked: string | undefined, now: Date) {
  const at = pastInstant(asked, now);
  const of = await balances(pool, agentId, at);
  const allocated = of('wallet_allocated');
  const available = allocated + of('wallet_available');
  const escrowed = of('wallet_escrowed');
  return { agentId: toId('agent', agentId), at, available, allocated, escrowed, currency: 'USD' as const };
}
