import { allRoles } from '../platform/index.ts';

/** SQL: below all ids (UUIDv7) that are made at a time or later. */
const firstIdAt = (at: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

/** A figure that a statement reads from the database: one row for each combination of labels, with a `value`. */
export interface Figure {
  name: string;
  help: string;
  labels?: readonly string[];
  /** It is kept over time, for plots: the sum of its values, or one of each value of its last label. */
  isKept?: true;
  sql: string;
}

/** Cheap enough for every scrape: each reads an index of what is still open. `$1` is the time. */
export const openWork: readonly Figure[] = [
  {
    name: 'agora_open_tasks',
    isKept: true,
    help: 'Tasks that have not ended, by status',
    labels: ['status'],
    sql: 'select status, count(*)::int as value from tasks where due_at is not null group by status',
  },
  {
    name: 'agora_overdue_tasks_seconds',
    isKept: true,
    help: 'How long the task has been due that has waited longest for the sweep',
    sql: 'select greatest(0, extract(epoch from $1::timestamptz - min(due_at)))::float8 as value from tasks where due_at is not null',
  },
  {
    name: 'agora_queued_tasks',
    isKept: true,
    help: 'Tasks that wait until an agent is free (waitMinutes)',
    sql: 'select count(*)::int as value from tasks where agent_id is null and due_at is not null and queue is not null',
  },
  {
    name: 'agora_queued_jobs',
    isKept: true,
    help: 'Jobs of the durable queue that wait or run, by kind',
    labels: ['kind'],
    sql: 'select kind, count(*)::int as value from queued_jobs where due_at is not null group by kind',
  },
  {
    name: 'agora_queued_jobs_late_seconds',
    isKept: true,
    help: 'How long the job of the durable queue has been due that has waited longest',
    sql: 'select greatest(0, extract(epoch from $1::timestamptz - min(due_at)))::float8 as value from queued_jobs where due_at is not null',
  },
  {
    name: 'agora_log_readers_behind_events',
    isKept: true,
    help: 'Events that a reader of the log has not read yet',
    labels: ['reader'],
    sql: `select name as reader, (greatest(0, (select max(seq) from events) - seq))::int as value from outbox_readers`,
  },
  {
    name: 'agora_sandboxes',
    isKept: true,
    help: 'Sandboxes that live, by server and status',
    labels: ['host', 'status'],
    sql: `select host, status, count(*)::int as value from sandboxes
          where status in ('provisioning', 'ready', 'draining') group by host, status`,
  },
  {
    name: 'agora_servers',
    help: 'Servers at work, by role',
    labels: ['role'],
    sql: `select role, count(h.id)::int as value from unnest(array[${allRoles.map((role) => `'${role}'`).join(', ')}]) role
          left join hosts h on h.ended_at is null and role = any(h.roles) group by role`,
  },
  {
    name: 'agora_sandbox_room',
    help: 'Sandboxes of tasks for which a server has room, by server',
    labels: ['host'],
    sql: `select id as host, room as value from hosts where ended_at is null and 'sandboxes' = any(roles)`,
  },
  {
    name: 'agora_pending_approvals',
    help: 'Submissions that wait for the approval of an owner',
    sql: `select count(*)::int as value from approvals where status = 'pending'`,
  },
  {
    name: 'agora_jobs_given_up',
    help: 'Jobs of the durable queue that failed for good and wait for the operator, by kind',
    labels: ['kind'],
    sql: 'select kind, count(*)::int as value from queued_jobs where due_at is null group by kind',
  },
];

/** Reads whole tables, and so once a minute at most. */
export const wholeTables: readonly Figure[] = [
  {
    name: 'agora_ledger_cents',
    help: 'Sum of the balances of owners and agents, by kind of account, in cents',
    labels: ['kind'],
    sql: 'select kind, sum(balance)::float8 as value from ledger_accounts group by kind',
  },
  {
    name: 'agora_ledger_held_difference_cents',
    help: 'Credits that are held less the budgets of open tasks, in cents; anything but 0 is a fault',
    sql: `select ((select coalesce(sum(balance), 0) from ledger_accounts where kind = 'pool_held')
            - (select coalesce(sum(max_budget), 0) from tasks where due_at is not null))::float8 as value`,
  },
  {
    name: 'agora_ended_tasks',
    isKept: true,
    help: 'Tasks of agents that have ended since the beginning, by outcome',
    labels: ['outcome'],
    sql: `select x.outcome, x.value::float8 from (
            select coalesce(sum(completed), 0) as completed, coalesce(sum(failed), 0) as failed, coalesce(sum(refunded), 0) as refunded
            from reputations) r
          cross join lateral (values ('completed', r.completed), ('failed', r.failed), ('refunded', r.refunded)) x(outcome, value)`,
  },
  {
    name: 'agora_paid_cents',
    isKept: true,
    help: 'Cents that cards have paid in and banks were paid since the beginning, by direction',
    labels: ['direction'],
    sql: `select 'in' as direction, coalesce(sum(amount), 0)::float8 as value from top_ups where status = 'succeeded'
          union all select 'out', coalesce(sum(amount), 0)::float8 from withdrawals where status = 'paid'`,
  },
  {
    name: 'agora_gate_duration_seconds',
    isKept: true,
    help: 'Mean time from a delivery to its verdict, of the newest verdicts within 15 minutes; 0 without any',
    sql: `select avg(extract(epoch from a.created_at - d.at))::float8 as value from (
            select task_id, created_at from assessments where id >= ${firstIdAt(`$1::timestamptz - interval '15 minutes'`)} and purpose = 'gate'
            order by id desc limit 500) a
          cross join lateral (select at from events where task_id = a.task_id and type = 'task.delivered' order by seq desc limit 1) d`,
  },
  {
    name: 'agora_reconciliation_findings',
    help: 'Differences to the processor that nobody has cleared',
    sql: `select count(*)::int as value from reconciliation_findings where status = 'open'`,
  },
  {
    name: 'agora_open_disputes',
    help: 'Disputes without a ruling',
    sql: `select count(*)::int as value from disputes where status <> 'resolved'`,
  },
];
