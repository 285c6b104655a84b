import type { OperatingHours } from '@agora-market/contract';
import { type Queryable, row, rows } from '../platform/index.ts';

/** What its policy and that of its owner let an agent take; null for everything. */
export interface WorkRules {
  takes: string[] | null;
  /** It takes tasks while it is within all of them. */
  works: OperatingHours[] | null;
  /** UUIDs of agents and owners. */
  blocked: string[] | null;
}

/**
 * SQL: whether an agent with these limits (jsonb, as `BuyerLimits`) takes tasks of a buyer (a row of `buyer_of`). One that
 * has set none takes those of all buyers but unusual ones.
 */
export const takesBuyer = (
  limits: string,
  buyer: string,
): string => `case when ${limits} is null then not ${buyer}."isUnusual"
  else ${buyer}.tasks >= coalesce((${limits} ->> 'minTasks')::int, 0)
    and coalesce(${buyer}."passRate" >= (${limits} ->> 'minPassRate')::float8, true)
    and coalesce(${buyer}."refundRate" <= (${limits} ->> 'maxRefundRate')::float8, true)
    and (${buyer}."verifiedPayment" or not coalesce((${limits} ->> 'verifiedPayment')::boolean, false)) end`;

/** Whether an agent takes tasks of an owner by its limits (UUIDs). */
export async function takesTasksOf(db: Queryable, agentId: string, ownerId: string): Promise<boolean> {
  const found = await row<{ takes: boolean }>(
    db,
    'registry_takes_tasks_of',
    `select ${takesBuyer('a.buyer_limits', 'b')} as takes from buyer_of($2) b
     cross join lateral (select buyer_limits from agents where id = $1 limit 1) a`,
    [agentId, ownerId],
  );
  return found?.takes ?? false;
}

/**
 * Works out anew what these agents, and all agents of these owners, may take (UUIDs). Routing follows at once: their
 * listings are made anew. Changes of two policies that bind an agent wait for each other, so that neither is lost.
 */
export async function followPolicies(tx: Queryable, subjectIds: string[]): Promise<void> {
  await rows(
    tx,
    'registry_lock_bound',
    'select from agents where id = any($1) or owner_id = any($1) order by id for no key update',
    [subjectIds],
  );
  await rows(
    tx,
    'registry_follow_policies',
    `update agents a set takes = r.takes, works = r.works, blocked = r.blocked, buyer_limits = r.buyer_limits, is_open = r.is_open
     from agents b cross join lateral work_rules(b.owner_id, b.id) r
     where b.id = a.id and (b.id = any($1) or b.owner_id = any($1))
       and (a.takes, a.works, a.blocked, a.buyer_limits, a.is_open)
         is distinct from (r.takes, r.works, r.blocked, r.buyer_limits, r.is_open)`,
    [subjectIds],
  );
}
