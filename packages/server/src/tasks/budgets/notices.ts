import { type Queryable, rows } from '../../platform/index.ts';
import { type AgentBudget, type BudgetWindow, windowMs } from './agent-budget.ts';

/** The shares of a rolling limit at which its owner is told, in percent. At the last one, refusals begin. */
const told = [50, 80, 100] as const;

/** An owner hears that an agent has come so far with a rolling limit. Money is cents, ids are UUIDs. */
export interface BudgetNotice {
  agentId: string;
  ownerId: string;
  window: BudgetWindow;
  percent: number;
  limit: number;
  spent: number;
  /** What was refused because of it; null where the notice comes before. */
  refused: number | null;
  correlationId: string;
  at: string;
}

type About = Pick<BudgetNotice, 'agentId' | 'ownerId' | 'correlationId' | 'at'>;

/** What there is to tell of spending that took a budget from one state to another: of each window the highest share. */
export function crossings(before: AgentBudget, after: AgentBudget, about: About): BudgetNotice[] {
  return after.windows.flatMap(({ window, limit, spent }, at) => {
    const earlier = before.windows[at]?.spent ?? 0;
    const percent = told.findLast((share) => spent * 100 >= share * limit && earlier * 100 < share * limit);
    return percent === undefined ? [] : [{ ...about, window, percent, limit, spent, refused: null }];
  });
}

const intervals = Object.entries(windowMs).map(([window, ms]) => `when '${window}' then interval '${ms / 1000} s'`);

/**
 * Tells owners, in the transaction that spends or refuses: of each window and share once in the time of that window. Nothing
 * is looked up where there is nothing to tell.
 */
export async function tellBudgets(tx: Queryable, all: readonly BudgetNotice[]): Promise<void> {
  const notices = [...new Map(all.map((each) => [`${each.agentId} ${each.window} ${each.percent}`, each])).values()];
  if (notices.length === 0) return;
  await rows(
    tx,
    'budgets_tell',
    `with reached as materialized (
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[],
         $8::text[], $9::timestamptz[])
         as r(agent_id, owner_id, "window", percent, "limit", spent, refused, correlation_id, at)
     ), news as (
       insert into budget_notices as n (agent_id, "window", percent, told_at)
       select agent_id, "window", percent, at from reached order by agent_id, "window", percent
       on conflict (agent_id, "window", percent) do update set told_at = excluded.told_at
         where n.told_at <= excluded.told_at - case n."window" ${intervals.join(' ')} end
       returning agent_id, "window", percent
     )
     insert into events (type, district, at, agent_id, owner_id, correlation_id, data)
     select 'budget.reached', 'tasks', at, agent_id, owner_id, correlation_id,
       json_build_object('window', "window", 'percent', percent, 'limit', "limit", 'spent', spent, 'refused', refused)
     from reached join news using (agent_id, "window", percent)`,
    [
      notices.map(({ agentId }) => agentId),
      notices.map(({ ownerId }) => ownerId),
      notices.map(({ window }) => window),
      notices.map(({ percent }) => percent),
      notices.map(({ limit }) => limit),
      notices.map(({ spent }) => spent),
      notices.map(({ refused }) => refused),
      notices.map(({ correlationId }) => correlationId),
      notices.map(({ at }) => at),
    ],
  );
}

/** Other limits are told of anew. */
export const forgetNotices = (tx: Queryable, agentId: string) =>
  rows(tx, 'budgets_forget_notices', 'delete from budget_notices where agent_id = $1', [agentId]);
