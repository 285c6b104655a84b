import { type DisputeStatus, type Operations, type QueryOf, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { namedOwner, type OwnerRow, ownerColumns, ownerView } from '../../auth/index.ts';
import { type Call, decodeCursor, ensure, type Pool, pageOf, type Queryable, row, rows } from '../../platform/index.ts';
import { poolOf } from '../../vault/index.ts';
import { overviewOf } from '../overview.ts';
import { type EventRow, eventColumns, eventView } from './events.ts';

/** What the operator sees of owners. */

type Query = QueryOf<Operations['operator.owners']>;

/** A part of a text, for `like`. */
const part = (q: string) => `%${q.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Each way to search is a statement of its own, so that each takes its index. */
const searches = {
  all: '$5::text is null',
  text: `lower(email || ' ' || name) like $5`,
  id: 'id = $5::uuid',
} as const;

function find(db: Queryable, query: Query, before: string | null) {
  const { q, plan, status, pageSize } = query;
  const id = q === undefined ? null : toUuid('owner', q);
  const by = id !== null ? 'id' : q === undefined ? 'all' : 'text';
  return rows<OwnerRow>(
    db,
    `operator_owners_${by}`,
    `select ${ownerColumns} from owners where status <> 'deleted' and ${searches[by]} and ($1::uuid is null or id < $1)
       and ($2::text is null or plan = $2) and ($3::text is null or status = $3) order by id desc limit $4`,
    [before, plan ?? null, status ?? null, pageSize + 1, id ?? (q === undefined ? null : part(q))],
  );
}

export async function searchOwners(pool: Pool, query: Query) {
  const found = await find(pool, query, decodeCursor(query.cursor, z.uuid()));
  return pageOf(found, query.pageSize, ({ id }) => id, ownerView);
}

interface Facts {
  secondFactor: boolean;
  heldPayments: number;
  findings: number;
}

const readFacts = (db: Queryable, ownerId: string) =>
  row<Facts>(
    db,
    'operator_owner_facts',
    `select exists (select from totp_factors where owner_id = $1 and confirmed_at is not null) as "secondFactor",
       (select count(*)::int from held_payments where owner_id = $1 and status = 'open') as "heldPayments",
       (select count(*)::int from reconciliation_findings where owner_id = $1 and status = 'open') as findings`,
    [ownerId],
  );

interface DisputeRow {
  id: string;
  taskId: string;
  side: 'buyer' | 'seller';
  status: DisputeStatus;
  createdAt: string;
}

const newestDisputes = (side: DisputeRow['side'], column: string) =>
  `(select id, task_id as "taskId", '${side}' as side, status, created_at as "createdAt" from disputes
    where ${column} = $1 order by id desc limit 10)`;

const listDisputes = (db: Queryable, ownerId: string) =>
  rows<DisputeRow>(
    db,
    'operator_owner_disputes',
    `${newestDisputes('buyer', 'owner_id')} union all ${newestDisputes('seller', 'seller_id')} order by id desc limit 10`,
    [ownerId],
  );

interface PaymentRow {
  kind: 'top_up' | 'withdrawal';
  id: string;
  agentId: string | null;
  amount: number;
  status: string;
  createdAt: string;
}

const newestPayments = (kind: PaymentRow['kind'], table: string, agent: string) =>
  `(select '${kind}' as kind, id, ${agent} as "agentId", amount, status, created_at as "createdAt" from ${table}
    where owner_id = $1 order by created_at desc limit 20)`;

const listPayments = (db: Queryable, ownerId: string) =>
  rows<PaymentRow>(
    db,
    'operator_owner_payments',
    `${newestPayments('top_up', 'top_ups', 'null::uuid')} union all ${newestPayments('withdrawal', 'withdrawals', 'agent_id')}
     order by "createdAt" desc, id limit 20`,
    [ownerId],
  );

const paymentView = ({ kind, id, agentId, ...payment }: PaymentRow) => ({
  kind,
  id: toId(kind === 'top_up' ? 'transaction' : 'withdrawal', id),
  agentId: agentId && toId('agent', agentId),
  ...payment,
});

const listEvents = (db: Queryable, ownerId: string) =>
  rows<EventRow>(
    db,
    'operator_owner_events',
    `select ${eventColumns} from events where owner_id = $1 and task_id is null order by seq desc limit 30`,
    [ownerId],
  );

/** One after the other: a page that stays open takes one connection of the pool. */
export async function readOwner(pool: Pool, { params, now }: Call<Operations['operator.owner']>) {
  const owner = await namedOwner(pool, params.ownerId);
  const facts = await readFacts(pool, owner.id);
  ensure(facts, 'OWNER_NOT_FOUND');
  const { owed } = await poolOf(pool, owner.id);
  const overview = await overviewOf(pool, owner.id, now);
  const disputes = await listDisputes(pool, owner.id);
  const payments = await listPayments(pool, owner.id);
  const events = await listEvents(pool, owner.id);
  return {
    owner: ownerView(owner),
    ...facts,
    owed,
    overview,
    disputes: disputes.map(({ id, taskId, ...dispute }) => ({
      id: toId('dispute', id),
      taskId: toId('task', taskId),
      ...dispute,
    })),
    payments: payments.map(paymentView),
    events: events.map(eventView),
  };
}
