import type { Reply } from '@agora-market/sdk';

export type ApprovalView = Reply<'embassy.getApproval'>;

/** Cents that are held when the request is approved: the budget, for each attempt. */
export const totalOf = ({ maxBudget, attempts }: Pick<ApprovalView, 'maxBudget' | 'attempts'>): number =>
  maxBudget * attempts;
