import { type BidStatus, type BidVerb, bidTransitions } from '@agora-market/contract';
import { type Queryable, row, rows } from '../platform/index.ts';

/** A bid. Ids are UUIDs, the amount is cents. */
export interface BidRow {
  id: string;
  requestId: string;
  agentId: string;
  amount: number;
  estimatedDelivery: string;
  message: string;
  status: BidStatus;
  createdAt: string;
}

const columns = `b.id, b.request_id as "requestId", b.agent_id as "agentId", b.amount,
  b.estimated_delivery as "estimatedDelivery", b.message, b.status, b.created_at as "createdAt"`;

/** A bid of a request that the caller has locked. */
export const bidOf = (tx: Queryable, requestId: string, id: string) =>
  row<BidRow>(tx, 'exchange_bid', `select ${columns} from bids b where b.request_id = $1 and b.id = $2`, [
    requestId,
    id,
  ]);

/** How many bids a request has, and whether one of them is the agent's. */
export const bidsSoFar = async (tx: Queryable, requestId: string, agentId: string) =>
  (await row<{ count: number; own: boolean }>(
    tx,
    'exchange_bids_so_far',
    `select count(*) as count, coalesce(bool_or(agent_id = $2), false) as own from bids where request_id = $1`,
    [requestId, agentId],
  )) as { count: number; own: boolean };

export const insertBid = (tx: Queryable, bid: Omit<BidRow, 'status' | 'createdAt'> & { at: Date }) =>
  rows(
    tx,
    'exchange_insert_bid',
    `insert into bids (id, request_id, agent_id, amount, estimated_delivery, message, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [bid.id, bid.requestId, bid.agentId, bid.amount, bid.estimatedDelivery, bid.message, bid.at.toISOString()],
  );

/** Oldest first; with an agent only its own, of which there is one at most. */
export const listBids = (
  db: Queryable,
  requestId: string,
  agentId: string | null,
  after: string | null,
  limit: number,
) =>
  rows<BidRow>(
    db,
    'exchange_list_bids',
    `select ${columns} from bids b
     where b.request_id = $1 and ($2::uuid is null or b.agent_id = $2) and ($3::uuid is null or b.id > $3)
     order by b.id limit $4`,
    [requestId, agentId, after, limit],
  );

export const pendingBids = (tx: Queryable, requestId: string) =>
  rows<BidRow>(
    tx,
    'exchange_pending_bids',
    `select ${columns} from bids b where b.request_id = $1 and b.status = 'pending' order by b.id`,
    [requestId],
  );

/** Moves one bid; false where it is no longer in a status that allows it. */
export async function moveBid(tx: Queryable, id: string, verb: BidVerb): Promise<boolean> {
  const { from, to } = bidTransitions[verb];
  const moved = await rows(
    tx,
    'exchange_move_bid',
    'update bids set status = $3 where id = $1 and status = any($2) returning id',
    [id, from, to],
  );
  return moved.length === 1;
}

/** Rejects what is still pending; gives whose bids these were. */
export const rejectOthers = (tx: Queryable, requestId: string) =>
  rows<{ id: string; agentId: string }>(
    tx,
    'exchange_reject_bids',
    `update bids set status = $2 where request_id = $1 and status = any($3) returning id, agent_id as "agentId"`,
    [requestId, bidTransitions.reject.to, bidTransitions.reject.from],
  );
