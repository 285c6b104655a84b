import {
  activeRequestStatuses,
  type Category,
  type Eligibility,
  exchangeRules,
  type RequestStatus,
  type RequestVerb,
  requestTransitions,
  type SelectionMode,
  trustTiers,
} from '@agora-market/contract';
import { type Queryable, row, rows, sqlList } from '../platform/index.ts';
import type { Bidder } from './eligibility.ts';

/** A work request. Ids are UUIDs, money is cents, times are ISO 8601. */
export interface RequestRow {
  id: string;
  buyerAgentId: string;
  buyerOwnerId: string;
  title: string;
  description: string;
  category: Category;
  budgetMin: number;
  budgetMax: number;
  biddingClosesAt: string;
  deadline: string;
  selectionMode: SelectionMode;
  hiredAgentId: string | null;
  eligibility: Eligibility;
  sandboxConfig: Record<string, unknown> | null;
  status: RequestStatus;
  correlationId: string;
  createdAt: string;
  agreementId: string | null;
  /** With an agreement: its seller. */
  sellerAgentId: string | null;
}

const columns = `r.id, r.buyer_agent_id as "buyerAgentId", r.buyer_owner_id as "buyerOwnerId", r.title, r.description,
  r.category, r.budget_min as "budgetMin", r.budget_max as "budgetMax", r.bidding_closes_at as "biddingClosesAt",
  r.deadline, r.selection_mode as "selectionMode", r.hired_agent_id as "hiredAgentId", r.eligibility,
  r.sandbox_config as "sandboxConfig", r.status, r.correlation_id as "correlationId", r.created_at as "createdAt",
  (select g.id from agreements g where g.request_id = r.id) as "agreementId",
  (select g.seller_agent_id from agreements g where g.request_id = r.id) as "sellerAgentId"`;

export const requestById = (db: Queryable, id: string) =>
  row<RequestRow>(db, 'exchange_request', `select ${columns} from work_requests r where r.id = $1`, [id]);

/** Whoever changes a request or its bids locks it first. */
export const lockRequest = (tx: Queryable, id: string) =>
  row<RequestRow>(tx, 'exchange_lock_request', `select ${columns} from work_requests r where r.id = $1 for update`, [
    id,
  ]);

export type NewRequest = Omit<RequestRow, 'agreementId' | 'sellerAgentId' | 'createdAt'> & { dueAt: string; at: Date };

export const insertRequest = (tx: Queryable, request: NewRequest) =>
  rows(
    tx,
    'exchange_insert_request',
    `insert into work_requests (id, buyer_agent_id, buyer_owner_id, title, description, category, budget_min, budget_max,
       bidding_closes_at, deadline, selection_mode, hired_agent_id, eligibility, sandbox_config, status, due_at,
       correlation_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      request.id,
      request.buyerAgentId,
      request.buyerOwnerId,
      request.title,
      request.description,
      request.category,
      request.budgetMin,
      request.budgetMax,
      request.biddingClosesAt,
      request.deadline,
      request.selectionMode,
      request.hiredAgentId,
      JSON.stringify(request.eligibility),
      request.sandboxConfig && JSON.stringify(request.sandboxConfig),
      request.status,
      request.dueAt,
      request.correlationId,
      request.at.toISOString(),
    ],
  );

/** Moves a request by a verb; false where it is in no status that allows it any more. */
export async function moveRequest(tx: Queryable, id: string, verb: RequestVerb): Promise<boolean> {
  const { from, to } = requestTransitions[verb];
  const moved = await rows(
    tx,
    'exchange_move_request',
    'update work_requests set status = $3, due_at = null where id = $1 and status = any($2) returning id',
    [id, from, to],
  );
  return moved.length === 1;
}

/** Locks an agent's row, so that its requests are counted and added by one caller at a time. */
export const lockPoster = (tx: Queryable, agentId: string) =>
  rows(tx, 'exchange_lock_poster', 'select id from agents where id = $1 for no key update', [agentId]);

export const countActiveRequests = async (tx: Queryable, agentId: string): Promise<number> =>
  (
    await row<{ count: number }>(
      tx,
      'exchange_count_requests',
      `select count(*) as count from work_requests
       where buyer_agent_id = $1 and status in ${sqlList(activeRequestStatuses)}`,
      [agentId],
    )
  )?.count ?? 0;

/** Requests whose time has come, the most overdue first. */
export const dueRequests = async (db: Queryable, now: Date, limit: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'exchange_due_requests',
      'select id from work_requests where due_at <= $1 order by due_at limit $2',
      [now.toISOString(), limit],
    )
  ).map(({ id }) => id);

/** How a page is ordered: its keys, as the cursor has them, and what of a row they are. */
const orders = {
  newest: { key: 'r.id', type: 'uuid', direction: 'desc', of: (last: RequestRow) => last.id },
  deadline: { key: 'r.deadline', type: 'timestamptz', direction: 'asc', of: (last: RequestRow) => last.deadline },
  budget: { key: 'r.budget_max', type: 'bigint', direction: 'desc', of: (last: RequestRow) => last.budgetMax },
} as const;
export type RequestOrder = keyof typeof orders;

/** The keys of the last row of a page: that of the order, and the id. */
export const keysOf = (sort: RequestOrder, last: RequestRow) => [orders[sort].of(last), last.id] as const;

export interface RequestSearch {
  sort: RequestOrder;
  category: string | null;
  mine: boolean;
  /** Null for requests whose requirements do not matter. */
  bidder: Bidder | null;
  callerAgentId: string;
  callerOwnerId: string;
  now: Date;
  after: readonly [key: string | number, id: string] | null;
  limit: number;
}

const rankOf = (tier: string) => `array_position(array[${trustTiers.map((each) => `'${each}'`).join(', ')}], ${tier})`;

/** The requirements as `barrierOf` reads them, for a bidder in $8 (tier), $9 (score), $10 (jobs), $11 (model), $12 (its tier). */
const meets = `r.buyer_owner_id <> $4
  and coalesce((r.eligibility->>'minScore')::int, 0) <= $9
  and ${rankOf(`coalesce(r.eligibility->>'minTrustTier', 'unverified')`)} <= ${rankOf('$8')}
  and (not coalesce((r.eligibility->>'verifiedOnly')::boolean, false) or $10 >= ${exchangeRules.verifiedFromJobs})
  and (r.eligibility->'models' is null or r.eligibility->'models' ? $11)
  and (r.eligibility->'modelTiers' is null or r.eligibility->'modelTiers' ? coalesce($12, ''))`;

export function findRequests(db: Queryable, search: RequestSearch): Promise<RequestRow[]> {
  const { key, type, direction } = orders[search.sort];
  const beyond = direction === 'desc' ? '<' : '>';
  const { bidder } = search;
  const whose = search.mine
    ? 'r.buyer_agent_id = $3 and $5::timestamptz is not null'
    : `r.status = 'open' and r.bidding_closes_at > $5 and r.buyer_agent_id <> $3`;
  return rows<RequestRow>(
    db,
    `exchange_find_requests_${search.sort}_${search.mine ? 'own' : 'open'}`,
    `select ${columns} from work_requests r
     where ${whose} and ($1::text is null or r.category = $1)
       and ($6::${type} is null or (${key}, r.id) ${beyond} ($6::${type}, $7::uuid))
       and ($13::boolean is false or (${meets}))
     order by ${key} ${direction}, r.id ${direction} limit $2`,
    [
      search.category,
      search.limit,
      search.callerAgentId,
      search.callerOwnerId,
      search.now.toISOString(),
      search.after?.[0] ?? null,
      search.after?.[1] ?? null,
      bidder?.trustTier ?? null,
      bidder?.overallScore ?? 0,
      bidder?.completed ?? 0,
      bidder?.model ?? null,
      bidder?.modelTier ?? null,
      bidder !== null,
    ],
  );
}
