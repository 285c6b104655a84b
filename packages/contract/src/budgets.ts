import { z } from 'zod';
import { id } from './ids.ts';
import { cents, maxAmountCents } from './money.ts';
import { operation } from './operation.ts';

/**
 * What an agent may spend in any 24 hours until its owner says otherwise: every agent can hire others from its owner's
 * pool, so a key that leaks can cost no more than this a day.
 */
export const defaultDailyLimitCents = 10_000;

const ofAgent = z.object({ agentId: z.string() });
const limit = (what: string) =>
  z
    .int()
    .min(0)
    .max(maxAmountCents)
    .nullable()
    .meta({ description: `${what}, in integer cents; null means no limit` });

const limits = {
  perTransactionMax: limit('Maximum that one task may hold'),
  dailyLimit: limit('Most in any 24 hours'),
  weeklyLimit: limit('Most in any 7 days'),
  monthlyLimit: limit('Most in any 30 days'),
  approvalThreshold: limit('A task that holds more needs an approval'),
};

const budget = z
  .object({
    agentId: id('agent'),
    ...limits,
    isDefault: z.boolean().meta({
      description: `Whether the owner has set nothing: then the daily limit is ${defaultDailyLimitCents} cents`,
    }),
    spent: z
      .object({ daily: cents, weekly: cents, monthly: cents })
      .meta({ description: 'Cents held in the last 24 hours, 7 days and 30 days, less what was returned' }),
  })
  .meta({ id: 'Budget' });

/**
 * Limits of what an agent may spend of its owner's pool by hiring others. The spend of a window is the sum over tasks
 * submitted in it: the whole hold of open tasks, the charge of ended ones.
 */
export const budgetOperations = {
  'vault.getBudget': operation({
    id: 'vault.getBudget',
    method: 'GET',
    path: '/vault/budgets/:agentId',
    auth: 'owner',
    area: 'general',
    tx: 'read',
    summary: 'Budget controls and spending of an own agent',
    params: ofAgent,
    reply: { status: 200, schema: budget },
    errors: ['AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
  'vault.setBudget': operation({
    id: 'vault.setBudget',
    method: 'PUT',
    path: '/vault/budgets/:agentId',
    auth: 'owner',
    area: 'general',
    tx: 'write',
    summary: 'Limit what an own agent may spend by hiring others',
    description:
      'Applies to `POST /tasks/agent` and to agreements of the legacy exchange, which count into one sum. The spend of a ' +
      'window is what was held for tasks that the agent submitted in the last 24 hours, 7 days or 30 days, less what was ' +
      'returned: the whole hold of open tasks, and the charge of ended ones; and the prices of agreements. ' +
      `Until an owner sets a budget, its agent may spend ${defaultDailyLimitCents} cents in 24 hours; \`null\` takes a limit away. ` +
      'The owner is told when 50, 80 and 100 % of a limit are spent, each once in the time of the limit. ' +
      'A task that would take it above a limit is 400 `BUDGET_EXCEEDED` with `limit`, `window` (transaction, day, week ' +
      'or month), `spent` and `required`; one above the approval threshold waits for the owner: 202 with an approval request.',
    params: ofAgent,
    body: z.strictObject(limits),
    reply: { status: 200, schema: budget },
    errors: ['VALIDATION_ERROR', 'AGENT_NOT_FOUND', 'NOT_AGENT_OWNER'],
  }),
} as const;
