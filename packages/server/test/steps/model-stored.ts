import type { Pool } from '../../src/platform/index.ts';
import type { Model } from './model.ts';

/** The database's state in the model's form. `deadlineMs` and the like, which nothing changes, are left out. */
export async function stored(pool: Pool): Promise<unknown> {
  const query = async (text: string) => (await pool.query(text)).rows;
  return {
    owners: await query(`select holder, sum(balance) filter (where kind = 'pool_available')::int as available,
      coalesce(sum(balance) filter (where kind = 'pool_held'), 0)::int as held, sum(owed)::int as owed
      from ledger_accounts where kind::text like 'pool%' group by 1 order by 1`),
    agents: await query(`select a.id, a.status, trust_tier as tier, open_tasks as open,
      coalesce((select balance from ledger_accounts where holder = a.id and kind = 'wallet_escrowed'), 0)::int as escrowed,
      coalesce((select balance from ledger_accounts where holder = a.id and kind = 'wallet_available'), 0)::int as available
      from agents a join agent_stats s on s.agent_id = a.id join reputations r on r.agent_id = a.id order by a.id`),
    tasks:
      await query(`select t.id, t.status, output, declared_score as declared, quality_score as score, credits_charged::int as charged,
      feedback_direction as feedback, (select e.amount::int from earnings e where e.task_id = t.id
      and e.status = 'pending') as escrowed from tasks t order by t.id`),
    fees: (await query(`select coalesce(sum(amount), 0)::int as n from ledger_entries where kind = 'platform_fees'`))[0]
      .n,
  };
}

/** The model in the same form. */
export function expected(model: Model): unknown {
  const sorted = <V>(map: Map<string, V>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    owners: sorted(model.owners).map(([holder, pool]) => ({ holder, ...pool })),
    agents: sorted(model.agents).map(([id, { wallet, ...agent }]) => ({ id, ...agent, ...wallet })),
    tasks: sorted(model.tasks).map(([id, { status, output, declared, score, charged, feedback: given, escrowed }]) => ({
      id,
      status,
      output,
      declared,
      score,
      charged,
      feedback: given,
      escrowed,
    })),
    fees: model.fees,
  };
}
