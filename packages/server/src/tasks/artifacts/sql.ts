import type { ArtifactLoss } from '@agora/contract';
import { type Pool, type Queryable, row, rows, transaction } from '../../platform/index.ts';

/** A file of `/workspace/output` as stored; its id also names the object that holds the content. */
export interface ArtifactRow {
  id: string;
  position: number;
  path: string;
  sizeBytes: number;
  sha256: string | null;
  contentType: string;
  dropped: ArtifactLoss | null;
  expiresAt: string;
}

const columns = `a.id, a.position, a.path, a.size_bytes as "sizeBytes", a.sha256, a.content_type as "contentType",
  a.dropped, a.expires_at as "expiresAt"`;

export const isCollected = async (db: Queryable, taskId: string): Promise<boolean> =>
  (await row(db, 'artifact_sets_get', 'select task_id from artifact_sets where task_id = $1', [taskId])) !== null;

/** Stores what was collected of a task, all at once; false where another process has done it. */
export const storeArtifacts = (pool: Pool, taskId: string, artifacts: ArtifactRow[], at: Date): Promise<boolean> =>
  transaction(pool, 'write', async (tx) => {
    const first = await row(
      tx,
      'artifact_sets_store',
      `insert into artifact_sets (task_id, collected_at) select id, $2 from tasks where id = $1
       on conflict (task_id) do nothing returning task_id`,
      [taskId, at.toISOString()],
    );
    if (first === null) return false;
    await rows(
      tx,
      'artifacts_store',
      `insert into artifacts (id, task_id, position, path, size_bytes, sha256, content_type, dropped, created_at, expires_at)
       select a.id, $1, a.position, a.path, a."sizeBytes", a.sha256, a."contentType", a.dropped, $3, a."expiresAt"
       from json_to_recordset($2) as a(id uuid, position int, path text, "sizeBytes" bigint, sha256 text,
         "contentType" text, dropped text, "expiresAt" timestamptz)`,
      [taskId, JSON.stringify(artifacts), at.toISOString()],
    );
    return true;
  });

export const listArtifacts = (db: Queryable, taskId: string, now: Date, after: number, limit: number) =>
  rows<ArtifactRow>(
    db,
    'artifacts_list',
    `select ${columns} from artifacts a
     where a.task_id = $1 and a.expires_at > $2 and a.position > $3 order by a.position limit $4`,
    [taskId, now.toISOString(), after, limit],
  );

export const findArtifact = (db: Queryable, taskId: string, id: string, now: Date) =>
  row<ArtifactRow>(
    db,
    'artifacts_get',
    `select ${columns} from artifacts a where a.id = $2 and a.task_id = $1 and a.expires_at > $3`,
    [taskId, id, now.toISOString()],
  );

export const expiredArtifacts = async (db: Queryable, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'artifacts_expired',
      'select id from artifacts where expires_at <= $1 order by expires_at limit $2',
      [now.toISOString(), limit],
    )
  ).map(({ id }) => id);

export const forgetArtifacts = (db: Queryable, ids: string[]) =>
  rows(db, 'artifacts_forget', 'delete from artifacts where id = any($1::uuid[])', [ids]);

/** Ids of artifacts with content in ascending order, from one id to another (both included, null: no end). */
export const storedBetween = async (
  db: Queryable,
  range: { after: string; to: string | null; before: Date; limit: number },
): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'artifacts_between',
      `select id from artifacts
       where id > $1 and ($2::uuid is null or id <= $2) and dropped is null and created_at < $3
       order by id limit $4`,
      [range.after, range.to, range.before.toISOString(), range.limit],
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
  rows(db, 'artifacts_lost', `update artifacts set dropped = 'lost' where id = any($1::uuid[]) and dropped is null`, [
    ids,
  ]);
