import { type Denial, policyDenied } from '../../embassy/index.ts';
import { ApiError, ensure } from '../../platform/index.ts';
import { budgetExceeded, type Exceeded } from '../budgets/agent-budget.ts';
import type { TaskRow } from '../sql.ts';
import type { SubmitOutcome } from '../steps/index.ts';

/** The rules of another owner are its own business, so it says no more. */
export const refusedByAgent = "The agent's policy does not allow this hire.";

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
    case 'agent_refuses':
      ensure(!isNamed, 'POLICY_DENIED', refusedByAgent);
      return;
    case 'queue_full':
      throw new ApiError('QUEUE_LIMIT_REACHED', undefined, { limit });
    case 'already_decided':
      throw new ApiError('ALREADY_DECIDED');
  }
}
