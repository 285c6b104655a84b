import { categoryOf, type TaskStatus, type TaskType, taskTransitions } from '@agora-market/contract';
import { type BuyersPolicies, blockedAgent, brokenRule, mayTake, rulesOf } from '../../embassy/index.ts';
import { type Decisions, defineStep, type Queryable, rows, stale } from '../../platform/index.ts';
import { ownersOf } from '../groups/groups-sql.ts';
import { add, type Candidate, candidateColumns, joinCandidate, joinStillFree, type OpenTasks } from './candidate.ts';
import { sqlFrom, sqlTo } from './states.ts';

export interface ReassignItem {
  taskId: string;
  /** The agent that has the task, and no other, loses it; null for a task that waits for its first. */
  fromAgentId: string | null;
  /** `not_accepted` is taken only once the time to accept has run out. */
  because: 'queued' | 'declined' | 'not_accepted';
  /** The reason of the declining agent. */
  reason: string | null;
  agentId: string;
  /** Why it goes to that agent. */
  routing: unknown;
  /** The ids of both agents as the wire has them, for the events. */
  names: { from: string | null; to: string };
  price: number;
  /** The platform's share of the price, in basis points. */
  feeBps: number;
  /** List price that `price` was agreed on, in cents; null for none. Where the agent has changed it, so says the outcome. */
  baseRate: number | null;
  /** All attempts at the task, this one included; none for a task that is alone. */
  groupTasks?: string[];
  /** Never later than the end of the input. */
  acceptBy: string;
  /** Agents that a task is offered to in all. */
  tries: number;
  at: string;
}

export interface ReassignOutcome {
  /** `tried`: the task may not go to that agent, or to no further one. `policy_denied`: the buyer's rules bar any. */
  outcome:
    | 'ok'
    | 'policy_denied'
    | 'not_party'
    | 'wrong_state'
    | 'not_due'
    | 'tried'
    | 'agent_gone'
    | 'agent_changed'
    | 'agent_full';
  status: string;
}

/** Facts for a decision: the present task and the agent that is to get it. */
export interface ReassignState extends Candidate, BuyersPolicies {
  status: TaskStatus;
  agentId: string | null;
  ownerId: string;
  submitterAgentId: string | null;
  taskType: TaskType;
  maxBudget: number;
  dueAt: string | null;
  inputExpiresAt: string | null;
  /** Agents that have had the task, the present one included. */
  tried: string[];
  /** Owners whose agents have the other attempts at the task. */
  otherOwners: (string | undefined)[];
}

/** Whether a task goes to an agent. The hold stays as it is: it is the budget, and the new price lies within it. */
export function decideReassign(state: ReassignState, item: ReassignItem): ReassignOutcome['outcome'] {
  if (state.agentId !== item.fromAgentId) return item.fromAgentId === null ? 'wrong_state' : 'not_party';
  const { from }: { from: readonly TaskStatus[] } = taskTransitions[item.fromAgentId === null ? 'assign' : 'reassign'];
  const isOver = item.fromAgentId === null && state.dueAt !== null && state.dueAt <= item.at;
  if (!from.includes(state.status) || isOver) return 'wrong_state';
  if (item.because === 'not_accepted' && state.dueAt !== null && state.dueAt > item.at) return 'not_due';
  const isLate = (state.inputExpiresAt ?? item.acceptBy) <= item.at || item.acceptBy <= item.at;
  if (state.tried.length >= item.tries || state.tried.includes(item.agentId) || isLate) return 'tried';
  const { groupTasks = [] } = item;
  const required = state.maxBudget * Math.max(1, groupTasks.length);
  const work = { ...state, category: categoryOf(state.taskType), required, at: new Date(item.at) };
  if (brokenRule(state, work) !== null) return 'policy_denied';
  const isOfOthers = [state.ownerId, ...state.otherOwners].includes(state.agentOwnerId ?? undefined);
  if (!state.isActive || isOfOthers) return 'agent_gone';
  if (blockedAgent(state, item.agentId, state.agentOwnerId) !== null) return 'agent_gone';
  if (!mayTake(state, work) || !state.takesBuyer) return 'agent_gone';
  if (state.baseRate !== item.baseRate) return 'agent_changed';
  return state.openTasks < state.capacity ? 'ok' : 'agent_full';
}

/** Agents that a task `t` has had. */
const tried = `array_remove(coalesce(t.earlier_agents, '{}') || t.agent_id, null)`;

/** Decides each item by the stored facts and by the tasks that earlier items gave and took. */
async function decideReassigns(db: Queryable, items: ReassignItem[]): Promise<Decisions<ReassignOutcome>> {
  const found = await rows<Omit<ReassignState, 'otherOwners'> & { ord: number }>(
    db,
    'tasks_reassign_states',
    `select i.ord::int, t.status, t.agent_id as "agentId", t.owner_id as "ownerId",
       t.submitter_agent_id as "submitterAgentId", t.task_type as "taskType", t.max_budget as "maxBudget",
       ${rulesOf('t.owner_id')} as "ownerPolicy",
       case when t.submitter_agent_id is not null then ${rulesOf('t.submitter_agent_id')} end as "agentPolicy", t.due_at as "dueAt",
       t.input_expires_at as "inputExpiresAt", ${tried} as tried, ${candidateColumns}
     from unnest($1::uuid[], $2::uuid[]) with ordinality as i(task, agent, ord)
     cross join lateral (select x.* from tasks x where x.id = i.task limit 1) t
     ${joinCandidate('i.agent', 't.owner_id')}`,
    [items.map(({ taskId }) => taskId), items.map(({ agentId }) => agentId)],
  );
  const grouped = [...new Set(items.flatMap(({ groupTasks = [] }) => groupTasks))];
  const owners = grouped.length === 0 ? new Map<string, string>() : await ownersOf(db, grouped);
  const opened: OpenTasks = new Map();
  const states = new Map(found.map((state) => [state.ord, state]));
  const outcomes = items.map((item, at) => {
    const state = states.get(at + 1);
    if (state === undefined) return undefined;
    const openTasks = state.openTasks + (opened.get(item.agentId) ?? 0);
    const { taskId, groupTasks = [] } = item;
    const otherOwners = groupTasks.filter((id) => id !== taskId).map((id) => owners.get(id));
    const outcome = decideReassign({ ...state, openTasks, otherOwners }, item);
    if (outcome === 'ok') {
      if (groupTasks.length > 0) owners.set(taskId, state.agentOwnerId as string);
      add(opened, item.agentId, 1);
      if (state.agentId !== null) add(opened, state.agentId, -1);
    }
    return { outcome, status: state.status };
  });
  return { outcomes };
}

/**
 * Gives tasks that wait to their first agent, and routed ones to another. The function refuses as stale a task that has
 * moved on, and an agent that can no longer take it or whose owner has got another of the attempts.
 */
export const reassignStep = defineStep<ReassignItem, ReassignOutcome>({
  name: 'tasks_reassign',
  key: (item) => item.taskId,
  locks: ({ taskId, agentId }) => ({ tasks: [taskId], agents: [agentId] }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`agent:${item.agentId}`, `task:${item.taskId}`] : []),
  decide: decideReassigns,
  sql: `create or replace function tasks_reassign(p_items json)
returns table (ord int, outcome text, status text) language plpgsql as $$
begin
  return query
  with item as (
    -- Counted up to each item, so that the first has room and the batch goes on: places that others free come to the next.
    select i.*, count(*) over (partition by i."agentId" order by i.ordinality) as opened
    from rows from (json_to_recordset(p_items) as (
      "taskId" uuid, "fromAgentId" uuid, because text, reason text, "agentId" uuid, routing jsonb, names json, price bigint, "feeBps" int,
      "baseRate" bigint, "acceptBy" timestamptz, at timestamptz)) with ordinality as i
  ), good as materialized (
    select i.*, t.status, t.agent_id, t.owner_id, t.correlation_id, ${tried} as tried,
      least(i."acceptBy", t.input_expires_at) as accept_by
    from item i cross join lateral (select x.* from tasks x where x.id = i."taskId" limit 1) t
      ${joinStillFree('i."agentId"', 'i."baseRate"', 'i.opened')}
    where f.is_free and t.agent_id is not distinct from i."fromAgentId"
      and case when t.agent_id is null then t.status in ${sqlFrom('assign')} and coalesce(t.due_at > i.at, true)
        else t.status in ${sqlFrom('reassign')} and (i.because <> 'not_accepted' or coalesce(t.due_at <= i.at, true)) end
      and not exists (
        select from unnest(t.group_tasks) as o(id) join tasks other on other.id = o.id
        join agents theirs on theirs.id = other.agent_id join agents its on its.id = i."agentId"
        where other.id <> t.id and theirs.owner_id = its.owner_id)
  ), changed as (
    update tasks t set status = ${sqlTo('reassign')}, agent_id = g."agentId", price = g.price, fee_bps = g."feeBps", assigned_at = g.at,
      accept_by = g.accept_by, due_at = g.accept_by, earlier_agents = nullif(g.tried, '{}'),
      routing = g.routing, sandbox_id = null, turn = case when g.agent_id is null then nextval('task_turns') else t.turn end
    from good g where t.id = g."taskId"
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select e.type, 'tasks', g.at, g."taskId", e.agent, g.owner_id, g.correlation_id, e.data
    from good g cross join lateral (values
      (1, 'task.unassigned', g.agent_id, json_build_object('agentId', g.names ->> 'from', 'because', g.because,
        'reason', g.reason)),
      (2, 'task.assigned', g."agentId", json_build_object('status', ${sqlTo('reassign')}, 'price', g.price,
        'agentId', g.names ->> 'to', 'attempt', cardinality(g.tried) + 1))
    ) as e(nth, type, agent, data)
    where e.agent is not null order by g.ordinality, e.nth
  ), released as materialized (
    select agents_release(array_agg(g.agent_id), array_agg(g.because = 'declined'))
    from good g where g.agent_id is not null having count(*) > 0
  ), counted as materialized (
    select agents_assign(array_agg(g."agentId")) from good g having count(*) > 0
  )
  select i.ordinality::int, case when g.ordinality is null then '${stale}' else 'ok' end, g.status::text
  from item i left join good g on g.ordinality = i.ordinality
  cross join (select count(*) from released) r cross join (select count(*) from counted) c;
end $$`,
});
