import { type Queryable, row, rows } from '../../platform/index.ts';

/** The rows that name workspaces in a bucket. */

interface NamedObject {
  id: string;
  sha256: string;
  sizeBytes: number;
}

interface ListedObject {
  taskId: string;
  sizeBytes: number;
}

export interface ObjectRows {
  list(db: Queryable): Promise<ListedObject[]>;
  /** In the order of the list. */
  page(db: Queryable, after: string, limit: number): Promise<ListedObject[]>;
  find(db: Queryable, taskId: string): Promise<NamedObject | null>;
  /** Gives the object that no row names from here on. */
  forget(db: Queryable, taskId: string): Promise<{ id: string } | null>;
}

/** Work that is not delivered: all that was in a sandbox that ended in order, and snapshots of what goes on in live ones. */
export type WorkTable = 'kept_workspaces' | 'workspace_snapshots';

/** Those of a table; `listed` is SQL for the ones that are listed. */
export const objectRows = (table: 'deliveries' | WorkTable, listed: string): ObjectRows => ({
  list: (db) =>
    rows(
      db,
      `${table}_list_${listed}`,
      `select task_id as "taskId", size_bytes as "sizeBytes" from ${table}
       where object_id is not null and ${listed} order by task_id`,
      [],
    ),
  page: (db, after, limit) =>
    rows(
      db,
      `${table}_page_${listed}`,
      `select task_id as "taskId", size_bytes as "sizeBytes" from ${table}
       where object_id is not null and ${listed} and task_id > $1 order by task_id limit $2`,
      [after, limit],
    ),
  find: (db, taskId) =>
    row(
      db,
      `${table}_object`,
      `select object_id as id, sha256, size_bytes as "sizeBytes" from ${table}
       where task_id = $1 and object_id is not null`,
      [taskId],
    ),
  forget: (db, taskId) =>
    row(
      db,
      `${table}_forget_object`,
      `delete from ${table} where task_id = $1 and object_id is not null returning object_id as id`,
      [taskId],
    ),
});

export const archiveDelivery = (db: Queryable, taskId: string) =>
  rows(
    db,
    'deliveries_archive',
    'update deliveries set archived = true where task_id = $1 and object_id is not null and not archived',
    [taskId],
  );

/**
 * Work of a live sandbox. It is refused where others have found the sandbox's process dead: the agent
 * may have begun anew since. `former` is the object that it takes the place of.
 */
export const keepWorkspace = async (
  db: Queryable,
  table: WorkTable,
  work: { taskId: string; sandboxId?: string; objectId: string; sha256: string; sizeBytes: number },
): Promise<{ isKept: boolean; former: string | null }> => {
  const found = await row<{ isKept: boolean; former: string | null }>(
    db,
    `${table}_keep`,
    `with living as materialized (
       select id from sandboxes where id = $2 and status in ('provisioning', 'ready', 'draining') for update
     ), former as materialized (
       select object_id from ${table} where task_id = $1
     ), kept as (
       insert into ${table} (task_id, object_id, sha256, size_bytes) select $1, $3, $4, $5 from living
       on conflict (task_id) do update set object_id = excluded.object_id, sha256 = excluded.sha256,
         size_bytes = excluded.size_bytes
       returning task_id
     )
     select exists (select from kept) as "isKept", (select object_id from former) as former`,
    [work.taskId, work.sandboxId, work.objectId, work.sha256, work.sizeBytes],
  );
  return found ?? { isKept: false, former: null };
};

/** What moves from a data directory into the bucket. */
export interface Carried {
  taskId: string;
  /** The data directory. */
  store: string;
  objectId: string;
  sha256: string;
  sizeBytes: number;
}

/** Whether a row names the object now, needs it no more, or may need it later. */
type Outcome = 'carried' | 'unneeded' | 'early';

/** Needed where a row says that the directory has the delivery. */
export const carryDelivery = async (
  db: Queryable,
  { archived, ...moved }: Carried & { archived: boolean },
): Promise<Outcome> =>
  (await row(
    db,
    'deliveries_carry',
    `update deliveries set store = null, object_id = $3, sha256 = $4, archived = $5
     where task_id = $1 and store = $2 returning task_id`,
    [moved.taskId, moved.store, moved.objectId, moved.sha256, archived],
  )) === null
    ? 'unneeded'
    : 'carried';

const neededOf: Record<WorkTable, string> = {
  kept_workspaces: `status in ('kept', 'lost')`,
  workspace_snapshots: `status = 'lost' and snapshot_at is not null`,
};

/**
 * Needed where it is the work of the task's last sandbox, and nobody has given it up, a snapshot only where that was lost; early
 * while that sandbox's row says that it lives, as in a stop.
 */
export const carryWorkspace = async (
  db: Queryable,
  table: WorkTable,
  { taskId, store, objectId, sha256, sizeBytes }: Carried,
): Promise<Outcome> => {
  const found = await row<{ outcome: Outcome }>(
    db,
    `${table}_carry`,
    `with last as materialized (
       select s.status, s.snapshot_at, not exists (select from hosts h where h.id = s.host and h.store <> $2) as here
       from tasks t join sandboxes s on s.task_id = t.id and s.agent_id = t.agent_id
       where t.id = $1 and s.status <> 'failed' order by s.id desc limit 1
     ), carried as (
       insert into ${table} (task_id, object_id, sha256, size_bytes)
       select $1, $3, $4, $5 from last where here and ${neededOf[table]}
       on conflict (task_id) do nothing returning task_id
     )
     select case when exists (select from carried) then 'carried'
       when exists (select from last where here and status in ('provisioning', 'ready', 'draining'))
         and not exists (select from ${table} where task_id = $1) then 'early'
       else 'unneeded' end as outcome`,
    [taskId, store, objectId, sha256, sizeBytes],
  );
  return found?.outcome ?? 'early';
};

/** Of the given objects, those that a row names. */
export const workspaceObjects = async (db: Queryable, ids: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'workspace_objects_known',
    `select object_id as id from deliveries where object_id = any($1::uuid[])
     union all select object_id from kept_workspaces where object_id = any($1::uuid[])
     union all select object_id from workspace_snapshots where object_id = any($1::uuid[])`,
    [ids],
  );
  return new Set(found.map(({ id }) => id));
};
