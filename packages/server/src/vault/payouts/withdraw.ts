import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { z } from 'zod';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import {
  ApiError,
  type Call,
  decodeCursor,
  ensure,
  newUuid,
  pageOf,
  type Queryable,
  transaction,
} from '../../platform/index.ts';
import { requireOwnAgent } from '../../registry/index.ts';
import { holdPayment } from '../held/hold-payment.ts';
import { transfer } from '../ledger/transfer.ts';
import { earnedOf } from '../ledger/wallet.ts';
import { type GuardedDeps, type PaymentDeps, requireProcessor, within } from '../payments/calls.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { balancesOf } from '../sql.ts';
import { accountView, currentAccount } from './accounts.ts';
import { requirePayee } from './payee.ts';
import { readPayable } from './payout-hold.ts';
import { inTransit, payOut } from './settle.ts';
import {
  findHeldWithdrawal,
  findWithdrawal,
  insertWithdrawal,
  listWithdrawals,
  type WithdrawalRow,
} from './withdrawal-sql.ts';

/** Or the operator's list could be filled by one owner. */
const alreadyHeld = 'Another withdrawal of yours waits for the operator. The next can be made once it is decided.';

type WithdrawCall = Call<Operations['vault.withdraw']>;
type Withdrawal = ReplyOf<Operations['vault.withdraw']>;

/** Before this time an intent belongs to the request that wrote it, which gives up on the processor sooner. */
const sweepAfterMs = 60_000;

const view = ({ id, agentId, amount, status, failure, createdAt, resolvedAt }: WithdrawalRow): Withdrawal => ({
  id: toId('withdrawal', id),
  agentId: toId('agent', agentId),
  amount,
  currency: 'USD',
  status,
  failureReason: failure,
  createdAt,
  resolvedAt,
});

/**
 * The intent is committed together with the transfer out of the wallet, before the processor is called. A request
 * repeated under its `Idempotency-Key` finds the intent it wrote the first time, and so never withdraws twice.
 */
export async function withdraw(deps: GuardedDeps, call: WithdrawCall): Promise<Withdrawal> {
  const processor = requireProcessor(deps);
  const agent = await requireOwnAgent(deps.pool, call.caller.ownerId, call.params.agentId);
  const id = call.claim?.subject ?? newUuid(deps.clock);
  const repeated = call.claim && (await findWithdrawal(deps.pool, id));
  const intent = repeated ?? (await writeIntent(deps, processor, call, { id, agentId: agent.id }));
  ensure(intent.agentId === agent.id && intent.amount === call.body.amount, 'IDEMPOTENCY_KEY_REUSED');
  if (intent.status === 'pending') await attempt(deps, processor, intent);
  const settled = (await findWithdrawal(deps.pool, id)) ?? intent;
  if (settled.status === 'failed') {
    const details = { withdrawalId: toId('withdrawal', id), reason: settled.failure };
    throw new ApiError('PAYOUT_REFUSED', undefined, details);
  }
  return view(settled);
}

/** A question about the account may have come before, and both must fit in the 15 s that a caller waits. */
const payoutTimeoutMs = 10_000;

/** If the call fails, nobody knows what was paid: the withdrawal stays pending and the sweep finds out. */
async function attempt(deps: PaymentDeps, processor: PaymentProcessor, intent: WithdrawalRow): Promise<void> {
  try {
    await payOut(within(deps, payoutTimeoutMs), processor, intent);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PROCESSOR_ERROR') throw error;
    const message =
      'The payment processor did not answer. The withdrawal is pending: it will be paid or returned exactly once.';
    throw new ApiError(error.code, message, { withdrawalId: toId('withdrawal', intent.id) }, { cause: error.cause });
  }
}

async function writeIntent(
  deps: GuardedDeps,
  processor: PaymentProcessor,
  call: WithdrawCall,
  { id, agentId }: Pick<WithdrawalRow, 'id' | 'agentId'>,
): Promise<WithdrawalRow> {
  const { ownerId } = call.caller;
  const { correlationId } = call;
  const { amount } = call.body;
  const account = await currentAccount(deps, ownerId, correlationId);
  ensure(account?.status === 'ready', 'PAYOUT_ACCOUNT_REQUIRED', undefined, { account: accountView(account) });
  const { accountRef } = account;
  const at = deps.clock.now();
  const address = deps.guard.networkOf(call);
  const dueAt = new Date(at.getTime() + sweepAfterMs);
  return transaction(deps.pool, 'ledger', async (tx) => {
    await requireAccount(tx, ownerId, call.caller.credential);
    ensure(await deps.guard.mayPayOut(tx, ownerId), 'EMAIL_NOT_VERIFIED');
    const wanted = { ownerId, instrument: account.instrument, address, amount };
    const limit = await deps.guard.overLimit(tx, 'withdrawal', wanted, at);
    const intent = { ...wanted, id, agentId, processor: processor.name, accountRef, correlationId, at };
    const fields = { ...intent, dueAt: limit === null ? dueAt : null };
    const made = await insertWithdrawal(tx, fields);
    if (!made) return (await findWithdrawal(tx, id)) as WithdrawalRow;
    await requirePayee(tx, made);
    const waiting = await findHeldWithdrawal(tx, ownerId, id);
    ensure(!waiting, 'WRONG_STATE', alreadyHeld, { withdrawalId: toId('withdrawal', waiting?.id ?? id) });
    await requirePayable(tx, agentId, amount, at);
    await transfer(tx, [{ subject: id, cause: 'withdrawal', from: earnedOf(agentId), to: inTransit, amount, at }]);
    if (limit !== null) {
      const held = { ...wanted, kind: 'withdrawal', withdrawalId: id, reason: limit } as const;
      await holdPayment(tx, deps, held, correlationId);
    }
    const data = { withdrawalId: toId('withdrawal', id), amount };
    await appendEvent(tx, {
      type: 'withdrawal.requested',
      district: 'vault',
      at,
      correlationId,
      ownerId,
      agentId,
      data,
    });
    return made;
  });
}

/** Only earnings whose time has come leave for a bank. Under the ledger lock they stay the same until the commit. */
async function requirePayable(tx: Queryable, agentId: string, required: number, at: Date): Promise<void> {
  const { withdrawable: available, onHold, nextPayableAt } = await readPayable(tx, agentId, at);
  if (required <= available) return;
  const { wallet_allocated: allocated } = await balancesOf(tx, agentId);
  const details = { required, available, allocated, onHold, nextPayableAt };
  if (required <= available + onHold) throw new ApiError('EARNINGS_ON_HOLD', undefined, details);
  const message =
    allocated === 0
      ? undefined
      : 'The wallet has earned less. What you allocated to it cannot be withdrawn: reclaim it to the pool, from where it goes back to its card.';
  throw new ApiError('INSUFFICIENT_BALANCE', message, details);
}

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }).startsWith('20'), z.uuid()]);

/** The account, and withdrawals of all the owner's agents. */
export async function getPayouts(deps: GuardedDeps, call: Call<Operations['vault.getPayouts']>) {
  const { ownerId } = call.caller;
  const { pageSize, cursor } = call.query;
  const before = decodeCursor(cursor, cursorSchema);
  const account = await currentAccount(deps, ownerId, call.correlationId);
  const found = await listWithdrawals(deps.pool, ownerId, before, pageSize + 1);
  return { account: accountView(account), ...pageOf(found, pageSize, (last) => [last.createdAt, last.id], view) };
}
