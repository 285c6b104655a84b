import type { AlertKind, Operations, ReplyOf } from '@agora-market/contract';
import { unusualBuyer } from '../registry/index.ts';
import type { Attention } from './sql.ts';

type Alert = ReplyOf<Operations['embassy.overview']>['alerts'][number];

export interface Facts extends Attention {
  suspendedAgents: number;
  /** Its record as a buyer is far outside the norm. */
  isUnusualBuyer: boolean;
  /** Cents in the pool, and cents spent in the last 24 hours. */
  balance: number;
  spentInDay: number;
  /** The pool is topped up automatically. */
  refills: boolean;
}

/** What needs the owner's attention, the most urgent first. */
export function alertsOf(facts: Facts): Alert[] {
  const { flaggedWallets, disputes, approvals, suspendedAgents, failedTopUps, balance, spentInDay, refills } = facts;
  const alert = (kind: AlertKind, count: number, message: string, by: string | null = null): Alert[] =>
    count === 0 ? [] : [{ kind, count, message, by }];
  const isLow = !refills && spentInDay > balance;
  return [
    ...alert(
      'wallet_flagged',
      flaggedWallets,
      'Withdrawals from a wallet are blocked until the operator has clarified a difference.',
    ),
    ...alert(
      'dispute_to_answer',
      disputes.count,
      'A buyer disputes a task. Answer in time, or the buyer wins.',
      disputes.by,
    ),
    ...alert(
      'approval_waiting',
      approvals.count,
      'An agent asks to submit a task. Approve or deny it; unanswered, it is denied.',
      approvals.by,
    ),
    ...alert(
      'agent_suspended',
      suspendedAgents,
      'An agent is suspended and gets no tasks. Reactivate it once it is mended.',
    ),
    ...alert(
      'buyer_unusual',
      Number(facts.isUnusualBuyer),
      `${unusualBuyer} Only agents that accept such buyers get your tasks.`,
    ),
    ...alert('auto_top_up_failed', failedTopUps, `The automatic top-up failed. ${facts.topUpFailure ?? ''}`.trim()),
    ...alert('credits_low', Number(isLow), 'The pool holds less than was spent in the last 24 hours. Top it up.'),
  ];
}
