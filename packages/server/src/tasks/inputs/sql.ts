import { bundles } from '@agora-market/contract';
import { requireAccount } from '../../auth/index.ts';
import {
  ApiError,
  advisoryLock,
  ensure,
  type Pool,
  type Queryable,
  row,
  rows,
  type Tx,
  transaction,
} from '../../platform/index.ts';
import type { TreeFacts } from './clean.ts';

/** The tree of a task's repository as it was cloned first. */
export interface KeptTree {
  objectId: string;
  commit: string;
  /** Empty for a whole tree; else a key of what it lacks. */
  lacks: string;
}

export const keptTree = (db: Queryable, taskId: string) =>
  row<KeptTree>(
    db,
    'task_repositories_get',
    `select k.object_id as "objectId", k.commit_id as commit, k.lacks
     from task_repositories r join kept_trees k using (owner_id, commit_id, lacks)
     where r.task_id = $1`,
    [taskId],
  );

/** What the kept tree does not show of its commit. */
export const treeFacts = async (db: Queryable, taskId: string): Promise<TreeFacts | null> =>
  (
    await row<{ facts: TreeFacts }>(
      db,
      'task_repositories_facts',
      `select k.facts from task_repositories r join kept_trees k using (owner_id, commit_id, lacks) where r.task_id = $1`,
      [taskId],
    )
  )?.facts ?? null;

/** What the clone of a task's repository could not get, in words. */
export const cloneWarnings = async (db: Queryable, taskId: string): Promise<string[]> =>
  (
    await row<{ warnings: string[] }>(
      db,
      'task_repositories_warnings',
      `select k.warnings from task_repositories r join kept_trees k using (owner_id, commit_id, lacks) where r.task_id = $1`,
      [taskId],
    )
  )?.warnings ?? [];

/** The tree that a buyer's other tasks keep of a commit. */
export const treeOfCommit = (db: Queryable, ownerId: string, commit: string, lacks: string) =>
  row<KeptTree>(
    db,
    'kept_trees_get',
    `select object_id as "objectId", commit_id as commit, lacks from kept_trees
     where owner_id = $1 and commit_id = $2 and lacks = $3`,
    [ownerId, commit, lacks],
  );

/** Transactions that begin or end keeping a tree take turns, so that none is removed while a task begins to keep it. */
const treesLock = advisoryLock('trees');

/**
 * Returns what is kept afterwards: a tree that another process has kept meanwhile stays, and so does the end of the
 * input.
 */
export const keepTree = (
  pool: Pool,
  kept: KeptTree & { taskId: string; sizeBytes: number; warnings: string[]; facts: TreeFacts; at: Date },
) =>
  transaction(pool, 'write', async (tx) => {
    await tx.query(treesLock);
    await rows(
      tx,
      'task_repositories_keep',
      `with task as (
         insert into task_repositories (task_id, owner_id, commit_id, lacks, created_at)
         select t.id, t.owner_id, $3, $6, $5 from tasks t where t.id = $1 and t.input_expires_at is not null
         on conflict (task_id) do nothing returning owner_id)
       insert into kept_trees (owner_id, commit_id, lacks, object_id, size_bytes, warnings, created_at, facts)
       select owner_id, $3, $6, $2, $4, $7, $5, $8 from task
       on conflict (owner_id, commit_id, lacks) do update set facts = excluded.facts`,
      [
        ...[kept.taskId, kept.objectId, kept.commit, kept.sizeBytes, kept.at.toISOString(), kept.lacks],
        ...[JSON.stringify(kept.warnings), JSON.stringify(kept.facts)],
      ],
    );
    return keptTree(tx, kept.taskId);
  });

/** The object of a kept tree was lost and its repository has been cloned again, at the same commit. */
export const replaceTree = (db: Queryable, ownerId: string, lost: KeptTree, objectId: string) =>
  row<KeptTree>(
    db,
    'kept_trees_replace',
    `update kept_trees set object_id = $5 where owner_id = $1 and commit_id = $2 and lacks = $3 and object_id = $4
     returning object_id as "objectId", commit_id as commit, lacks`,
    [ownerId, lost.commit, lost.lacks, lost.objectId, objectId],
  );

interface BundledTree extends KeptTree {
  warnings: string[];
  facts: TreeFacts;
}

/**
 * Keeps the tree of a bundle; gives the object that it takes the place of, or null. STORAGE_QUOTA_REACHED where too much is
 * kept of its owner's, NOT_READY where the object that was stored before (`isStored`) has just gone.
 */
export const keepBundle = (
  pool: Pool,
  ownerId: string,
  tree: BundledTree & { isStored: boolean; sizeBytes: number; at: Date; until: Date },
): Promise<string | null> =>
  transaction(pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId);
    await tx.query(treesLock);
    const others = await row<{ bytes: number }>(
      tx,
      'kept_trees_bundled_bytes',
      `select coalesce(sum(size_bytes), 0)::float8 as bytes from kept_trees
       where owner_id = $1 and bundled_until is not null and (commit_id, lacks) <> ($2, $3)`,
      [ownerId, tree.commit, tree.lacks],
    );
    if ((others?.bytes ?? 0) + tree.sizeBytes > bundles.ownerBytes) {
      throw new ApiError(
        'STORAGE_QUOTA_REACHED',
        'Too many bundles of yours are kept. Each goes a day after it came, or three days after the last task with it.',
        {
          quota: 'bundles',
          limitBytes: bundles.ownerBytes,
        },
      );
    }
    const before = await treeOfCommit(tx, ownerId, tree.commit, tree.lacks);
    ensure(
      !tree.isStored || before?.objectId === tree.objectId,
      'NOT_READY',
      'The bundle has just gone. Send it again.',
    );
    await rows(
      tx,
      'kept_trees_keep_bundle',
      `insert into kept_trees
         (owner_id, commit_id, lacks, object_id, size_bytes, warnings, created_at, facts, bundled_until)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (owner_id, commit_id, lacks) do update set object_id = excluded.object_id,
         size_bytes = excluded.size_bytes, warnings = excluded.warnings, facts = excluded.facts,
         bundled_until = excluded.bundled_until`,
      [
        ...[ownerId, tree.commit, tree.lacks, tree.objectId, tree.sizeBytes, JSON.stringify(tree.warnings)],
        ...[tree.at.toISOString(), JSON.stringify(tree.facts), tree.until.toISOString()],
      ],
    );
    return before !== null && before.objectId !== tree.objectId ? before.objectId : null;
  });

/** The tree of an owner's bundle, the most complete one. */
export const bundledTree = (db: Queryable, ownerId: string, commit: string) =>
  row<BundledTree>(
    db,
    'kept_trees_bundled',
    `select object_id as "objectId", commit_id as commit, lacks, warnings, facts from kept_trees
     where owner_id = $1 and commit_id = $2 and bundled_until is not null
     order by lacks = '' desc, bundled_until desc limit 1`,
    [ownerId, commit],
  );

/**
 * Keeps a bundle until then, if it would go sooner, for a task that is about to be submitted. False where none of this
 * commit is kept for the owner.
 */
export const keepBundleUntil = async (
  db: Queryable,
  ownerId: string,
  commit: string,
  at: Date,
  until: Date,
): Promise<boolean> =>
  (
    await rows(
      db,
      'kept_trees_keep_bundle_until',
      `update kept_trees set bundled_until = greatest(bundled_until, $4)
       where owner_id = $1 and commit_id = $2 and bundled_until > $3 returning owner_id`,
      [ownerId, commit, at.toISOString(), until.toISOString()],
    )
  ).length > 0;

/** Of an account that is deleted. */
export const eraseBundles = async (tx: Tx, ownerId: string): Promise<void> =>
  void (await rows(
    tx,
    'kept_trees_erase_bundles',
    'update kept_trees set bundled_until = to_timestamp(0) where owner_id = $1 and bundled_until is not null',
    [ownerId],
  ));

/**
 * Ends the keeping for tasks whose input has been erased, and for bundles whose time is over; gives how many, and the
 * objects that nobody keeps any more.
 */
export const forgetTrees = (pool: Pool, at: Date, limit: number): Promise<{ ended: number; objectIds: string[] }> =>
  transaction(pool, 'write', async (tx) => {
    await tx.query(treesLock);
    interface Ended {
      ownerId: string;
      commit: string;
      lacks: string;
    }
    const ofTasks = await rows<Ended>(
      tx,
      'task_repositories_forget',
      `delete from task_repositories where task_id in (
         select r.task_id from task_repositories r join tasks t on t.id = r.task_id
         where t.input_expires_at is null limit $1)
       returning owner_id as "ownerId", commit_id as commit, lacks`,
      [limit],
    );
    const ofBundles = await rows<Ended>(
      tx,
      'kept_trees_end_bundles',
      `update kept_trees set bundled_until = null where (owner_id, commit_id, lacks) in (
         select owner_id, commit_id, lacks from kept_trees where bundled_until <= $1 order by bundled_until limit $2)
       and bundled_until <= $1 returning owner_id as "ownerId", commit_id as commit, lacks`,
      [at.toISOString(), limit - ofTasks.length],
    );
    const ended = [...ofTasks, ...ofBundles];
    const unkept = await rows<{ id: string }>(
      tx,
      'kept_trees_forget',
      `delete from kept_trees k using unnest($1::uuid[], $2::text[], $3::text[]) as e(owner_id, commit_id, lacks)
       where k.owner_id = e.owner_id and k.commit_id = e.commit_id and k.lacks = e.lacks
         and k.bundled_until is null and not exists (select from task_repositories r
           where r.owner_id = k.owner_id and r.commit_id = k.commit_id and r.lacks = k.lacks)
       returning k.object_id as id`,
      [ended.map(({ ownerId }) => ownerId), ended.map(({ commit }) => commit), ended.map(({ lacks }) => lacks)],
    );
    return { ended: ended.length, objectIds: unkept.map(({ id }) => id) };
  });

/** Of the given objects, those that some task keeps. */
export const keptObjects = async (db: Queryable, objectIds: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'kept_trees_kept',
    'select object_id as id from kept_trees where object_id = any($1::uuid[])',
    [objectIds],
  );
  return new Set(found.map(({ id }) => id));
};
