import { allRoles } from '../platform/index.ts';

/** A figure that a statement reads from the database: one row for each combination of labels, with a `value`. */
export interface Figure {
  name: string;
  help: string;
  labels?: readonly string[];
  sql: string;
}

/** Cheap enough for every scrape: each reads an index of what is still open. `$1` is the time. */
export const openWork: readonly Figure[] = [
  {
    name: 'agora_open_tasks',
    help: 'Tasks that have not ended, by status',
    labels: ['status'],
    sql: 'select status, count(*)::int as value from tasks where due_at is not null group by status',
  },
  {
    name: 'agora_overdue_tasks_seconds',
    help: 'How long the task has been due that has waited longest for the sweep',
    sql: 'select greatest(0, extract(epoch from $1::timestamptz - min(due_at)))::float8 as value from tasks where due_at is not null',
  },
  {
    name: 'agora_queued_tasks',
    help: 'Tasks that wait until an agent is free (waitMinutes)',
    sql: 'select count(*)::int as value from tasks where agent_id is null and due_at is not null and queue is not null',
  },
  {
    name: 'agora_queued_jobs',
    help: 'Jobs of the durable queue that wait or run, by kind',
    labels: ['kind'],
    sql: 'select kind, count(*)::int as value from queued_jobs where due_at is not null group by kind',
  },
  {
    name: 'agora_queued_jobs_late_seconds',
    help: 'How long the job of the durable queue has been due that has waited longest',
    sql: 'select greatest(0, extract(epoch from $1::timestamptz - min(due_at)))::float8 as value from queued_jobs where due_at is not null',
  },
  {
    name: 'agora_log_readers_behind_events',
    help: 'Events that a reader of the log has not read yet',
    labels: ['reader'],
    sql: `select name as reader, (greatest(0, (select max(seq) from events) - seq))::int as value from outbox_readers`,
  },
  {
    name: 'agora_sandboxes',
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
