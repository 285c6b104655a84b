import {
  type DisputeVerb,
  dispute,
  hasBuyerLost,
  splitPrice,
  splitRefund,
  taskTransitions,
  toId,
} from '@agora-market/contract';
import { appendEvent } from '../events/index.ts';
import type { Config, Tx } from '../platform/index.ts';
import { settleDisputed } from '../vault/index.ts';
import { appendDisputeEvent, disputeEventOf } from './dispute-events.ts';
import { chargeLess, type DisputedTask, type DisputeRow, lockTask, markResolved, type Ruling } from './sql.ts';

/** The task of an open dispute, which nobody else changes until the transaction ends. */
export async function disputedTask(tx: Tx, { taskId, agentId, sellerId }: DisputeRow): Promise<DisputedTask> {
  const task = await lockTask(tx, taskId);
  if (task?.status !== taskTransitions.refund.from[0]) throw new Error(`a disputed task is ${task?.status}`);
  return { ...task, agentId, sellerId };
}

/** The part of a price that the buyer gets back, in cents. */
function refundOf(priceCents: number, { outcome, share }: Pick<Ruling, 'outcome' | 'share'>): number {
  if (outcome === 'buyer_wins') return priceCents;
  return outcome === 'split' ? Math.floor((priceCents * (share ?? 0)) / 100) : 0;
}

/** A locked dispute with its locked task. */
export interface Disputed {
  found: DisputeRow;
  task: DisputedTask;
}

/**
 * Gives a locked dispute its outcome, in a transaction of mode 'ledger': money and task follow it in the same transaction,
 * and its events say what it means for reputations. `verb` is how it came to that; the caller has made sure that the
 * status allows it.
 */
export async function settle(
  tx: Tx,
  { found, task }: Disputed,
  verb: DisputeVerb,
  ruling: Ruling,
  at: Date,
  { PAYOUT_HOLD_MS: payoutHoldMs }: Pick<Config, 'PAYOUT_HOLD_MS'>,
): Promise<void> {
  const party = verb === 'resolve' ? 'operator' : 'platform';
  if (!dispute(verb, found.status, party).ok) throw new Error(`a dispute that is ${found.status} cannot ${verb}`);
  const refunded = refundOf(task.price, ruling);
  const isLost = ruling.outcome === 'buyer_wins';
  const charge = { taskId: task.id, ownerId: task.ownerId, agentId: task.agentId };
  const released = await settleDisputed(
    tx,
    { ...charge, priceCents: task.price, feeBps: task.feeBps, refundCents: refunded, isLost, payoutHoldMs },
    at,
  );
  await markResolved(tx, found.id, { ...ruling, refunded, at });
  if (isLost) await takeBack(tx, { found, task }, at);
  else if (refunded > 0) await reduce(tx, { found, task }, refunded, at);
  if (released > 0) {
    const data = { amount: released };
    await appendEvent(tx, { ...disputeEventOf(found, at), type: 'earnings.released', district: 'vault', data });
  }
  const { outcome, share, decidedBy } = ruling;
  const data = { outcome, share, refunded, decidedBy, price: task.price, ...losingHirer(found, ruling) };
  await appendDisputeEvent(tx, found, 'dispute.resolved', data, at);
}

/** The whole price goes back: the task is refunded, as with a thumbs-down in its window. */
async function takeBack(tx: Tx, { found, task }: Disputed, at: Date): Promise<void> {
  const { to } = taskTransitions.refund;
  await chargeLess(tx, task.id, 0, to);
  const { payoutCents } = splitPrice(task.price, task.feeBps);
  const data = { status: to, amount: task.price, payout: payoutCents, because: 'dispute' };
  await appendEvent(tx, { ...disputeEventOf(found, at), type: 'task.refunded', district: 'tasks', data });
}

/** A part is returned: the task stays completed, and neither side has lost. */
async function reduce(tx: Tx, { found, task }: Disputed, refunded: number, at: Date): Promise<void> {
  await chargeLess(tx, task.id, task.price - refunded, task.status);
  const { payoutCents } = splitRefund(task.price, refunded, task.feeBps);
  await appendEvent(tx, {
    ...disputeEventOf(found, at),
    type: 'credits.refunded',
    district: 'vault',
    data: { amount: refunded, payout: payoutCents },
  });
}

/** An agent that hired and has lost has a reputation to lose. */
const losingHirer = ({ submitterAgentId }: DisputeRow, ruling: Ruling): { loser?: string } =>
  submitterAgentId !== null && hasBuyerLost(ruling) ? { loser: toId('agent', submitterAgentId) } : {};
