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

/** Those of a table; `listed` is SQL for the ones that are listed. */
export const objectRows = (table: 'deliveries' | 'kept_workspaces', listed: string): ObjectRows => ({
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
 * The work of a sandbox that is about to end. It is refused where others have found the sandbox's process dead: the agent
 * may have begun anew since. `former` is the object that it takes the place of.
 */
export const keepWorkspace = async (
  db: Queryable,
  work: { taskId: string; sandboxId?: string; objectId: string; sha256: string; sizeBytes: number },
): Promise<{ isKept: boolean; former: string | null }> => {
  const found = await row<{ isKept: boolean; former: string | null }>(
    db,
    'kept_workspaces_keep',
    `with living as materialized (
       select id from sandboxes where id = $2 and status in ('provisioning', 'ready', 'draining') for update
     ), former as materialized (
       select object_id from kept_workspaces where task_id = $1
     ), kept as (
       insert into kept_workspaces (task_id, object_id, sha256, size_bytes) select $1, $3, $4, $5 from living
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

/** False where no row says that the directory has the delivery. */
export const carryDelivery = async (db: Queryable, { archived, ...moved }: Carried & { archived: boolean }) =>
  (await row(
    db,
    'deliveries_carry',
    `update deliveries set store = null, object_id = $3, sha256 = $4, archived = $5
     where task_id = $1 and store = $2 returning task_id`,
    [moved.taskId, moved.store, moved.objectId, moved.sha256, archived],
  )) !== null;

/** False unless it is the work of the task's last sandbox, and nobody has given it up. */
export const carryWorkspace = async (db: Queryable, { taskId, store, objectId, sha256, sizeBytes }: Carried) =>
  (await row(
    db,
    'kept_workspaces_carry',
    `insert into kept_workspaces (task_id, object_id, sha256, size_bytes)
     select t.id, $3, $4, $5 from tasks t
     where t.id = $1 and (
       select s.status in ('kept', 'lost') and not exists (select from hosts h where h.id = s.host and h.store <> $2)
       from sandboxes s where s.task_id = t.id and s.agent_id = t.agent_id and s.status <> 'failed'
       order by s.id desc limit 1)
     on conflict (task_id) do nothing returning task_id`,
    [taskId, store, objectId, sha256, sizeBytes],
  )) !== null;

/** Of the given objects, those that a row names. */
export const workspaceObjects = async (db: Queryable, ids: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'workspace_objects_known',
    `select object_id as id from deliveries where object_id = any($1::uuid[])
     union all select object_id from kept_workspaces where object_id = any($1::uuid[])`,
    [ids],
  );
  return new Set(found.map(({ id }) => id));
};
