import type { OperatingHours } from '@agora/contract';
import { type Queryable, rows } from '../platform/index.ts';

/** What the owner lets an agent take; null for everything. Ids of agents and owners are UUIDs. */
export interface WorkRules {
  takes: string[] | null;
  works: OperatingHours | null;
  blocked: string[] | null;
  /** Whether it is within its hours. */
  isOpen: boolean;
}

/** Stores what an agent takes. Routing follows at once: its listings are made anew. */
export const setWorkRules = (tx: Queryable, agentId: string, { takes, works, blocked, isOpen }: WorkRules) =>
  rows(
    tx,
    'registry_set_work_rules',
    'update agents set takes = $2, works = $3, blocked = $4, is_open = $5 where id = $1',
    [agentId, takes, works && JSON.stringify(works), blocked, isOpen],
  );
