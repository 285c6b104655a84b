import type { Clock } from '../clock.ts';
import { type Pool, type Queryable, row, rows } from '../postgres/db.ts';

/** Whom a call failed that the platform could not answer. UUIDs. */
export interface Failed {
  /** Undefined where the platform did not come to know who called. */
  agentId?: string;
  /** The task that the call was about, if any. */
  taskId?: string | null;
}

/** When the platform failed whom, so that an agent can be believed that says so. */
export interface Faults {
  note(failed: Failed): void;
  /**
   * Whether the platform failed the agent since a time, in calls about this task or about none, or anybody unknown, or a
   * server has started since.
   */
  since(failed: { agentId: string; taskId: string }, from: Date): Promise<boolean>;
  /** Stores what could not be stored before. */
  flush(): Promise<void>;
  /** Removes what is older than any open task. */
  forget(): Promise<unknown>;
}

/** Stands for callers that nobody came to know, where the database was away, for example; and for no task. */
const nil = '00000000-0000-0000-0000-000000000000';
/** So many are noted until they are stored; an outage concerns the same ones again and again. */
const mostUnsaved = 10_000;
const forgottenAfter = "interval '90 days'";

interface Fault {
  agentId: string;
  taskId: string;
  at: Date;
}

export function createFaults({ pool, clock }: { pool: Pool; clock: Clock }): Faults {
  let unsaved = new Map<string, Fault>();
  let saving: Promise<void> = Promise.resolve();

  async function saveAll(): Promise<void> {
    if (unsaved.size === 0) return;
    const taken = unsaved;
    unsaved = new Map();
    try {
      await save(pool, [...taken.values()]);
    } catch (error) {
      for (const [key, fault] of taken) if (!unsaved.has(key)) unsaved.set(key, fault);
      throw error;
    }
  }

  /** One after the other, so that whoever waits for it waits for all that was noted before. */
  function flush(): Promise<void> {
    const next = saving.then(saveAll);
    saving = next.catch(() => {});
    return next;
  }

  return {
    note({ agentId = nil, taskId }) {
      const fault = { agentId, taskId: taskId ?? nil, at: clock.now() };
      const key = `${agentId} ${fault.taskId}`;
      if (unsaved.size >= mostUnsaved && !unsaved.has(key)) return;
      unsaved.set(key, fault);
      // At once, because the agent may report its failure to another server. What is noted meanwhile goes together.
      if (unsaved.size === 1) flush().catch(() => {});
    },
    async since({ agentId, taskId }, from) {
      await flush();
      const found = await row<{ isOurs: boolean }>(
        pool,
        'faults_since',
        `select exists (select from platform_faults where at >= $4
             and (agent_id, task_id) in (($1, $2), ($1, $3), ($3, $3)))
           or exists (select from hosts where started_at > $4) as "isOurs"`,
        [agentId, taskId, nil, from.toISOString()],
      );
      return found?.isOurs ?? false;
    },
    flush,
    forget: () =>
      rows(pool, 'faults_forget', `delete from platform_faults where at < $1::timestamptz - ${forgottenAfter}`, [
        clock.now().toISOString(),
      ]),
  };
}

/** The platform failed everybody. */
export const saveFault = (db: Queryable, at: Date) => save(db, [{ agentId: nil, taskId: nil, at }]);

const save = (db: Queryable, faults: Fault[]) =>
  rows(
    db,
    'faults_save',
    `insert into platform_faults as f (agent_id, task_id, at)
     select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) order by 1, 2
     on conflict (agent_id, task_id) do update set at = greatest(f.at, excluded.at)`,
    [
      faults.map(({ agentId }) => agentId),
      faults.map(({ taskId }) => taskId),
      faults.map(({ at }) => at.toISOString()),
    ],
  );
