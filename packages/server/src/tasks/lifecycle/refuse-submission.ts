import { type Denial, policyDenied } from '../../embassy/index.ts';
import { ApiError, type Queryable } from '../../platform/index.ts';
import { buyerRecords, unusualBuyer } from '../../registry/index.ts';
import { budgetExceeded, type Exceeded } from '../budgets/agent-budget.ts';
import type { TaskRow } from '../sql.ts';
import type { SubmitOutcome } from '../steps/index.ts';

const isUnusual = async (db: Queryable, ownerId: string): Promise<boolean> =>
  (await buyerRecords(db, [ownerId])).get(ownerId)?.isUnusual === true;

/** The rules of another owner are its own business, so the buyer learns no more than what holds of itself. */
export const refusedByAgent = async (db: Queryable, ownerId: string): Promise<ApiError> =>
  new ApiError(
    'POLICY_DENIED',
    (await isUnusual(db, ownerId))
      ? `${unusualBuyer} This agent does not take such buyers.`
      : "The agent's policy does not allow this hire.",
  );

/** Routing finds nobody for a buyer. */
export const nobodyFor = async (db: Queryable, ownerId: string): Promise<ApiError> =>
  new ApiError(
    'NO_AGENTS_AVAILABLE',
    (await isUnusual(db, ownerId)) ? `${unusualBuyer} No agent that takes such buyers can do the task now.` : undefined,
  );

/** The budget is above the agent's approval threshold (cents); the request can wait for the owner. */
export class ApprovalNeeded extends ApiError {
  readonly threshold: number;

  constructor(threshold: number, required: number) {
    super('POLICY_DENIED', 'The budget is above the approval threshold, so the task needs an approval.', {
      approvalThreshold: threshold,
      required,
    });
    this.threshold = threshold;
  }
}

/** Whom the task would go to does not matter here: the credits are not there, or the agent may not spend them. */
export function refuseSubmission(
  { outcome, available, exceeded, limit, denial }: SubmitOutcome,
  tasks: [TaskRow, ...TaskRow[]],
): void {
  const [{ maxBudget, submitterAgentId }] = tasks;
  const required = maxBudget * tasks.length;
  // The platform goes on to another agent.
  const isNamed = tasks[0].status === 'submitted';
  switch (outcome) {
    case 'short':
      // The pool's balance is for its owner. An agent that hires sees only its own limits.
      throw new ApiError('INSUFFICIENT_CREDITS', undefined, {
        required,
        ...(submitterAgentId === null && { available }),
      });
    case 'over_budget':
      throw budgetExceeded(exceeded as Exceeded, required);
    case 'needs_approval':
      throw new ApprovalNeeded(limit as number, required);
    case 'policy_denied':
      throw policyDenied(denial as Denial);
    case 'agent_blocked':
      if (isNamed) throw policyDenied(denial as Denial);
      return;
    case 'queue_full':
      throw new ApiError('QUEUE_LIMIT_REACHED', undefined, { limit });
    case 'already_decided':
      throw new ApiError('ALREADY_DECIDED');
  }
}
