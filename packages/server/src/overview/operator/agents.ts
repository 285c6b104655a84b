import { type Operations, type TaskVerb, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import {
  type Call,
  decodeCursor,
  encodeCursor,
  invalidField,
  type Pool,
  pageOf,
  type Queryable,
  row,
  rows,
} from '../../platform/index.ts';
import { requireNamedAgent } from '../../registry/index.ts';
import { failureOf } from '../../tasks/index.ts';
import { type EventRow, eventColumns, eventView } from './events.ts';

/** What the operator sees of agents. */

interface OperatorAgentRow {
  id: string;
  ownerId: string;
  displayName: string;
  status: 'active' | 'deactivated' | 'suspended';
  availability: 'available' | 'busy' | 'offline';
  trustTier: 'unverified' | 'provisional' | 'established' | 'trusted' | 'elite';
  overallScore: number;
  confidence: number;
  completedTasks: number;
  failedTasks: number;
  refundedTasks: number;
  consecutiveFailures: number;
  openTasks: number;
  lastSeenAt: string | null;
  createdAt: string;
}

const columns = `a.id, a.owner_id as "ownerId", a.display_name as "displayName", a.status, a.availability,
  r.trust_tier as "trustTier", r.overall_score as "overallScore", r.confidence, r.completed as "completedTasks",
  r.failed as "failedTasks", r.refunded as "refundedTasks", r.failures_in_a_row as "consecutiveFailures",
  s.open_tasks as "openTasks", s.last_seen_at as "lastSeenAt", a.created_at as "createdAt"`;
const joined = `cross join lateral (select * from agents where id = f.id limit 1) a
  cross join lateral (select * from agent_stats where agent_id = f.id limit 1) s
  cross join lateral (select * from reputations where agent_id = f.id limit 1) r`;

/** Agents that one page looks through at most, whatever its filters. */
const lookedThrough = 5_000;

/** Each way to search is a statement of its own, so that each takes its index. */
const searches = {
  all: 'select id from agents where $2::text is null and ($1::uuid is null or id < $1)',
  owner: 'select id from agents where owner_id = $2::uuid and ($1::uuid is null or id < $1)',
  id: 'select id from agents where id = $2::uuid and ($1::uuid is null or id < $1)',
  text: 'select agent_id as id from agent_texts where names like search_part($2) and ($1::uuid is null or agent_id < $1)',
} as const;

interface Search {
  by: keyof typeof searches;
  /** What it takes besides the last agent before. */
  what: string | null;
}

function searchOf({ q, ownerId }: Call<Operations['operator.agents']>['query']): Search {
  const id = q === undefined ? null : toUuid('agent', q);
  if (id !== null) return { by: 'id', what: id };
  if (q !== undefined && !/[\p{L}\p{N}]{3}/u.test(q))
    throw invalidField('q', 'must be an id (agt_…), or have three letters or digits in a row');
  if (q !== undefined) return { by: 'text', what: q };
  return ownerId === undefined ? { by: 'all', what: null } : { by: 'owner', what: toUuid('owner', ownerId) };
}

const looked = ({ by }: Search) => `${searches[by]} order by id desc limit ${lookedThrough}`;

export async function listAgents(pool: Pool, { query }: Call<Operations['operator.agents']>) {
  const { pageSize, cursor, status, ownerId } = query;
  const search = searchOf(query);
  const before = decodeCursor(cursor, z.uuid());
  const owner = ownerId === undefined ? null : toUuid('owner', ownerId);
  const found = await rows<OperatorAgentRow>(
    pool,
    `operator_agents_${search.by}`,
    `select ${columns} from (${looked(search)}) f ${joined}
     where ($3::text is null or a.status = $3) and ($4::uuid is null or a.owner_id = $4) order by f.id desc limit $5`,
    [before, search.what, status ?? null, owner, pageSize + 1],
  );
  const page = pageOf(found, pageSize, ({ id }) => id, agentView);
  if (found.length > pageSize) return page;
  const last = await row<{ id: string }>(
    pool,
    `operator_agents_looked_${search.by}`,
    `select id from (${looked(search)}) f offset ${lookedThrough - 1}`,
    [before, search.what],
  );
  return { ...page, pagination: { pageSize, nextCursor: last === null ? null : encodeCursor(last.id) } };
}

const agentView = (agent: OperatorAgentRow) => ({
  ...agent,
  id: toId('agent', agent.id),
  ownerId: toId('owner', agent.ownerId),
});

interface Money {
  available: number;
  allocated: number;
  escrowed: number;
  flagReason: string | null;
  flaggedAt: string | null;
}

const ofKind = (...kinds: string[]) =>
  `coalesce(sum(balance) filter (where kind in (${kinds.map((kind) => `'${kind}'`).join(', ')})), 0)::bigint`;

const readMoney = (db: Queryable, agentId: string) =>
  row<Money>(
    db,
    'operator_agent_money',
    `select m.*, w.reason as "flagReason", w.found_at as "flaggedAt" from (
       select ${ofKind('wallet_available', 'wallet_allocated')} as available, ${ofKind('wallet_allocated')} as allocated,
         ${ofKind('wallet_escrowed')} as escrowed from ledger_accounts where holder = $1
     ) m left join wallet_flags w on w.agent_id = $1 and w.cleared_at is null`,
    [agentId],
  );

const listFailures = (db: Queryable, agentId: string) =>
  rows<{ taskId: string; failedBy: TaskVerb | null; at: string }>(
    db,
    'operator_agent_failures',
    `select id as "taskId", failed_by as "failedBy", finished_at as at from (
       select id, status, failed_by, finished_at from tasks where agent_id = $1 order by id desc limit 500
     ) t where status = 'failed' order by id desc limit 10`,
    [agentId],
  );

interface WebhookRow {
  id: string;
  enabled: boolean;
  waiting: number;
  failures: number;
  failingSince: string | null;
}

const listWebhooks = (db: Queryable, agentId: string) =>
  rows<WebhookRow>(
    db,
    'operator_agent_webhooks',
    `select id, enabled, waiting, failures, failing_since as "failingSince" from webhooks
     where coalesce(about, agent_id, owner_id) = $1 order by id limit 100`,
    [agentId],
  );

/** An event of an account names its agent; none is looked for further back than this. */
const eventsLookedThrough = 2_000;

const listEvents = (db: Queryable, ownerId: string, agentId: string) =>
  rows<EventRow>(
    db,
    'operator_agent_events',
    `select ${eventColumns} from (
       select * from events where owner_id = $1 and task_id is null order by seq desc limit ${eventsLookedThrough}
     ) e where agent_id = $2 order by seq desc limit 30`,
    [ownerId, agentId],
  );

/** One after the other: a page that stays open takes one connection of the pool. */
export async function readAgent(pool: Pool, { params }: Call<Operations['operator.agent']>) {
  const agent = await requireNamedAgent(pool, params.agentId);
  const [found] = await rows<OperatorAgentRow>(
    pool,
    'operator_agent',
    `select ${columns} from (select $1::uuid as id) f ${joined}`,
    [agent.id],
  );
  const money = await readMoney(pool, agent.id);
  const failures = await listFailures(pool, agent.id);
  const webhooks = await listWebhooks(pool, agent.id);
  const events = await listEvents(pool, agent.ownerId, agent.id);
  const { available = 0, allocated = 0, escrowed = 0, flagReason = null, flaggedAt = null } = money ?? {};
  return {
    ...agentView(found as OperatorAgentRow),
    framework: agent.framework,
    model: agent.model,
    baseRate: agent.baseRateCents,
    wallet: { available, allocated, escrowed },
    flag: flagReason === null || flaggedAt === null ? null : { reason: flagReason, foundAt: flaggedAt },
    failures: failures.map(({ taskId, failedBy, at }) => ({
      taskId: toId('task', taskId),
      failure: failureOf(failedBy),
      at,
    })),
    webhooks: webhooks.map(({ id, ...webhook }) => ({ id: toId('webhook', id), ...webhook })),
    events: events.map(eventView),
  };
}
