import { type TransferCause, toId } from '@agora/contract';
import { appendEvent } from '../../events/index.ts';
import { transaction } from '../../platform/index.ts';
import { type Account, platformHolder, transfer } from '../ledger/transfer.ts';
import { callProcessor, type PaymentDeps, requireProcessor } from '../payments/calls.ts';
import type { Payout } from '../payments/pay-out.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { settleDue } from '../payments/settle-due.ts';
import {
  claimDue,
  endQuestions,
  findWithdrawal,
  noteRef,
  resolveWithdrawal,
  type WithdrawalRow,
} from './withdrawal-sql.ts';

/** Where the money of a withdrawal can be, and the cause of each way it can go. */
const clearing: Account = { holder: platformHolder, kind: 'processor_clearing' };
export const inTransit: Account = { holder: platformHolder, kind: 'payouts_in_transit' };
export const walletOf = (agentId: string): Account => ({ holder: agentId, kind: 'wallet_available' });

/**
 * The moves that a payout's outcome makes of a withdrawal's state. Nothing moves what has failed: its money is back in the
 * wallet, and what says otherwise is old news. Each cause moves money once for ever, so no order and no number of
 * reports can pay or return twice.
 */
const moves: Record<WithdrawalRow['status'], Record<'paid' | 'failed', TransferCause[]>> = {
  pending: { paid: ['withdrawal_paid'], failed: ['withdrawal_returned'] },
  paid: { paid: [], failed: ['withdrawal_reversed', 'withdrawal_returned'] },
  failed: { paid: [], failed: [] },
};

/** Banks give money back for some days after a payout was paid; once they are over the processor is asked again. */
const mayFailForMs = 7 * 24 * 3600 * 1000;

/** Books what became of a payout, at most once however often and in whatever order it is told. */
async function settle(deps: PaymentDeps, id: string, outcome: Payout): Promise<void> {
  if (outcome.status === 'in_transit') await noteRef(deps.pool, id, outcome.ref);
  if (outcome.status !== 'paid' && outcome.status !== 'failed') return;
  const { status } = outcome;
  if (outcome.status === 'failed' && outcome.said !== undefined) {
    deps.log.warn({ withdrawalId: id, said: outcome.said }, 'the payment processor refused a payout');
  }
  await transaction(deps.pool, 'ledger', async (tx) => {
    // Only holders of the ledger lock, which this transaction is, change the state.
    const withdrawal = await findWithdrawal(tx, id);
    if (!withdrawal) throw new Error(`there is no withdrawal ${id} to settle`);
    const causes = moves[withdrawal.status][status];
    if (causes.length === 0) return;
    const { agentId, ownerId, amount, correlationId } = withdrawal;
    const at = deps.clock.now();
    const sides: Partial<Record<TransferCause, [Account, Account]>> = {
      withdrawal_paid: [inTransit, clearing],
      withdrawal_reversed: [clearing, inTransit],
      withdrawal_returned: [inTransit, walletOf(agentId)],
    };
    const transfers = causes.map((cause) => {
      const [from, to] = sides[cause] as [Account, Account];
      return { subject: id, cause, from, to, amount, at };
    });
    await transfer(tx, transfers);
    const failure = outcome.status === 'failed' ? outcome.reason : null;
    const processorRef = outcome.status === 'paid' ? outcome.ref : null;
    const dueAt = status === 'paid' ? new Date(at.getTime() + mayFailForMs) : null;
    await resolveWithdrawal(tx, id, { status, processorRef, failure, at, dueAt });
    const type = `withdrawal.${status}` as const;
    const data = { withdrawalId: toId('withdrawal', id), amount, ...(failure !== null && { reason: failure }) };
    await appendEvent(tx, { type, district: 'vault', at, correlationId, ownerId, agentId, data });
  });
}

/** Sends the money, or finds out what became of it: the same id never pays twice. */
export async function payOut(deps: PaymentDeps, processor: PaymentProcessor, withdrawal: WithdrawalRow): Promise<void> {
  const { id: intentId, accountRef, amount: amountCents } = withdrawal;
  const outcome = await callProcessor(deps, (signal) =>
    processor.payOut({ intentId, accountRef, amountCents }, signal),
  );
  await settle(deps, intentId, outcome);
}

/**
 * Asks the processor and books its answer. What it never heard of, or has not finished, is sent again rather than
 * given up: the first request may still be on its way, and only under the same id the two are one.
 */
async function inquire(deps: PaymentDeps, processor: PaymentProcessor, withdrawal: WithdrawalRow): Promise<void> {
  const { id: intentId, accountRef, amount: amountCents, createdAt, status } = withdrawal;
  const request = { intentId, accountRef, amountCents, madeAt: new Date(createdAt) };
  const outcome = await callProcessor(deps, (signal) => processor.lookUpPayout(request, signal));
  if (outcome && outcome.status !== 'pending') await settle(deps, intentId, outcome);
  else if (status === 'pending') await payOut(deps, processor, withdrawal);
  if (status === 'paid' && outcome?.status !== 'failed') await endQuestions(deps.pool, intentId);
}

/** The processor says that a payout has changed, in whatever order; how it stands now is asked for and booked. */
export async function payoutChanged(deps: PaymentDeps, intentId: string, accountRef: string): Promise<void> {
  const processor = requireProcessor(deps);
  const withdrawal = await findWithdrawal(deps.pool, intentId);
  if (!withdrawal || withdrawal.processor !== processor.name || withdrawal.accountRef !== accountRef) return;
  const { amount: amountCents, createdAt } = withdrawal;
  const request = { intentId, accountRef, amountCents, madeAt: new Date(createdAt) };
  const outcome = await callProcessor(deps, (signal) => processor.lookUpPayout(request, signal));
  if (outcome) await settle(deps, intentId, outcome);
}

/** Settles withdrawals that are due to be asked about; returns how many the processor told of. */
export const settleDueWithdrawals = (deps: PaymentDeps) =>
  settleDue(deps, {
    what: 'withdrawal',
    claim: ({ name }, now, limit) => claimDue(deps.pool, name, now, limit),
    settle: (processor, withdrawal) => inquire(deps, processor, withdrawal),
  });
