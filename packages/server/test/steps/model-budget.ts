import type { SubmitItem } from '../../src/tasks/steps/submit.ts';

/** What an agent may spend by hiring others, in cents. */
export interface ModelBudget {
  transaction: number | null;
  day: number | null;
  week: number | null;
  month: number | null;
  approval: number | null;
}

/** What of a model its budgets are about. */
interface Spenders {
  tasks: Map<string, { submitter: string | null; at: number; charged: number | null; budget: number }>;
  budgets: Map<string, ModelBudget>;
}

const windowDays = { day: 1, week: 7, month: 30 } as const;

/** What an agent spent in the days before a time: of ended tasks the charge, of open ones the whole hold. */
function spentBy(model: Spenders, agent: string, atMs: number, days: number): number {
  let spent = 0;
  for (const task of model.tasks.values()) {
    if (task.submitter === agent && task.at > atMs - days * 86_400_000) spent += task.charged ?? task.budget;
  }
  return spent;
}

/** Whether a submission breaks its agent's budget, and by which limit with the least left. */
export function overBudget(model: Spenders, { submitterAgentId, maxBudget, at }: SubmitItem) {
  const budget = submitterAgentId === null ? undefined : model.budgets.get(submitterAgentId);
  if (!budget || submitterAgentId === null) return null;
  const { transaction, approval } = budget;
  if (transaction !== null && maxBudget > transaction)
    return { outcome: 'over_budget', exceeded: { window: 'transaction', limit: transaction, spent: 0 } };
  const rolling = Object.entries(windowDays).flatMap(([window, days]) => {
    const limit = budget[window as keyof typeof windowDays];
    const spent = spentBy(model, submitterAgentId, Date.parse(at), days);
    return limit === null ? [] : [{ window, limit, spent, room: limit - spent }];
  });
  const [tightest] = rolling.sort((a, b) => a.room - b.room);
  if (tightest && maxBudget > tightest.room) {
    const { window, limit, spent } = tightest;
    return { outcome: 'over_budget', exceeded: { window, limit, spent } };
  }
  if (approval !== null && maxBudget > approval) return { outcome: 'needs_approval', limit: approval };
  return null;
}
