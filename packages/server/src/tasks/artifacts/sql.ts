import type { ArtifactLoss } from '@agora-market/contract';
import { type Pool, type Queryable, row, rows, transaction } from '../../platform/index.ts';
import type { PreparedPull } from '../pulls/prepare.ts';
import { storePrepared } from '../pulls/sql.ts';
import { uncounted } from '../storage-sql.ts';

/** A file of `/workspace/output`, or what the delivery changes: the list of files, and the patch. */
export type ArtifactKind = 'output' | 'changes' | 'patch';

/** As stored; its id also names the object that holds the content. */
export interface ArtifactRow {
  id: string;
  kind: ArtifactKind;
  position: number;
  path: string;
  sizeBytes: number;
  sha256: string | null;
  contentType: string;
  dropped: ArtifactLoss | null;
  expiresAt: string;
}

const columns = `a.id, a.kind, a.position, a.path, a.size_bytes as "sizeBytes", a.sha256, a.content_type as "contentType",
  a.dropped, a.expires_at as "expiresAt"`;

export const isCollected = async (db: Queryable, taskId: string): Promise<boolean> =>
  (await row(db, 'artifact_sets_get', 'select task_id from artifact_sets where task_id = $1', [taskId])) !== null;

/** Stores the collected artifacts of a task, all at once; false if another process has done it. */
export const storeArtifacts = (
  pool: Pool,
  taskId: string,
  { artifacts, store, pull }: { artifacts: ArtifactRow[]; store: string | null; pull: PreparedPull | null },
  at: Date,
): Promise<boolean> =>
  transaction(pool, 'write', async (tx) => {
    const first = await row(
      tx,
      'artifact_sets_store',
      `insert into artifact_sets (task_id, collected_at, store) select id, $2, $3 from tasks where id = $1
       on conflict (task_id) do nothing returning task_id`,
      [taskId, at.toISOString(), store],
    );
    if (first === null) return false;
    await rows(
      tx,
      'artifacts_store',
      `insert into artifacts (id, kind, task_id, position, path, size_bytes, sha256, content_type, dropped, created_at, expires_at)
       select a.id, a.kind, $1, a.position, a.path, a."sizeBytes", a.sha256, a."contentType", a.dropped, $3, a."expiresAt"
       from json_to_recordset($2) as a(id uuid, kind text, position int, path text, "sizeBytes" bigint, sha256 text,
         "contentType" text, dropped text, "expiresAt" timestamptz)`,
      [taskId, JSON.stringify(artifacts), at.toISOString()],
    );
    if (pull !== null) await storePrepared(tx, taskId, pull, store, at);
    const sizes = artifacts.map(({ dropped, sizeBytes }) => (dropped === null ? sizeBytes : 0));
    const bytes = sizes.reduce((sum, size) => sum + size, pull?.sizeBytes ?? 0);
    // They take the room that was set aside for them.
    await rows(
      tx,
      'artifacts_count',
      `insert into task_storage (task_id, buyer_id, seller_id, set_aside, artifacts)
       select t.id, t.owner_id, a.owner_id, 0, $2::bigint from tasks t join agents a on a.id = t.agent_id
       where t.id = $1 and $2::bigint > 0
       on conflict (task_id) do update set artifacts = excluded.artifacts,
         set_aside = greatest(0, task_storage.set_aside - excluded.artifacts)`,
      [taskId, bytes],
    );
    return true;
  });

export const listArtifacts = (db: Queryable, taskId: string, now: Date, after: number, limit: number) =>
  rows<ArtifactRow>(
    db,
    'artifacts_list',
    `select ${columns} from artifacts a
     where a.task_id = $1 and a.kind = 'output' and a.expires_at > $2 and a.position > $3 order by a.position limit $4`,
    [taskId, now.toISOString(), after, limit],
  );

export const findArtifact = (db: Queryable, taskId: string, id: string, now: Date) =>
  row<StoredArtifact>(
    db,
    'artifacts_get',
    `select ${columns}, s.store from artifacts a join artifact_sets s on s.task_id = a.task_id
     where a.id = $2 and a.task_id = $1 and a.kind = 'output' and a.expires_at > $3`,
    [taskId, id, now.toISOString()],
  );

export type StoredArtifact = ArtifactRow & { store: string | null };

/** What the delivery changes: the list first, then the patch. Empty where it is not kept. */
export const findChange = (db: Queryable, taskId: string, now: Date) =>
  rows<StoredArtifact>(
    db,
    'artifacts_change',
    `select ${columns}, s.store from artifacts a join artifact_sets s on s.task_id = a.task_id
     where a.task_id = $1 and a.kind <> 'output' and a.expires_at > $2 order by a.kind`,
    [taskId, now.toISOString()],
  );

/**
 * Each server erases what is on its own disk. A row that nobody has erased for an hour belongs to a server that is
 * gone.
 */
const isOurs = (store: string, expiredBefore: string) =>
  `(s.store is null or s.store = ${store} or a.expires_at < ${expiredBefore}::timestamptz - interval '1 hour')`;

export const expiredArtifacts = async (db: Queryable, store: string, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'artifacts_expired',
      `select a.id from artifacts a join artifact_sets s on s.task_id = a.task_id
       where a.expires_at <= $1 and ${isOurs('$3', '$1')} order by a.expires_at limit $2`,
      [now.toISOString(), limit, store],
    )
  ).map(({ id }) => id);

export const forgetArtifacts = (db: Queryable, ids: string[]) =>
  rows(
    db,
    'artifacts_forget',
    `with gone as materialized (
       delete from artifacts where id = any($1::uuid[]) returning task_id, size_bytes, dropped
     ) ${uncounted}`,
    [ids],
  );

/**
 * Ids of artifacts whose content is where this server looks, in ascending order, from one id to another (both included,
 * null: no end).
 */
export const storedBetween = async (
  db: Queryable,
  store: string,
  range: { after: string; to: string | null; before: Date; limit: number },
): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'artifacts_between',
      `select a.id from artifacts a join artifact_sets s on s.task_id = a.task_id
       where a.id > $1 and ($2::uuid is null or a.id <= $2) and a.dropped is null and a.created_at < $3
         and (s.store is null or s.store = $5)
       order by a.id limit $4`,
      [range.after, range.to, range.before.toISOString(), range.limit, store],
    )
  ).map(({ id }) => id);

/** Of the given objects, those that an artifact is about. */
export const artifactObjects = async (db: Queryable, ids: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'artifacts_known',
    'select id from artifacts where id = any($1::uuid[])',
    [ids],
  );
  return new Set(found.map(({ id }) => id));
};

export const markLost = (db: Queryable, ids: string[]) =>
  rows(
    db,
    'artifacts_lost',
    `with gone as materialized (
       update artifacts set dropped = 'lost' where id = any($1::uuid[]) and dropped is null
       returning task_id, size_bytes, null as dropped
     ) ${uncounted}`,
    [ids],
  );

/** Who serves a data directory now, and when its last server ended. */
export const keeperOf = (db: Queryable, store: string) =>
  row<{ id: string | null; address: string | null; endedAt: string | null }>(
    db,
    'hosts_of_store',
    `select max(id::text) filter (where ended_at is null) as id, max(address) filter (where ended_at is null) as address,
       max(ended_at) as "endedAt"
     from hosts where store = $1`,
    [store],
  );
