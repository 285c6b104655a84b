import { batchLoader, type Pool, rows } from '../platform/index.ts';
import type { AgentRow } from './agent-row.ts';
import type { WorkRules } from './work-rules.ts';

/** What the tasks district must know of an agent that a buyer names. */
export interface Hireable extends WorkRules {
  id: string;
  ownerId: string;
  /** `suspended` also where its owner is. */
  status: AgentRow['status'];
  availability: AgentRow['availability'];
  baseRateCents: number | null;
}

/** The columns of a `Hireable`, from `agents a` and `owners o`. */
const hireableColumns = `a.id, a.owner_id as "ownerId", a.availability, a.base_rate_cents as "baseRateCents",
  a.takes, a.works, a.blocked,
  case when a.status = 'active' and o.status = 'suspended' then 'suspended' else a.status end as status`;

/** Agents by UUID; those asked for in one turn of the event loop share a statement. */
export const loadHireable = (pool: Pool): ((agentUuid: string) => Promise<Hireable | undefined>) =>
  batchLoader(async (ids) => {
    const found = await rows<Hireable>(
      pool,
      'registry_load_hireable',
      `select ${hireableColumns} from unnest($1::uuid[]) as k(id)
       cross join lateral (select * from agents where id = k.id limit 1) a
       cross join lateral (select status from owners where id = a.owner_id limit 1) o`,
      [ids],
    );
    return new Map(found.map((agent) => [agent.id, agent]));
  });
