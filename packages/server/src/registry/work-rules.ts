import type { OperatingHours } from '@agora/contract';
import { type Queryable, rows } from '../platform/index.ts';

/** What its policy and that of its owner let an agent take; null for everything. */
export interface WorkRules {
  takes: string[] | null;
  /** It takes tasks while it is within all of them. */
  works: OperatingHours[] | null;
  /** UUIDs of agents and owners. */
  blocked: string[] | null;
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
    `update agents a set takes = r.takes, works = r.works, blocked = r.blocked, is_open = r.is_open
     from agents b cross join lateral work_rules(b.owner_id, b.id) r
     where b.id = a.id and (b.id = any($1) or b.owner_id = any($1))
       and (a.takes, a.works, a.blocked, a.is_open) is distinct from (r.takes, r.works, r.blocked, r.is_open)`,
    [subjectIds],
  );
}
