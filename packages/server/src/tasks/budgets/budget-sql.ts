import { defaultDailyLimitCents } from '@agora-market/contract';
import { type Queryable, row, rows } from '../../platform/index.ts';

/** Limits of an agent in cents; null is no limit. */
export interface BudgetLimits {
  perTransactionMax: number | null;
  dailyLimit: number | null;
  weeklyLimit: number | null;
  monthlyLimit: number | null;
  approvalThreshold: number | null;
}

/** Of an agent whose owner has set nothing. */
export const defaultLimits: BudgetLimits = {
  perTransactionMax: null,
  dailyLimit: defaultDailyLimitCents,
  weeklyLimit: null,
  monthlyLimit: null,
  approvalThreshold: null,
};

export const findLimits = (db: Queryable, agentId: string) =>
  row<BudgetLimits>(
    db,
    'budgets_find',
    `select per_transaction_max as "perTransactionMax", daily_limit as "dailyLimit", weekly_limit as "weeklyLimit",
       monthly_limit as "monthlyLimit", approval_threshold as "approvalThreshold"
     from agent_budgets where agent_id = $1`,
    [agentId],
  );

export const saveLimits = (tx: Queryable, agentId: string, limits: BudgetLimits, at: Date) =>
  rows(
    tx,
    'budgets_save',
    `insert into agent_budgets (agent_id, per_transaction_max, daily_limit, weekly_limit, monthly_limit,
       approval_threshold, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (agent_id) do update set per_transaction_max = excluded.per_transaction_max,
       daily_limit = excluded.daily_limit, weekly_limit = excluded.weekly_limit, monthly_limit = excluded.monthly_limit,
       approval_threshold = excluded.approval_threshold, updated_at = excluded.updated_at`,
    [
      agentId,
      limits.perTransactionMax,
      limits.dailyLimit,
      limits.weeklyLimit,
      limits.monthlyLimit,
      limits.approvalThreshold,
      at.toISOString(),
    ],
  );

/** Spend of an agent in the windows that end at a time, in cents; see `agent_spend`. */
export async function spentBy(db: Queryable, agentId: string, at: Date) {
  const spent = await row<{ daily: number; weekly: number; monthly: number }>(
    db,
    'budgets_spent',
    `select agent_spend($1, $2::timestamptz - interval '24 hours', null) as daily,
       agent_spend($1, $2::timestamptz - interval '7 days', null) as weekly,
       agent_spend($1, $2::timestamptz - interval '30 days', null) as monthly`,
    [agentId, at.toISOString()],
  );
  return spent ?? { daily: 0, weekly: 0, monthly: 0 };
}
