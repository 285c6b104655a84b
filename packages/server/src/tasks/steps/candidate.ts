import { takesBuyer, type WorkRules } from '../../registry/index.ts';

/** The agent that a task is to go to. */
export interface Candidate extends WorkRules {
  /** Null if there is no such agent. */
  agentOwnerId: string | null;
  /** It and its owner are active. */
  isActive: boolean;
  /** List price in cents, null for none. */
  baseRate: number | null;
  /** Tasks that count against its capacity. */
  openTasks: number;
  capacity: number;
  /** Its limits let it take tasks of the buyer. */
  takesBuyer: boolean;
}

export const candidateColumns = `a.owner_id as "agentOwnerId", coalesce(a.active, false) as "isActive",
  a.base_rate as "baseRate", coalesce(a.open_tasks, 0) as "openTasks", coalesce(a.capacity, 0) as capacity,
  a.takes, a.works, a.blocked, ${takesBuyer('a.buyer_limits', 'b')} as "takesBuyer"`;

/** SQL that joins the columns above by the ids of an agent and of the owner that buys. */
export const joinCandidate = (agentId: string, buyerId: string): string =>
  `${joinAgent(agentId)} left join lateral buyer_of(${buyerId}) b on true`;

const joinAgent = (agentId: string): string => `left join lateral (
  select x.owner_id, x.status = 'active' and o.status = 'active' as active, x.base_rate_cents as base_rate, s.open_tasks,
    agent_capacity(r.trust_tier) as capacity, x.takes, x.works, x.blocked, x.buyer_limits
  from agents x, agent_stats s, reputations r, owners o
  where x.id = ${agentId} and s.agent_id = x.id and r.agent_id = x.id and o.id = x.owner_id limit 1
) a on true`;

/**
 * SQL that joins by the id of an agent whether it can still get tasks that were decided before its row was locked: it is
 * there, asks the price that was agreed on, and has room for so many more (null: uses no room). What else was decided on (policies, limits) may
 * change a moment later just as well.
 */
export const joinStillFree = (agentId: string, baseRate: string, more: string): string =>
  `cross join lateral (
     select coalesce(a.active and a.base_rate is not distinct from ${baseRate}
       and coalesce(a.open_tasks + ${more} <= a.capacity, true), false) as is_free from (select) x ${joinAgent(agentId)}
   ) f`;

/** Changes of the number of open tasks by the earlier items of a batch, by agent. */
export type OpenTasks = Map<string, number>;

export const add = (changes: Map<string, number>, key: string, by: number): void => {
  changes.set(key, (changes.get(key) ?? 0) + by);
};
