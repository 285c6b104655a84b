import type { Criterion } from '../../gate/index.ts';
import { changedRows, type Queryable, row, rows } from '../../platform/index.ts';
import type { Place, Spot, Told } from '../forge.ts';

export interface IntakeRow extends Place {
  id: string;
  ownerId: string;
  /** Its full name at the forge. */
  repository: string;
  secret: Buffer;
  maxBudget: number;
  dailyBudget: number;
  /** Null for any agent. */
  agents: string[] | null;
  createdAt: string;
}

const columns = `id, owner_id as "ownerId", forge, base_url as "baseUrl", repository, secret, max_budget_cents as "maxBudget",
  daily_budget_cents as "dailyBudget", agents, created_at as "createdAt"`;

export const findIntake = (db: Queryable, id: string) =>
  row<IntakeRow>(db, 'intakes_get', `select ${columns} from intakes where id = $1`, [id]);

/** The intake of a repository, of the owner that has connected the installation of the App. */
export const findIntakeOfInstallation = (db: Queryable, installationId: number, repository: string) =>
  row<IntakeRow>(
    db,
    'intakes_of_installation',
    `select ${columns} from intakes where forge = 'github' and lower(repository) = lower($2) and owner_id =
       (select owner_id from forge_connections where installation_id = $1 and forge = 'github')`,
    [installationId, repository],
  );

export const listIntakes = (db: Queryable, ownerId: string, before: string | null, limit: number) =>
  rows<IntakeRow>(
    db,
    'intakes_list',
    `select ${columns} from intakes where owner_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [ownerId, before, limit],
  );

export const countIntakes = async (db: Queryable, ownerId: string): Promise<number> =>
  (
    await row<{ count: number }>(db, 'intakes_count', 'select count(*) as count from intakes where owner_id = $1', [
      ownerId,
    ])
  )?.count ?? 0;

/** Makes an intake, or gives the one of the repository new budgets and agents; its secret stays. */
export const storeIntake = (db: Queryable, intake: IntakeRow) =>
  row<IntakeRow>(
    db,
    'intakes_store',
    `insert into intakes (id, owner_id, repository, secret, max_budget_cents, daily_budget_cents, agents, created_at,
       forge, base_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (owner_id, forge, base_url, lower(repository)) do update set repository = excluded.repository,
       max_budget_cents = excluded.max_budget_cents, daily_budget_cents = excluded.daily_budget_cents,
       agents = excluded.agents
     returning ${columns}`,
    [
      ...[intake.id, intake.ownerId, intake.repository, intake.secret, intake.maxBudget, intake.dailyBudget],
      ...[intake.agents, intake.createdAt, intake.forge, intake.baseUrl],
    ],
  );

export const deleteIntake = (db: Queryable, ownerId: string, id: string) =>
  row<{ repository: string }>(
    db,
    'intakes_delete',
    'delete from intakes where owner_id = $1 and id = $2 returning repository',
    [ownerId, id],
  );

export const deleteIntakes = (db: Queryable, ownerId: string) =>
  rows(db, 'intakes_delete_all', 'delete from intakes where owner_id = $1', [ownerId]);

/** What somebody asked for at an issue or a pull request. */
export interface RequestRow extends Spot {
  id: string;
  intakeId: string;
  /** Null for a label. */
  comment: Told['comment'];
  status: 'new' | 'ignored' | 'refused' | 'open' | 'ended';
  /** Why it was refused. */
  told: string | null;
  taskId: string | null;
  /** Of the day's budget, what is kept for it in cents; null until it is opened. */
  budget: number | null;
  createdAt: string;
}

const requestColumns = `id, intake_id as "intakeId", issue as number, is_pull as "isPull", case when comment_id is not null then json_build_object('id', comment_id, 'kind', comment_kind) end as comment, status, told,
  task_id as "taskId", budget_cents as budget, created_at as "createdAt"`;

/** Requests of an intake that may wait; anybody who may comment can make some. */
const mostWaiting = 100;

/** False where the delivery, or its comment, came before, or too many wait. */
export const insertRequest = async (
  db: Queryable,
  request: Pick<RequestRow, 'id' | 'intakeId' | keyof Spot | 'comment'> & { deliveryId: string; at: Date },
): Promise<boolean> =>
  (await changedRows(
    db,
    'intake_requests_insert',
    `insert into intake_requests (id, intake_id, delivery_id, issue, comment_id, created_at, is_pull, comment_kind)
     select $1, $2, $3, $4, $5, $6, $7, $8
     where (select count(*) from intake_requests where intake_id = $2 and status = 'new') < ${mostWaiting}
     on conflict do nothing`,
    [
      ...[request.id, request.intakeId, request.deliveryId, request.number, request.comment?.id ?? null],
      ...[request.at.toISOString(), request.isPull, request.comment?.kind ?? 'comment'],
    ],
  )) === 1;

export const findRequest = (db: Queryable, id: string) =>
  row<RequestRow>(db, 'intake_requests_get', `select ${requestColumns} from intake_requests where id = $1`, [id]);

/**
 * Notes which time of putting the label asked for it; false where another request has that one. A forge tells of a label as
 * often as anything changes while it is there.
 */
export const noteLabelling = async (db: Queryable, { id, intakeId }: RequestRow, labelling: number): Promise<boolean> =>
  (await changedRows(
    db,
    'intake_requests_labelling',
    `update intake_requests set labelling_id = $3 where id = $1 and not exists
       (select from intake_requests other where other.intake_id = $2 and other.labelling_id = $3 and other.id <> $1)`,
    [id, intakeId, labelling],
  )) === 1;

/** Keeps others from opening a request of the intake until the transaction ends. */
export const lockIntake = (tx: Queryable, id: string) =>
  row(tx, 'intakes_lock', 'select 1 from intakes where id = $1 for update', [id]);

export const isUnderWay = async (tx: Queryable, { intakeId, number, isPull }: RequestRow): Promise<boolean> =>
  (await row(
    tx,
    'intake_requests_under_way',
    `select 1 from intake_requests where intake_id = $1 and issue = $2 and is_pull = $3 and status = 'open'`,
    [intakeId, number, isPull],
  )) !== null;

/** What the requests of the intake that were opened since then cost; what is open counts with its budget. */
export const spentSince = async (tx: Queryable, intakeId: string, since: Date): Promise<number> =>
  (
    await row<{ spent: number }>(
      tx,
      'intake_requests_spent',
      `select coalesce(sum(case when r.status = 'open' then r.budget_cents else t.credits_charged end), 0)::bigint as spent
       from intake_requests r left join tasks t on t.id = r.task_id
       where r.intake_id = $1 and r.opened_at >= $2 and r.status in ('open', 'ended')`,
      [intakeId, since.toISOString()],
    )
  )?.spent ?? 0;

export const openRequest = (tx: Queryable, id: string, budget: number, at: Date) =>
  changedRows(
    tx,
    'intake_requests_open',
    `update intake_requests set status = 'open', budget_cents = $2, opened_at = $3 where id = $1 and status = 'new'`,
    [id, budget, at.toISOString()],
  );

/** Ends a request that has no task. */
export const closeRequest = (
  tx: Queryable,
  id: string,
  { status, told }: { status: 'ignored' | 'refused'; told: string | null },
) =>
  changedRows(
    tx,
    'intake_requests_close',
    `update intake_requests set status = $2, told = $3 where id = $1 and status in ('new', 'open') and task_id is null`,
    [id, status, told],
  );

export const storeTask = (tx: Queryable, id: string, taskId: string) =>
  changedRows(
    tx,
    'intake_requests_task',
    `update intake_requests set task_id = $2 where id = $1 and status = 'open' and task_id is null`,
    [id, taskId],
  );

/** Open requests whose task is over, and whose pull request is there or never will be. */
const over = `intake_requests r join tasks t on t.id = r.task_id
  where r.status = 'open' and (t.status in ('failed', 'refunded')
    or t.status = 'completed' and exists (select from pull_requests p where p.task_id = t.id and p.due_at is null))`;

export const anyOver = `exists (select from ${over})`;

export const endRequests = (tx: Queryable, limit: number) =>
  rows<{ id: string }>(
    tx,
    'intake_requests_end',
    `update intake_requests set status = 'ended' where id in (
       select r.id from ${over}
       limit $1 for update of r skip locked)
     returning id`,
    [limit],
  );

/** Deletes requests older than `before` which are over, and those open since before `stuckBefore` that have no task. */
export const deleteRequests = (tx: Queryable, before: Date, stuckBefore: Date, limit: number) =>
  changedRows(
    tx,
    'intake_requests_delete',
    `delete from intake_requests where id in (select id from intake_requests
       where created_at < $1 and status <> 'open' or created_at < $2 and status = 'open' and task_id is null
       limit $3 for update skip locked)`,
    [before.toISOString(), stuckBefore.toISOString(), limit],
  );

export interface PullEndRow {
  status: 'opened' | 'failed';
  url: string | null;
  reason: string | null;
  said: string | null;
  /** The commit that was made for it; null where that is not known. */
  commit: string | null;
}

export const pullEnd = (db: Queryable, taskId: string) =>
  row<PullEndRow>(
    db,
    'intake_pull_end',
    'select status, url, reason, said, commit_id as commit from pull_requests where task_id = $1 and due_at is null',
    [taskId],
  );

/** What the gate has found of the delivery that passed. */
export const passedCriteria = async (db: Queryable, taskId: string): Promise<Criterion[] | null> =>
  (
    await row<{ criteria: Criterion[] }>(
      db,
      'intake_passed_criteria',
      'select criteria from assessments where task_id = $1 and passed order by id desc limit 1',
      [taskId],
    )
  )?.criteria ?? null;
