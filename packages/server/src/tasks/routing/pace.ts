import { chargedStatuses } from '@agora-market/contract';
import { type Pool, rows, sqlList } from '../../platform/index.ts';

/** How fast an agent usually is, in milliseconds; null where nothing is known. */
export interface Pace {
  agentId: string;
  /** From assignment to start. */
  acceptMs: number | null;
  /** From start to a passing verdict. */
  executionMs: number | null;
}

/** Medians over the last 100 tasks of each agent: of those it started, and of those that passed. Null where there is none. */
export const paceOf = (pool: Pool, agentIds: string[]) =>
  rows<Pace>(
    pool,
    'tasks_pace',
    `select a.id as "agentId", m.* from unnest($1::uuid[]) as a(id) cross join lateral (
       select (percentile_cont(0.5) within group (order by t.accept))::bigint as "acceptMs",
         (percentile_cont(0.5) within group (order by t.execution) filter (where t.passed))::bigint as "executionMs"
       from (
         select 1000 * extract(epoch from started_at - assigned_at)::float8 as accept,
           1000 * extract(epoch from finished_at - started_at)::float8 as execution,
           status in ${sqlList(chargedStatuses)} as passed
         from tasks where agent_id = a.id order by id desc limit 100
       ) t where t.accept is not null
     ) m`,
    [agentIds],
  );

/** The time from assignment to a passing verdict; null where either part is not known. */
export const cycleMs = (pace: Omit<Pace, 'agentId'> | undefined): number | null =>
  pace === undefined || pace.acceptMs === null || pace.executionMs === null ? null : pace.acceptMs + pace.executionMs;
