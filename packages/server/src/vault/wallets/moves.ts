import { type EventType, type Operations, toId } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, type Clock, ensure, newUuid } from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { poolOf, walletOf } from '../accounts.ts';
import { type Account, transfer } from '../ledger/transfer.ts';
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

/** From the pool to a wallet; the first allocation makes the wallet. */
export async function allocate(clock: Clock, call: Call<Operations['vault.allocate']>) {
  const { tx, caller, body } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, call.params.agentId);
  requireReceiver(agent.status);
  const id = await move(clock, call, 'allocation', { fromAgentId: null, toAgentId: agent.id });
  return { id, amount: body.amount, pool: await poolOf(tx, caller.ownerId), wallet: await walletOf(tx, agent.id) };
}

/** Back to the pool, from deactivated and suspended agents too: the credits are their owner's. A flagged wallet keeps them. */
export async function reclaim(clock: Clock, call: Call<Operations['vault.reclaim']>) {
  const { tx, caller, body } = call;
  const agent = await requireOwnAgent(tx, caller.ownerId, call.params.agentId);
  const id = await move(clock, call, 'reclaim', { fromAgentId: agent.id, toAgentId: null });
  return { id, amount: body.amount, pool: await poolOf(tx, caller.ownerId), wallet: await walletOf(tx, agent.id) };
}

/** From one wallet to another of the same owner. */
export async function transferBetweenWallets(clock: Clock, call: Call<Operations['vault.transfer']>) {
  const { tx, caller, body } = call;
  const from = await requireOwnAgent(tx, caller.ownerId, body.fromAgentId);
  const to = await requireOwnAgent(tx, caller.ownerId, body.toAgentId);
  ensure(from.id !== to.id, 'SAME_WALLET');
  requireReceiver(to.status);
  const id = await move(clock, call, 'wallet_transfer', { fromAgentId: from.id, toAgentId: to.id });
  return { id, amount: body.amount, from: await walletOf(tx, from.id), to: await walletOf(tx, to.id) };
}

function requireReceiver(status: string): void {
  ensure(
    status !== 'deactivated',
    'WRONG_STATE',
    'The agent is deactivated. Reactivate it before you give it credits.',
  );
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
  const account = (agentId: string | null): Account =>
    agentId === null ? { holder: ownerId, kind: 'pool_available' } : { holder: agentId, kind: 'wallet_available' };
  const [from, to] = [account(sides.fromAgentId), account(sides.toAgentId)];
  // Otherwise the credits could be withdrawn from another wallet.
  ensure(sides.fromAgentId === null || !(await isFlagged(tx, sides.fromAgentId)), 'WALLET_FLAGGED');
  // Credits that may not be there are not to leave by way of a wallet.
  if (cause === 'allocation') await requireOwnerInOrder(tx, ownerId);
  const available =
    sides.fromAgentId === null
      ? (await readPool(tx, ownerId)).spendable
      : (await balancesOf(tx, sides.fromAgentId)).wallet_available;
  ensure(amount <= available, 'INSUFFICIENT_BALANCE', undefined, { required: amount, available });
  const id = newUuid(clock);
  await insertMove(tx, { id, cause, ownerId, ...sides, amount, correlationId, at });
  await transfer(tx, [{ subject: id, cause, from, to, amount, at }]);
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
