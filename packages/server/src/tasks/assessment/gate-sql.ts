import { judgingStatuses } from '@agora-market/contract';
import { defineLeasedShare, type Queryable, rows, sqlList } from '../../platform/index.ts';
import { columns, type TaskRow } from '../sql.ts';

/** Which process runs a task's gate. A delivery without a data directory is in the bucket, and any process can. */

/** What waits for its gate. A shortlisted delivery has its verdict. */
const judging = (task: string) => `${task}.status in ${sqlList(judgingStatuses)} and ${task}.assessment_id is null`;

/** A task whose gate is to be run; the bytes of the workspace that was delivered with it, or null if none was. */
export type DueGate = TaskRow & { workspaceBytes: number | null };

/**
 * Gates that were leased and have not answered, on whatever server. Those of a server that ended are due again. What a judge
 * took itself, with its first attempt, waits there for its turn, and must not keep what is due from ever getting one.
 */
const gates = defineLeasedShare('tasks_gates_leased', {
  table: 'tasks',
  isHeld: (task, now) =>
    `${task}.gate_host is not null and ${task}.attempts > 1 and ${judging(task)} and ${task}.due_at > ${now}`,
});

/**
 * Leases tasks whose gate has not answered, until each buyer's owner has its share of leases. Only one process runs it again,
 * and only one that reaches the delivered workspace.
 */
export const leaseGateRuns = (
  db: Queryable,
  { now, leaseUntil, most, share }: { now: Date; leaseUntil: Date; most: number; share: number },
  { host, store }: { host: string; store: string },
) =>
  rows<DueGate>(
    db,
    'tasks_lease_gate',
    `with due as materialized (
       select x.id, x.owner_id, x.due_at as at from tasks x where ${judging('x')} and x.due_at <= $1
         and not exists (select from deliveries d where d.task_id = x.id and d.store <> $5)
         and x.owner_id not in (${gates.full('$6', '$1')})
       order by x.due_at limit $3 for update skip locked
     ), taken as materialized (${gates.within('due', '$6', '$1')})
     update tasks t set due_at = $2, attempts = t.attempts + 1, gate_host = $4
     where t.id in (select id from taken)
     returning ${columns}, (select d.size_bytes from deliveries d where d.task_id = t.id) as "workspaceBytes"`,
    [now.toISOString(), leaseUntil.toISOString(), most, host, store, share],
  );

/**
 * Makes gates due that one process leased until `leasedUntil` at the latest and does not run. The answer to a lease is lost
 * if the database goes down at that moment, and so is the answer to a delivery.
 */
export const reviveLostGates = (
  db: Queryable,
  { now, leasedUntil, host, running }: { now: Date; leasedUntil: Date; host: string; running: string[] },
) =>
  rows(
    db,
    'tasks_revive_lost_gates',
    `update tasks set due_at = $1 where id in (
       select t.id from tasks t where t.due_at > $1 and t.due_at <= $2 and ${judging('t')} and t.gate_host = $3
         and not t.id = any($4::uuid[])
       order by t.id for update skip locked
     )`,
    [now.toISOString(), leasedUntil.toISOString(), host, running],
  );

/**
 * Tasks to assess whose workspace is on the disk of a server that has been gone since a given time or longer. The gate
 * itself looks for workspaces on our own disk.
 */
export const unreachableDeliveries = async (
  db: Queryable,
  { store, now, goneSince }: { store: string; now: Date; goneSince: Date },
  limit: number,
): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'deliveries_unreachable',
      `select t.id from tasks t join deliveries d on d.task_id = t.id
       where ${judging('t')} and t.due_at <= $1 and d.store <> $2
         and not exists (select from hosts h where h.store = d.store and (h.ended_at is null or h.ended_at > $3))
       limit $4`,
      [now.toISOString(), store, goneSince.toISOString(), limit],
    )
  ).map(({ id }) => id);

/** The workspaces have gone with the inputs of their tasks. A row that names an object goes with it. */
export const forgetDeliveries = (db: Queryable, taskIds: string[]) =>
  rows(db, 'deliveries_forget', 'delete from deliveries where task_id = any($1::uuid[]) and object_id is null', [
    taskIds,
  ]);

/** A gate run failed for a reason of ours: it is due again after 5 s, and after twice as long each time, up to 10 min. */
export const rescheduleGate = (db: Queryable, id: string, now: Date) =>
  rows(
    db,
    'tasks_reschedule_gate',
    `update tasks t set gate_host = null,
       due_at = $2::timestamptz + least(600, 5 * power(2, least(attempts, 10) - 1)) * interval '1 s'
     where t.id = $1 and ${judging('t')}`,
    [id, now.toISOString()],
  );
