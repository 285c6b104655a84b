-- Locks what a batch of steps changes, before any of it is read: tasks, then counts of open tasks, then accounts, each by
-- its key. Every batch goes this way, so none waits for one that waits for it. What is no step holds the ledger's lock
-- alone, so no step is under way meanwhile.
--
-- p_tasks: tasks that change. p_paid: whether money moves with each. p_owners, p_agents: of tasks that are made or handed on.
create or replace function steps_lock(p_tasks uuid[], p_paid boolean[], p_owners uuid[], p_agents uuid[])
returns void language plpgsql as $$
declare
  v_owners uuid[] := p_owners;
  v_agents uuid[] := p_agents;
  v_payees uuid[];
begin
  perform {{shared}};
  if cardinality(p_tasks) > 0 then
    select v_owners || array_agg(t.owner_id) filter (where k.paid), v_agents || array_agg(t.agent_id),
      array_agg(t.agent_id) filter (where k.paid)
    into v_owners, v_agents, v_payees
    from (
      select u.id, bool_or(u.paid) as paid from (
        select * from unnest(p_tasks, p_paid) as p(id, paid)
        -- The end of a task may wake the other attempts at it.
        union all select unnest(x.group_tasks), false from unnest(p_tasks) as p(id)
          cross join lateral (select y.group_tasks from tasks y where y.id = p.id limit 1) x where x.group_tasks is not null
      ) u group by u.id order by u.id
    ) k cross join lateral (select x.owner_id, x.agent_id from tasks x where x.id = k.id for no key update) t;
  end if;
  perform from (select distinct a.id from unnest(v_agents) as a(id) where a.id is not null order by a.id) k
    cross join lateral (select from agent_stats s where s.agent_id = k.id for no key update) s;
  if cardinality(v_owners) > 0 then perform vault_lock(v_owners, v_payees); end if;
end $$
