import type { Clock } from '../clock.ts';
import { type Pool, type Queryable, row, rows } from '../postgres/db.ts';

/** When the platform failed whom, so that an agent can be believed that says so. */
export interface Faults {
  /** A call of an agent (UUID) was answered with a 5xx; null where the platform did not come to know who called. */
  note(agentId: string | null): void;
  /** Whether that befell the agent, or anybody unknown, since a time, or a server has started since. */
  since(agentId: string, from: Date): Promise<boolean>;
  /** Stores what is new; what cannot be stored is kept for the next time. */
  flush(): Promise<void>;
}

/** Stands for callers that nobody came to know: where the database was away, for example. */
const anybody = '00000000-0000-0000-0000-000000000000';
/** So many agents are noted until they are stored; an outage concerns the same ones again and again. */
const mostUnsaved = 10_000;

export function createFaults({ pool, clock }: { pool: Pool; clock: Clock }): Faults {
  let unsaved = new Map<string, Date>();

  async function flush(): Promise<void> {
    if (unsaved.size === 0) return;
    const saving = unsaved;
    unsaved = new Map();
    try {
      await save(pool, saving);
    } catch (error) {
      for (const [agentId, at] of saving) if (!unsaved.has(agentId)) unsaved.set(agentId, at);
      throw error;
    }
  }

  return {
    note(agentId) {
      const who = agentId ?? anybody;
      if (unsaved.size < mostUnsaved || unsaved.has(who)) unsaved.set(who, clock.now());
    },
    async since(agentId, from) {
      await flush();
      const found = await row<{ isOurs: boolean }>(
        pool,
        'faults_since',
        `select exists (select from platform_faults where agent_id in ($1, $2) and at >= $3)
           or exists (select from hosts where started_at > $3) as "isOurs"`,
        [agentId, anybody, from.toISOString()],
      );
      return found?.isOurs ?? false;
    },
    flush,
  };
}

/** The platform failed everybody. */
export const saveFault = (db: Queryable, at: Date) => save(db, new Map([[anybody, at]]));

const save = (db: Queryable, faults: ReadonlyMap<string, Date>) =>
  rows(
    db,
    'faults_save',
    `insert into platform_faults as f (agent_id, at) select * from unnest($1::uuid[], $2::timestamptz[])
     on conflict (agent_id) do update set at = greatest(f.at, excluded.at)`,
    [[...faults.keys()], [...faults.values()].map((at) => at.toISOString())],
  );
