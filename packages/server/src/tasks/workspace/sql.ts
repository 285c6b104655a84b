import type { TrustTier } from '@agora-market/contract';
import { waitingStatuses } from '@agora-market/contract';
import { defineFunction, type Queryable, row, rows, sqlList } from '../../platform/index.ts';
import type { SandboxRow, TaskRow } from '../sql.ts';
import type { MissingWork } from '../steps/states.ts';

/** The tier decides how many sandboxes an agent may have alive at once. */
export const trustTier = async (db: Queryable, agentId: string): Promise<TrustTier> => {
  const found = await row<{ tier: TrustTier }>(
    db,
    'sandboxes_agent_tier',
    'select trust_tier as tier from reputations where agent_id = $1',
    [agentId],
  );
  return found?.tier ?? 'unverified';
};

/** Which of some agents belong to the owner of one. */
export const agentsOfSameOwner = async (db: Queryable, agentId: string, among: string[]): Promise<Set<string>> => {
  const found = await rows<{ id: string }>(
    db,
    'sandboxes_agents_of_owner',
    `select a.id from agents a join agents own on own.owner_id = a.owner_id where own.id = $1 and a.id = any($2::uuid[])`,
    [agentId, among],
  );
  return new Set(found.map(({ id }) => id));
};

/** A sandbox to be stored; `workedAt` is set where it opens with work that was kept. */
export type NewSandbox = SandboxRow & { createdAt: string; workedAt: string | null };

/** SQL that is false if others have declared a process dead: nobody would ever end what it stores as its own. */
export const isHostAlive = (host: string) =>
  `not exists (select from hosts h where h.id = ${host} and h.ended_at is not null)`;

/** SQL of a sandbox that a process still has. */
const living = `status in ('provisioning', 'ready', 'draining')`;

/** Of whose owner it is the share. */
export type Party = 'buyer' | 'seller';

/** A sandbox that is to start: of which task and agent, as how many it counts, and the share of an owner. */
interface Sharing {
  task: Pick<TaskRow, 'id' | 'ownerId' | 'agentId'>;
  weight: number;
  share: number;
}

/**
 * Whose share it would exceed, on whatever servers the others are; a single one may be larger than the share. Those of a
 * server that ended count until it is found dead. To the end of the transaction no other starts for these owners.
 */
defineFunction(
  'sandboxes_over_share',
  `create or replace function sandboxes_over_share(p_task uuid, p_buyer uuid, p_seller uuid, p_weight int, p_share int)
returns text language plpgsql as $$
begin
  perform shares_lock('sandboxes', array[p_buyer, p_seller]);
  -- Without others the sum is null. Another of the same task is no matter of shares.
  return case
    when p_weight + (select sum(s.weight) from sandboxes s
      where s.buyer_id = p_buyer and s.${living} and s.task_id <> p_task) > p_share then 'buyer'
    when p_weight + (select sum(s.weight) from sandboxes s
      where s.seller_id = p_seller and s.${living} and s.task_id <> p_task) > p_share then 'seller'
  end;
end $$`,
);

export const overShare = async (db: Queryable, { task, weight, share }: Sharing): Promise<Party | null> =>
  (
    await row<{ over: Party | null }>(
      db,
      'sandboxes_over_share',
      'select sandboxes_over_share($1, $2, a.owner_id, $4, $5) as over from agents a where a.id = $3',
      [task.id, task.ownerId, task.agentId, weight, share],
    )
  )?.over ?? null;

/** What became of it: nothing is stored if it exceeds a share, or if others have declared its process dead. */
interface Inserted {
  over: Party | null;
  isMade: boolean;
}

/** Stores a sandbox in this status; `also` are further clauses, about the row in `made`. */
const insertSql = (status: 'provisioning' | 'ready', also = '') => `with shared as materialized (
    select a.owner_id as seller_id, sandboxes_over_share($2, $11, a.owner_id, $12, $13) as over from agents a where a.id = $3
  ), made as (
    insert into sandboxes (id, task_id, agent_id, host, status, expires_at, created_at, worked_at, layer, lacking,
      snapshot_at, buyer_id, seller_id, weight)
    select $1::uuid, $2::uuid, $3::uuid, $4::uuid, '${status}', $5::timestamptz, $6::timestamptz, $7::timestamptz, $8, $9::json,
      $10::timestamptz, $11::uuid, seller_id, $12::int
    from shared where over is null and ${isHostAlive('$4')}
    returning task_id
  )${also}
  select over, exists (select from made) as "isMade" from shared`;

const inserted = (sandbox: NewSandbox, { task, weight, share }: Sharing) => [
  sandbox.id,
  sandbox.taskId,
  sandbox.agentId,
  sandbox.host,
  sandbox.expiresAt,
  sandbox.createdAt,
  sandbox.workedAt,
  sandbox.layer,
  JSON.stringify(sandbox.lacking),
  sandbox.snapshotAt,
  task.ownerId,
  weight,
  share,
];

/** Records the intent to start a sandbox; fails on `sandboxes_one_live` where one lives already. */
export const insertSandbox = (db: Queryable, sandbox: NewSandbox, sharing: Sharing) =>
  row<Inserted>(db, 'sandboxes_insert', insertSql('provisioning'), inserted(sandbox, sharing));

/** Stores a warm sandbox and gives it to its task unless the task has started, in one statement. */
export const insertReadySandbox = (db: Queryable, sandbox: NewSandbox, sandboxId: string, sharing: Sharing) =>
  row<Inserted>(
    db,
    'sandboxes_insert_ready',
    insertSql(
      'ready',
      `, given as (
    update tasks set sandbox_id = $14 from made
    where tasks.id = made.task_id and tasks.agent_id = $3 and tasks.status in ${sqlList(waitingStatuses)}
  )`,
    ),
    [...inserted(sandbox, sharing), sandboxId],
  );

/** From here on the work in it counts as lost should the sandbox end by itself. */
export const markWorked = (db: Queryable, id: string, at: Date) =>
  rows(db, 'sandboxes_mark_worked', 'update sandboxes set worked_at = coalesce(worked_at, $2) where id = $1', [
    id,
    at.toISOString(),
  ]);

/** The work in it is stored as of then, or not at all. Nobody is told so of one that others have ended. */
export const markSnapshot = (db: Queryable, id: string, at: string | null) =>
  rows(
    db,
    'sandboxes_mark_snapshot',
    `update sandboxes set snapshot_at = $2 where id = $1 and status in ('provisioning', 'ready', 'draining')`,
    [id, at],
  );

/** Whether a process still has it. */
export const isLiving = ({ status }: Pick<SandboxRow, 'status'>): boolean =>
  status === 'provisioning' || status === 'ready' || status === 'draining';

/**
 * The last sandbox of a task's agent, the process and data directory that had it, and who serves that directory now.
 */
export interface Holder {
  status: SandboxRow['status'];
  snapshotAt: string | null;
  host: string;
  /** Null if the process is not known. */
  store: string | null;
  endedAt: string | null;
  livingId: string | null;
  address: string | null;
}

export const lastHolder = (db: Queryable, { id, agentId }: Pick<TaskRow, 'id' | 'agentId'>) =>
  row<Holder>(
    db,
    'sandboxes_last_holder',
    `select s.status, s.snapshot_at as "snapshotAt", s.host, h.store, h.ended_at as "endedAt", l.id as "livingId", l.address
     from sandboxes s left join hosts h on h.id = s.host left join hosts l on l.store = h.store and l.ended_at is null
     where s.task_id = $1 and s.agent_id = $2 and s.status <> 'failed' order by s.id desc limit 1`,
    [id, agentId],
  );

/** How a sandbox ends that its agent or its task did not end: with the work in it, if there is any. */
const byItself = `case when worked_at is null or status = 'draining' then 'destroyed' else 'lost' end`;

/** The status is `lost` only if there was work in it. */
export const setSandboxStatus = (db: Queryable, id: string, status: SandboxRow['status'], at: Date) =>
  rows(
    db,
    'sandboxes_set_status',
    `update sandboxes set status = case when $2 = 'lost' then ${byItself} else $2 end,
       ended_at = case when $2 in ('kept', 'lost', 'destroyed', 'failed') then $3::timestamptz else ended_at end
     where id = $1 and status not in ('destroyed', 'failed')`,
    [id, status, at.toISOString()],
  );

/** The agent gives its workspace up: a kept or lost one no longer blocks it. */
export const forgoWork = (db: Queryable, { id, agentId }: Pick<TaskRow, 'id' | 'agentId'>) =>
  rows(
    db,
    'sandboxes_forgo',
    `update sandboxes set status = 'destroyed' where task_id = $1 and agent_id = $2 and status in ('kept', 'lost')`,
    [id, agentId],
  );

/** SQL that says of a sandbox that it may still live in another process. */
const elsewhere = (host: string) => `s.${living} and s.host <> ${host}`;

/**
 * SQL for a task whose workspace is not here: what is missing. Null (nothing) if its agent never worked in its last
 * sandbox or ended that itself. `host` is the process that asks.
 */
export const missingWork = (taskId: string, agentId: string, host: string) => `(
  select case when ${elsewhere(host)} then 'work_elsewhere'
    when s.worked_at is null or s.status = 'destroyed' then null
    when s.status in ('kept', 'lost') then 'work_lost' else 'work_elsewhere' end
  from sandboxes s where s.task_id = ${taskId} and s.agent_id = ${agentId} and s.status <> 'failed'
  order by s.id desc limit 1)`;

/** What the last sandbox of a task's agent has left. */
export interface LastWork {
  missing: MissingWork | null;
  /**
   * Whether a file in our data directory is of that sandbox and not of an earlier one. Without a directory only the last
   * one's is stored.
   */
  isOurs: boolean;
  /** As of when its work was stored while it lived. */
  snapshotAt: string | null;
}

/** `store`: our data directory; null where there is none. */
export async function findMissingWork(
  db: Queryable,
  { id, agentId }: Pick<TaskRow, 'id' | 'agentId'>,
  { host, store }: { host: string; store: string | null },
): Promise<LastWork> {
  const found = await row<LastWork>(
    db,
    'sandboxes_missing_work',
    `select ${missingWork('$1::uuid', '$2::uuid', '$3::uuid')} as missing,
       coalesce($4::uuid is null or h.store = $4, true) as "isOurs", s.snapshot_at as "snapshotAt"
     from sandboxes s left join hosts h on h.id = s.host
     where s.task_id = $1 and s.agent_id = $2 and s.status <> 'failed' order by s.id desc limit 1`,
    [id, agentId, host, store],
  );
  return found ?? { missing: null, isOurs: true, snapshotAt: null };
}

/** Ends the rows of this process's sandboxes, which are gone when it stops. */
export const burySandboxes = (db: Queryable, host: string, at: Date) =>
  rows(
    db,
    'sandboxes_bury',
    `update sandboxes set status = ${byItself}, ended_at = $1
     where ${living} and host = $2`,
    [at.toISOString(), host],
  );

/** The same for those that processes held which have ended. */
export const buryOrphans = (db: Queryable, at: Date) =>
  rows(
    db,
    'sandboxes_bury_orphans',
    `update sandboxes s set status = ${byItself}, ended_at = $1
     where ${living}
       and not exists (select from hosts h where h.id = s.host and h.ended_at is null)`,
    [at.toISOString()],
  );

/** No start of a sandbox takes longer. */
const startingMs = 30_000;

/**
 * Ends the rows of a process whose sandboxes are gone, for example because the database was away when they ended. Young
 * rows are left: their task may have got the sandbox after the caller looked.
 */
export const buryLost = (db: Queryable, host: string, held: string[], now: Date) =>
  rows(
    db,
    'sandboxes_bury_lost',
    `update sandboxes set status = ${byItself}, ended_at = $4
     where ${living} and host = $1 and created_at < $3
       and task_id <> all ($2::uuid[])`,
    [host, held, new Date(now.getTime() - startingMs).toISOString(), now.toISOString()],
  );
