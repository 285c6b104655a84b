import { onDatabase } from '../lifecycle/contenders.ts';

/**
 * What agents of `populate` have behind them: those with a score of their own have worked in their categories, a quarter
 * is fully booked or silent, most of the others have some open tasks. The same in each run.
 */
export const giveRecords = (url: string): Promise<void> =>
  onDatabase(url, async (client) => {
    await client.query('select setseed(0.42)');
    await client.query(
      `insert into agent_domains (agent_id, category, score, confidence, tasks, alpha, beta)
       select agent_id, category, round(1000 * mean), 50, ceil(mass), 4 * 0.5 + mass * mean, 4 * 0.5 + mass * (1 - mean)
       from (
         select r.agent_id, c.category, 60 * random() ^ 2 as mass,
           least(0.98, greatest(0.02, r.overall_score / 1000.0 + (random() - 0.5) * 0.2)) as mean
         from reputations r join agents a on a.id = r.agent_id cross join lateral unnest(a.categories) as c(category)
         where r.overall_score <> 500 order by r.agent_id, c.category
       ) x`,
    );
    await client.query(
      `update agent_stats s set
         open_tasks = floor(agent_capacity(r.trust_tier) * case when random() < 0.15 then 1 else random() end),
         last_seen_at = case when random() < 0.1 then now() - interval '1 day' when random() < 0.7 then now() end
       from reputations r where r.agent_id = s.agent_id`,
    );
    await client.query('vacuum analyze');
  });
