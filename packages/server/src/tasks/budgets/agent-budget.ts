import { defaultDailyLimitCents } from '@agora-market/contract';
import { ApiError, dayMs, defineFunction, type Queryable, rows } from '../../platform/index.ts';

/** How far back each rolling limit looks. */
export const windowMs = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const;
export type BudgetWindow = keyof typeof windowMs;

/** Limits of what an agent may spend by hiring others, in cents; null is no limit. */
export interface AgentBudget {
  transactionMax: number | null;
  approvalThreshold: number | null;
  /** The rolling limits that it has, shortest first. */
  windows: { window: BudgetWindow; limit: number; spent: number }[];
}

/** A hold that an agent placed, in cents. */
export interface Spending {
  atMs: number;
  cents: number;
}

const span = (window: BudgetWindow) => `interval '${windowMs[window] / 1000} s'`;
const windowRow = (window: BudgetWindow, inner: string, most: string, mostFromHere: string) =>
  `('${window}', ${span(window)}, ${inner}::interval, ${most}, ${mostFromHere})`;

/**
 * What an agent spent by hiring others, in cents, after `p_after` (and until `p_until`, unless that is null), less what was
 * returned. An open task counts with its whole hold, an ended one with its charge (0 if it failed or was refunded); what
 * is spent apart from tasks with what `agent_spendings` says.
 */
defineFunction(
  'agent_spend',
  `create or replace function agent_spend(p_agent uuid, p_after timestamptz, p_until timestamptz)
returns bigint language plpgsql stable as $$
begin
  if p_until is null then
    return (select coalesce(sum(coalesce(credits_charged, max_budget)), 0)::bigint from tasks
        where submitter_agent_id = p_agent and created_at > p_after)
      + (select coalesce(sum(cents), 0)::bigint from agent_spendings where agent_id = p_agent and at > p_after);
  end if;
  return (select coalesce(sum(coalesce(credits_charged, max_budget)), 0)::bigint from tasks
      where submitter_agent_id = p_agent and created_at > p_after and created_at <= p_until)
    + (select coalesce(sum(cents), 0)::bigint from agent_spendings
      where agent_id = p_agent and at > p_after and at <= p_until);
end $$`,
);

/**
 * Spend of agents, for items in their order: one row per rolling limit, or one row without a limit. An agent to which its
 * owner has given no budget has that of a day. Each
 * window is summed once per agent, at the time of its first item: the next shorter window plus the tasks beyond it, so
 * no task is read twice. For items with other times only the difference is added.
 */
defineFunction(
  'vault_agent_spending',
  `create or replace function vault_agent_spending(p_agent uuid[], p_at timestamptz[])
returns table (ord bigint, transaction_max bigint, approval_threshold bigint, "window" text, "limit" bigint, spent bigint)
language plpgsql stable as $$
begin
  return query
  with item as materialized (
    select t.ord, t.agent, t.at from unnest(p_agent, p_at) with ordinality as t(agent, at, ord)
  ), limited as materialized (
    select f.agent, f.at, b.per_transaction_max, b.approval_threshold, b.weekly_limit, b.monthly_limit,
      case when b.agent_id is null then ${defaultDailyLimitCents} else b.daily_limit end as daily_limit
    from (select distinct on (i.agent) i.agent, i.at from item i order by i.agent, i.ord) f
    left join lateral (select * from agent_budgets x where x.agent_id = f.agent) b on true
  ), rolling as materialized (
    select s.agent, s.at, s.name, s.span, s.most, s.spent from (
      select l.agent, l.at, w.name, w.span, w.most,
        sum(agent_spend(l.agent, l.at - w.span, l.at - w.inner_span)) over (partition by l.agent order by w.span)::bigint
          as spent
      from limited l cross join lateral (values
        ${windowRow('day', 'null', 'l.daily_limit', 'coalesce(l.daily_limit, l.weekly_limit, l.monthly_limit)')},
        ${windowRow('week', span('day'), 'l.weekly_limit', 'coalesce(l.weekly_limit, l.monthly_limit)')},
        ${windowRow('month', span('week'), 'l.monthly_limit', 'l.monthly_limit')}
      ) as w(name, span, inner_span, most, most_from_here)
      where w.most_from_here is not null
    ) s where s.most is not null
  )
  select i.ord, l.per_transaction_max, l.approval_threshold, r.name, r.most, (r.spent
    - case when i.at > r.at then agent_spend(i.agent, r.at - r.span, i.at - r.span) else 0 end
    + case when i.at < r.at then agent_spend(i.agent, i.at - r.span, r.at - r.span) else 0 end)::bigint
  from item i cross join lateral (select * from limited x where x.agent = i.agent) l
  left join rolling r on r.agent = i.agent
  order by i.ord, r.span;
end $$`,
);

interface SpendingRow {
  ord: number;
  transaction_max: number | null;
  approval_threshold: number | null;
  window: BudgetWindow | null;
  limit: number;
  spent: number;
}

/** Budgets of agents, by the position of their submission. */
export async function agentBudgets(
  db: Queryable,
  spenders: { position: number; agentId: string; at: string }[],
): Promise<Map<number, AgentBudget>> {
  const found = await rows<SpendingRow>(db, 'vault_agent_spending', 'select * from vault_agent_spending($1, $2)', [
    spenders.map(({ agentId }) => agentId),
    spenders.map(({ at }) => at),
  ]);
  const budgets = new Map<number, AgentBudget>();
  for (const { ord, transaction_max, approval_threshold, window, limit, spent } of found) {
    const { position } = spenders[ord - 1] as { position: number };
    const known = budgets.get(position);
    const budget = known ?? { transactionMax: transaction_max, approvalThreshold: approval_threshold, windows: [] };
    if (window !== null) budget.windows.push({ window, limit, spent });
    budgets.set(position, budget);
  }
  return budgets;
}

/** A budget at a time, once its agent has also spent this much. */
export function spentSince(budget: AgentBudget, atMs: number, more: readonly Spending[]): AgentBudget {
  const windows = budget.windows.map((each) => {
    const afterMs = atMs - windowMs[each.window];
    return { ...each, spent: more.reduce((sum, one) => sum + (one.atMs > afterMs ? one.cents : 0), each.spent) };
  });
  return { ...budget, windows };
}

/** A limit that a spending would exceed, and what was spent against it before; money is cents. */
export interface Exceeded {
  window: BudgetWindow | 'transaction';
  limit: number;
  spent: number;
}

/** What keeps an agent from spending so much; null if nothing does. Of several rolling limits it is the tightest. */
export function exceededBy({ transactionMax, windows }: AgentBudget, cents: number): Exceeded | null {
  if (transactionMax !== null && cents > transactionMax)
    return { window: 'transaction', limit: transactionMax, spent: 0 };
  const [tightest] = windows.toSorted((one, other) => one.limit - one.spent - (other.limit - other.spent));
  return tightest !== undefined && cents > tightest.limit - tightest.spent ? tightest : null;
}

export const budgetExceeded = ({ window, limit, spent }: Exceeded, required: number): ApiError =>
  new ApiError('BUDGET_EXCEEDED', undefined, { limit, window, spent, required });
