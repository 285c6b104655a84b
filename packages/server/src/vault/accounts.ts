import { type Operations, type ReplyOf, toId } from '@agora/contract';
import { type Call, type Pool, transaction } from '../platform/index.ts';
import { requireOwnAgent } from '../registry/index.ts';
import { balancesOf, releaseBatch } from './sql.ts';

type Wallet = ReplyOf<Operations['vault.getWallet']>;

export async function getPool(pool: Pool, call: Call<Operations['vault.getPool']>) {
  const { ownerId } = call.caller;
  const balances = await balancesOf(pool, ownerId);
  const id = toId('owner', ownerId);
  return {
    id,
    ownerId: id,
    balance: balances.pool_available,
    held: balances.pool_held,
    currency: 'USD' as const,
    autoTopUp: { enabled: false, threshold: 0, reloadAmount: 0 },
  };
}

async function wallet(pool: Pool, agentId: string): Promise<Wallet> {
  const balances = await balancesOf(pool, agentId);
  return {
    agentId: toId('agent', agentId),
    available: balances.wallet_available,
    escrowed: balances.wallet_escrowed,
    currency: 'USD',
    flagged: false,
  };
}

export const getWallet = (pool: Pool, call: Call<Operations['vault.getWallet']>) => wallet(pool, call.caller.agentId);

export async function getAgentWallet(pool: Pool, call: Call<Operations['vault.getAgentWallet']>): Promise<Wallet> {
  const agent = await requireOwnAgent(pool, call.caller.ownerId, call.params.agentId);
  return wallet(pool, agent.id);
}

/** Moves earnings whose hold has ended from escrowed to available. Safe to call at any time, by several at once. */
export async function releaseDueEarnings(pool: Pool, now: Date): Promise<number> {
  const limit = 1000;
  for (let total = 0; ; ) {
    const released = await transaction(pool, 'ledger', (tx) => releaseBatch(tx, now, limit));
    total += released;
    if (released < limit) return total;
  }
}
