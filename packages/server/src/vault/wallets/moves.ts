import { type EventType, type Operations, type TransferCause, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, type Clock, ensure, newUuid, type Queryable } from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { poolOf, walletOf } from '../accounts.ts';
import { type Account, type Transfer, transfer } from '../ledger/transfer.ts';
import { allocatedFirst, allocatedOf, earnedOf, movable } from '../ledger/wallet.ts';
import { collectOwed } from '../payments/debts.ts';
import { requireOwnerInOrder } from '../reconciliation/blocks.ts';
import { isFlagged } from '../reconciliation/flags.ts';
import { balancesOf, readPool } from '../sql.ts';
import { insertMove, type WalletMove } from './move-sql.ts';

type MoveCall = Call<Operations['vault.allocate' | 'vault.reclaim' | 'vault.transfer']>;

const eventOf: Record<WalletMove['cause'], EventType> = {
  allocation: 'wallet.allocated',
  reclaim: 'wallet.reclaimed',
  wallet_transfer: 'wallet.transferred',
};

/** The cause of the part of a move that was allocated. */
const allocatedCauses = {
  allocation: 'allocation',
  reclaim: 'reclaim_allocated',
  wallet_transfer: 'wallet_transfer_allocated',
} as const;

/** From the pool to a wallet; the first allocation makes the wallet. */
export async function allocate(clock: Clock, call: Call<Operations['vault.allocate']>) {
  const { tx, caller, body } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, call.params.agentId);
  requireReceiver(agent.status);
  const id = await move(clock, call, 'allocation', { fromAgentId: null, toAgentId: agent.id });
  return {
    id,
    amount: body.amount,
    pool: await poolOf(tx, caller.ownerId),
    wallet: await walletOf(tx, agent.id, call.now),
  };
}

/** Back to the pool, from deactivated and suspended agents too: the credits are their owner's. A flagged wallet keeps them. */
export async function reclaim(clock: Clock, call: Call<Operations['vault.reclaim']>) {
  const { tx, caller, body } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, call.params.agentId);
  const id = await move(clock, call, 'reclaim', { fromAgentId: agent.id, toAgentId: null });
  return {
    id,
    amount: body.amount,
    pool: await poolOf(tx, caller.ownerId),
    wallet: await walletOf(tx, agent.id, call.now),
  };
}

/** From one wallet to another of the same owner. */
export async function transferBetweenWallets(clock: Clock, call: Call<Operations['vault.transfer']>) {
  const { tx, caller, body } = call;
  const from = await requireOwnAgent(tx, caller.ownerId, body.fromAgentId);
  const to = await requireOwnAgent(tx, caller.ownerId, body.toAgentId);
  ensure(from.id !== to.id, 'SAME_WALLET');
  requireReceiver(to.status);
  const id = await move(clock, call, 'wallet_transfer', { fromAgentId: from.id, toAgentId: to.id });
  return {
    id,
    amount: body.amount,
    from: await walletOf(tx, from.id, call.now),
    to: await walletOf(tx, to.id, call.now),
  };
}

function requireReceiver(status: string): void {
  ensure(
    status !== 'deactivated',
    'WRONG_STATE',
    'The agent is deactivated. Reactivate it before you give it credits.',
  );
}

/** What a pool or wallet can move, and what of the amount was allocated and earned: money of the pool was not earned. */
async function sharesOf(tx: Queryable, ownerId: string, fromAgentId: string | null, amount: number) {
  if (fromAgentId === null) return { available: (await readPool(tx, ownerId)).spendable, allocated: amount, earned: 0 };
  const balances = await balancesOf(tx, fromAgentId);
  return { available: movable(balances), ...allocatedFirst(amount, balances) };
}

/** Under the ledger lock, so nothing read here can be spent before it is moved. */
async function move(
  clock: Clock,
  call: MoveCall,
  cause: WalletMove['cause'],
  sides: Pick<WalletMove, 'fromAgentId' | 'toAgentId'>,
): Promise<string> {
  const { tx, now: at, correlationId } = call;
  const { ownerId } = call.caller;
  const { amount } = call.body;
  // Otherwise the credits could be withdrawn from another wallet.
  ensure(sides.fromAgentId === null || !(await isFlagged(tx, sides.fromAgentId)), 'WALLET_FLAGGED');
  // Credits that may not be there, or were paid out already, are not to leave by another way.
  await requireOwnerInOrder(tx, ownerId);
  const { available, ...shares } = await sharesOf(tx, ownerId, sides.fromAgentId, amount);
  ensure(amount <= available, 'INSUFFICIENT_BALANCE', undefined, { required: amount, available });
  const id = newUuid(clock);
  await insertMove(tx, { id, cause, ownerId, ...sides, amount, allocated: shares.allocated, correlationId, at });
  const leg = (legCause: TransferCause, wallet: (agentId: string) => Account, cents: number): Transfer => {
    const account = (agentId: string | null): Account =>
      agentId === null ? { holder: ownerId, kind: 'pool_available' } : wallet(agentId);
    const [from, to] = [account(sides.fromAgentId), account(sides.toAgentId)];
    return { subject: id, cause: legCause, from, to, amount: cents, at };
  };
  await transfer(tx, [leg(allocatedCauses[cause], allocatedOf, shares.allocated), leg(cause, earnedOf, shares.earned)]);
  const transactionId = toId('transaction', id);
  const shown = (agentId: string | null) => agentId && toId('agent', agentId);
  await appendEvent(tx, {
    type: eventOf[cause],
    district: 'vault',
    at,
    correlationId,
    ownerId,
    agentId: (sides.toAgentId ?? sides.fromAgentId) as string,
    data: { transactionId, amount, fromAgentId: shown(sides.fromAgentId), toAgentId: shown(sides.toAgentId) },
  });
  if (sides.toAgentId === null) await collectOwed(tx, clock, ownerId, correlationId);
  return transactionId;
}
