import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { type Call, type Pool, type Queryable, transaction } from '../platform/index.ts';
import { requireOwnAgent } from '../registry/index.ts';
import { autoTopUpOf } from './auto-top-up/auto-top-up-sql.ts';
import { movable } from './ledger/wallet.ts';
import { readPayable } from './payouts/payout-hold.ts';
import { isFlagged } from './reconciliation/flags.ts';
import { anyDue, balancesOf, readPool, releaseBatch } from './sql.ts';

type Wallet = ReplyOf<Operations['vault.getWallet']>;

export const getPool = (pool: Pool, call: Call<Operations['vault.getPool']>) => poolOf(pool, call.caller.ownerId);

/** An owner's pool as the contract shows it. */
export async function poolOf(db: Queryable, ownerId: string) {
  const { balance, held, owed } = await readPool(db, ownerId);
  const id = toId('owner', ownerId);
  return {
    id,
    ownerId: id,
    balance,
    held,
    owed,
    currency: 'USD' as const,
    autoTopUp: await autoTopUpOf(db, ownerId),
  };
}

/** An agent's wallet as the contract shows it. */
export async function walletOf(db: Queryable, agentId: string, now: Date): Promise<Wallet> {
  const balances = await balancesOf(db, agentId);
  const { withdrawable, nextPayableAt } = await readPayable(db, agentId, now);
  return {
    agentId: toId('agent', agentId),
    available: movable(balances),
    allocated: balances.wallet_allocated,
    withdrawable,
    nextPayableAt,
    escrowed: balances.wallet_escrowed,
    currency: 'USD',
    flagged: await isFlagged(db, agentId),
  };
}

export const getWallet = (pool: Pool, call: Call<Operations['vault.getWallet']>) =>
  walletOf(pool, call.caller.agentId, call.now);

export async function getAgentWallet(pool: Pool, call: Call<Operations['vault.getAgentWallet']>): Promise<Wallet> {
  const agent = await requireOwnAgent(pool, call.caller.ownerId, call.params.agentId);
  return walletOf(pool, agent.id, call.now);
}

/** Moves earnings whose hold has ended from escrowed to available. Safe to call at any time, by several at once. */
export async function releaseDueEarnings(pool: Pool, now: Date, payoutHoldMs: number): Promise<number> {
  // Without the lock, for every second there are none.
  if (!(await anyDue(pool, now))) return 0;
  const limit = 1000;
  for (let total = 0; ; ) {
    const released = await transaction(pool, 'ledger', (tx) => releaseBatch(tx, now, limit, payoutHoldMs));
    total += released;
    if (released < limit) return total;
  }
}
