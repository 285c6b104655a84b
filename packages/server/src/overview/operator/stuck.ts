import { type Operations, type ReplyOf, type StuckKind, stuckKinds, toId } from '@agora-market/contract';
import { allRoles, firstIdAt, type Jobs, minuteMs, type Pool, rows } from '../../platform/index.ts';

/** Work that does not go on: what each kind is, what to do, and how it is found. Every statement reads an index of what is open. */

type Group = ReplyOf<Operations['operator.stuck']>['data'][number];

interface Found {
  since: string | null;
  subject: string | null;
  detail: string | null;
  taskId: string | null;
  agentId: string | null;
  ownerId: string | null;
}

interface Kind {
  why: string;
  advice: string;
  /**
   * Selects `since`, `subject`, `detail`, `task_id`, `agent_id` and `owner_id`. `$1` is the time, `$2` above all ids that are older than
   * fifteen minutes. Without it: what this process knows of its timed jobs.
   */
  sql?: string;
}

/** No more are counted. */
const countedAtMost = 1_000;

const open = 't.due_at is not null';
const ofTask = 'null as subject, t.id as task_id, t.agent_id, t.owner_id';
const ofNobody = 'null::uuid as task_id, null::uuid as agent_id, null::uuid as owner_id';
/** The job that ends them all runs each second. */
const overdueMs = minuteMs;
const behindMs = 5 * minuteMs;

const kinds: Record<StuckKind, Kind> = {
  role_missing: {
    why: 'No server at work has this role, so what it does waits.',
    advice: 'Start a server with the role in ROLES, or give it to another.',
    sql: `select null::timestamptz as since, role as subject, null as detail, ${ofNobody}
      from unnest(array[${allRoles.map((role) => `'${role}'`).join(', ')}]) role
      where not exists (select from hosts where ended_at is null and role = any(roles))`,
  },
  task_overdue: {
    why: 'The time of the task is over, and nobody has ended it or gave it to another agent.',
    advice:
      'The job tasks.expireOverdue does that each second. See under late timed jobs and in the log why it does not run. A restart is safe.',
    sql: `select t.due_at as since, t.status::text as detail, ${ofTask} from tasks t
      where t.due_at < $1::timestamptz - interval '${overdueMs} ms' and t.status <> 'quality_check'`,
  },
  sandbox_lost: {
    why: 'The server that holds the sandbox has ended, and its sandbox still counts as live.',
    advice:
      'Another server takes over within a minute, where the agent goes on from the last snapshot. If it does not, look at the log of the servers that have the role sandboxes.',
    sql: `select coalesce(h.ended_at, s.created_at) as since, s.host::text as detail, ${ofTask}
      from sandboxes s left join hosts h on h.id = s.host cross join lateral (select * from tasks where id = s.task_id limit 1) t
      where s.status in ('provisioning', 'ready', 'draining') and (h.id is null or h.ended_at is not null)`,
  },
  gate_slow: {
    why: 'A delivery waits for its verdict for more than ten minutes.',
    advice:
      'Look for errors of the gate in the log, at the room for sandboxes and at the CPU of servers with the role gate. A gate that was begun often fails each time.',
    sql: `select d.at as since, 'gate begun ' || t.attempts || ' times' as detail, ${ofTask} from tasks t
      cross join lateral (select at from events where task_id = t.id and type = 'task.delivered' order by seq desc limit 1) d
      where ${open} and t.status = 'quality_check' and t.assessment_id is null and d.at < $1::timestamptz - interval '10 min'`,
  },
  job_given_up: {
    why: 'A job of the durable queue failed as often as it may and is not tried again.',
    advice:
      'Mend the cause that is named, and let the jobs of the kind run again (POST /operator/jobs/retry, `agora retry-jobs`). They are safe to repeat.',
    sql: `select created_at as since, kind as subject, left(error, 300) as detail, ${ofNobody}
      from queued_jobs where due_at is null`,
  },
  job_late: {
    why: 'A job of the durable queue is due for more than five minutes, and no server has begun it.',
    advice: 'Servers with the role of the job are missing, or busy with others of its kind. Look at their logs.',
    sql: `select due_at as since, kind as subject, null as detail, ${ofNobody}
      from queued_jobs where due_at < $1::timestamptz - interval '${behindMs} ms'`,
  },
  timed_job_late: {
    why: 'A timed job of the server that you ask begins more than a minute late.',
    advice: 'It takes longer than its pause, or the event loop is busy. See its duration in the metrics.',
  },
  reader_behind: {
    why: 'A reader of the event log has not read what happened more than five minutes ago: what it makes of it is late.',
    advice: 'A transaction that stays open holds readers back. Look for old ones in pg_stat_activity.',
    sql: `select e.at as since, r.name as subject, null as detail, ${ofNobody} from outbox_readers r
      cross join lateral (select at from events where seq > r.seq order by seq limit 1) e
      where e.at < $1::timestamptz - interval '${behindMs} ms'`,
  },
  payment_unsettled: {
    why: 'The processor has not said for more than an hour what became of a payment.',
    advice: 'Look for the payment at the processor, and run the reconciliation. The money is set apart until then.',
    sql: `select created_at as since, null as subject, 'withdrawal of ' || amount || ' cents' as detail, null::uuid as task_id, agent_id, owner_id
      from withdrawals where due_at is not null and status = 'pending' and created_at < $1::timestamptz - interval '1 hour'
      union all
      select created_at, null, 'top-up of ' || amount || ' cents', null, null, owner_id
      from top_ups where status = 'pending' and created_at < $1::timestamptz - interval '1 hour'`,
  },
  task_silent: {
    why: 'The agent works on the task, and has neither asked for tasks nor told of this one for half an hour.',
    advice:
      'Its deadline ends the task by itself, and nothing is charged. Several of one agent: its program is down, so tell its owner.',
    sql: `select coalesce(s.last_seen_at, t.started_at) as since, 'deadline ' || to_char(t.deadline at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC' as detail, ${ofTask}
      from tasks t cross join lateral (select last_seen_at from agent_stats where agent_id = t.agent_id limit 1) s
      where ${open} and t.status = 'executing' and t.waiting_until is null and t.started_at < $1::timestamptz - interval '30 min'
        and coalesce(s.last_seen_at, t.started_at) < $1::timestamptz - interval '30 min'
        and (select at from events where task_id = t.id order by seq desc limit 1) < $1::timestamptz - interval '30 min'`,
  },
  task_without_agent: {
    why: 'The task waits in the queue for more than fifteen minutes: no agent that could take it is free.',
    advice:
      'Agents of this type are missing or busy. The task ends by itself, uncharged, when its time to wait is over.',
    sql: `select t.created_at as since, t.task_type as detail, ${ofTask} from tasks t
      where t.agent_id is null and ${open} and t.queue is not null and t.id < $2::uuid`,
  },
  webhook_failing: {
    why: 'A webhook has answered with nothing but failures for more than an hour.',
    advice: 'Its owner is told when it is disabled, after five days. Many at once: look at what leaves your network.',
    sql: `select failing_since as since, null as subject, waiting || ' messages wait' as detail, null::uuid as task_id, agent_id, owner_id
      from webhooks where failing_since < $1::timestamptz - interval '1 hour' and enabled`,
  },
};

interface StuckDeps {
  pool: Pool;
  /** Those of this process, if it is a server. */
  jobs?: Pick<Jobs, 'states'>;
}

const without = { detail: null, taskId: null, agentId: null, ownerId: null };

const lateJobs = ({ jobs }: StuckDeps, now: Date): Found[] =>
  (jobs?.states() ?? [])
    .filter(({ lagMs }) => lagMs > minuteMs)
    .map(({ name, lagMs }) => ({ ...without, since: new Date(now.getTime() - lagMs).toISOString(), subject: name }));

const itemOf = ({ since, subject, detail, taskId, agentId, ownerId }: Found): Group['items'][number] => ({
  since,
  subject,
  detail,
  taskId: taskId && toId('task', taskId),
  agentId: agentId && toId('agent', agentId),
  ownerId: ownerId && toId('owner', ownerId),
});

async function find(deps: StuckDeps, kind: StuckKind, now: Date, limit: number): Promise<Group> {
  const { why, advice, sql } = kinds[kind];
  const group = { kind, why, advice };
  if (sql === undefined) {
    const found = lateJobs(deps, now);
    return { ...group, count: found.length, items: found.slice(0, limit).map(itemOf) };
  }
  const found = await rows<Found & { count: number }>(
    deps.pool,
    `operator_stuck_${kind}`,
    `select since, subject, detail, task_id as "taskId", agent_id as "agentId", owner_id as "ownerId", count(*) over ()::int as count
     from (select * from (${sql}) x where $1::timestamptz is not null and $2::uuid is not null
       order by since nulls first limit ${countedAtMost}) y order by since nulls first limit $3`,
    [now.toISOString(), firstIdAt(new Date(now.getTime() - 15 * minuteMs)), limit],
  );
  return { ...group, count: found[0]?.count ?? 0, items: found.map(itemOf) };
}

/** One after the other: a page that stays open takes one connection of the pool. */
export async function readStuck(deps: StuckDeps, now: Date, pageSize: number) {
  const data: Group[] = [];
  for (const kind of stuckKinds) {
    const group = await find(deps, kind, now, pageSize);
    if (group.count > 0) data.push(group);
  }
  return { at: now.toISOString(), data };
}
