import { type Queryable, row, rows } from '../../platform/index.ts';

/** The tree of a task's repository as it was cloned first. */
export interface KeptTree {
  objectId: string;
  commit: string;
}

export const keptTree = (db: Queryable, taskId: string) =>
  row<KeptTree>(
    db,
    'task_repositories_get',
    `select object_id as "objectId", commit_id as commit from task_repositories where task_id = $1`,
    [taskId],
  );

/** Gives what is kept afterwards: what another process has kept meanwhile stays, and so does an input's end. */
export const keepTree = (db: Queryable, kept: KeptTree & { taskId: string; sizeBytes: number; at: Date }) =>
  row<KeptTree>(
    db,
    'task_repositories_keep',
    `with stored as (
       insert into task_repositories (task_id, object_id, commit_id, size_bytes, created_at)
       select t.id, $2, $3, $4, $5 from tasks t where t.id = $1 and t.input_expires_at is not null
       on conflict (task_id) do nothing
       returning object_id, commit_id)
     select object_id as "objectId", commit_id as commit from stored
     union all
     select object_id, commit_id from task_repositories where task_id = $1
     limit 1`,
    [kept.taskId, kept.objectId, kept.commit, kept.sizeBytes, kept.at.toISOString()],
  );

/** The object of a kept tree was lost and its repository has been cloned again, at the same commit. */
export const replaceTree = (db: Queryable, taskId: string, lost: string, objectId: string) =>
  row<KeptTree>(
    db,
    'task_repositories_replace',
    `update task_repositories set object_id = $3 where task_id = $1 and object_id = $2
     returning object_id as "objectId", commit_id as commit`,
    [taskId, lost, objectId],
  );

/** Kept trees of tasks whose input has been erased. */
export const orphanedTrees = (db: Queryable, limit: number) =>
  rows<{ taskId: string; objectId: string }>(
    db,
    'task_repositories_orphaned',
    `select r.task_id as "taskId", r.object_id as "objectId"
     from task_repositories r join tasks t on t.id = r.task_id
     where t.input_expires_at is null limit $1`,
    [limit],
  );

export const forgetTree = (db: Queryable, taskId: string, objectId: string) =>
  rows(db, 'task_repositories_forget', 'delete from task_repositories where task_id = $1 and object_id = $2', [
    taskId,
    objectId,
  ]);

/** Of the given objects, those that some task keeps. */
export const keptObjects = async (db: Queryable, objectIds: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'task_repositories_kept',
    'select object_id as id from task_repositories where object_id = any($1::uuid[])',
    [objectIds],
  );
  return new Set(found.map(({ id }) => id));
};
