import { type TransferCause, toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Tx, transaction } from '../../platform/index.ts';
import { type Account, platformHolder, transfer } from '../ledger/transfer.ts';
import { earnedOf } from '../ledger/wallet.ts';
import { callProcessor, type PaymentDeps, requireProcessor } from '../payments/calls.ts';
import type { PaidPayout, Payout, PayoutRequest } from '../payments/pay-out.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import { settleDue } from '../payments/settle-due.ts';
import { raise } from '../reconciliation/raise.ts';
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

/**
 * How the outcome of a payout changes the state of a withdrawal. `failed` is final: its money is back in the wallet,
 * and a different report is outdated. Each cause moves money only once, so no order and number of reports can pay or
 * return twice.
 */
const moves: Record<WithdrawalRow['status'], Record<'paid' | 'failed', TransferCause[]>> = {
  held: { paid: [], failed: [] },
  pending: { paid: ['withdrawal_paid'], failed: ['withdrawal_returned'] },
  paid: { paid: [], failed: ['withdrawal_reversed', 'withdrawal_returned'] },
  failed: { paid: [], failed: [] },
};

/** Banks give money back for some days after a payout was paid; once they are over the processor is asked again. */
const mayFailForMs = 7 * 24 * 3600 * 1000;

/** Books the outcome of a payout at most once, however often and in whatever order it is reported. */
async function settle(deps: PaymentDeps, { id }: WithdrawalRow, outcome: Payout): Promise<void> {
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
      withdrawal_returned: [inTransit, earnedOf(agentId)],
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

async function heldWithdrawal(tx: Tx, id: string): Promise<WithdrawalRow> {
  const withdrawal = await findWithdrawal(tx, id);
  if (withdrawal?.status !== 'held') throw new Error(`the withdrawal ${id} is not held`);
  return withdrawal;
}

/** The operator refuses a held withdrawal: its money is in the wallet again. */
export async function returnHeld(tx: Tx, id: string, reason: string, at: Date): Promise<void> {
  const { agentId, ownerId, amount, correlationId } = await heldWithdrawal(tx, id);
  await transfer(tx, [
    { subject: id, cause: 'withdrawal_returned', from: inTransit, to: earnedOf(agentId), amount, at },
  ]);
  await resolveWithdrawal(tx, id, { status: 'failed', processorRef: null, failure: reason, at, dueAt: null });
  const data = { withdrawalId: toId('withdrawal', id), amount, reason };
  const event = { district: 'vault', at, correlationId, ownerId, agentId, data } as const;
  await appendEvent(tx, { ...event, type: 'withdrawal.failed' });
}

/**
 * The bank was paid, and the platform has taken money back from the account for it: it is the operator's to settle with the
 * owner. The wallet gets nothing, for its owner has the money, and pays nothing out meanwhile. Reconciliation finds the
 * same by itself.
 */
async function contradicted(deps: PaymentDeps, withdrawal: WithdrawalRow, { ref, netCents: there }: PaidPayout) {
  if (there === undefined) return;
  const { agentId, ownerId, amount: here, createdAt: occurredAt, correlationId } = withdrawal;
  const finding = { kind: 'payout_amount', subject: ref, agentId, ownerId, here, there, occurredAt } as const;
  await raise({ ...deps, correlationId }, finding, 'open');
}

async function take(deps: PaymentDeps, withdrawal: WithdrawalRow, outcome: Payout): Promise<void> {
  await settle(deps, withdrawal, outcome);
  // For a withdrawal that was returned before, reconciliation reports it.
  if (outcome.status === 'paid' && withdrawal.status !== 'failed') await contradicted(deps, withdrawal, outcome);
}

const requestOf = ({ id, accountRef, amount, payoutRef }: WithdrawalRow): PayoutRequest => ({
  intentId: id,
  accountRef,
  amountCents: amount,
  payoutRef,
});

/** Sends the money, or finds out what happened to it: the same id never pays twice. */
export async function payOut(deps: PaymentDeps, processor: PaymentProcessor, withdrawal: WithdrawalRow): Promise<void> {
  const outcome = await callProcessor(deps, (signal) => processor.payOut(requestOf(withdrawal), signal));
  await take(deps, withdrawal, outcome);
}

/** Asks for the outcome of a payout and books it. */
async function lookUp(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  withdrawal: WithdrawalRow,
): Promise<Payout | null> {
  const request = { ...requestOf(withdrawal), madeAt: new Date(withdrawal.createdAt) };
  const outcome = await callProcessor(deps, (signal) => processor.lookUpPayout(request, signal));
  if (outcome) await take(deps, withdrawal, outcome);
  return outcome;
}

/**
 * Asks the processor and books its answer. A payout that it never received or did not finish is sent again and not
 * given up. The first request may still be on its way, and only one id makes the two one payout.
 */
async function inquire(deps: PaymentDeps, processor: PaymentProcessor, withdrawal: WithdrawalRow): Promise<void> {
  const outcome = await lookUp(deps, processor, withdrawal);
  if (withdrawal.status === 'paid') {
    if (outcome?.status !== 'failed') await endQuestions(deps.pool, withdrawal.id);
  } else if (!outcome || outcome.status === 'pending') await payOut(deps, processor, withdrawal);
}

/** The processor reports a change of a payout, in any order. The present state is asked for and booked. */
export async function payoutChanged(deps: PaymentDeps, intentId: string, accountRef: string): Promise<void> {
  const processor = requireProcessor(deps);
  const withdrawal = await findWithdrawal(deps.pool, intentId);
  if (!withdrawal || withdrawal.processor !== processor.name || withdrawal.accountRef !== accountRef) return;
  await lookUp(deps, processor, withdrawal);
}

/** Settles withdrawals that are due to be asked about; returns how many the processor answered. */
export const settleDueWithdrawals = (deps: PaymentDeps) =>
  settleDue(deps, {
    what: 'withdrawal',
    claim: ({ name }, now, limit) => claimDue(deps.pool, name, now, limit),
    settle: (processor, withdrawal) => inquire(deps, processor, withdrawal),
  });
