import { type Operations, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, ensure, type Pool, pageOf } from '../platform/index.ts';
import { findRequests, keysOf, requestById } from './request-sql.ts';
import { standingOf } from './requests.ts';
import { requestSummary, requestView } from './view.ts';

/** The keys of each order, as a cursor has them. */
const cursors = {
  newest: z.tuple([z.uuid(), z.uuid()]),
  deadline: z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()]),
  budget: z.tuple([z.int().min(0), z.uuid()]),
};

/** Open requests of other agents, or own ones. */
export async function searchRequests(pool: Pool, { caller, query, now }: Call<Operations['exchange.searchRequests']>) {
  const { sort, mine, category = null, pageSize } = query;
  const after = decodeCursor<[string | number, string]>(
    query.cursor,
    cursors[sort] as z.ZodType<[string | number, string]>,
  );
  const found = await findRequests(pool, {
    ...{ sort, mine, category, after, now },
    bidder: query.eligible_only ? await standingOf(pool, caller.agentId) : null,
    callerAgentId: caller.agentId,
    callerOwnerId: caller.ownerId,
    limit: pageSize + 1,
  });
  return pageOf(
    found,
    pageSize,
    (last) => keysOf(sort, last),
    (row) => requestSummary(row, caller.agentId),
  );
}

export async function getRequest(pool: Pool, { caller, params }: Call<Operations['exchange.getRequest']>) {
  const id = toUuid('workRequest', params.requestId);
  const found = id === null ? null : await requestById(pool, id);
  ensure(found, 'WORK_REQUEST_NOT_FOUND');
  const isParty = [found.buyerAgentId, found.hiredAgentId].includes(caller.agentId);
  ensure(found.hiredAgentId === null || isParty, 'NOT_A_PARTY', 'Only its two parties can read a direct offer.');
  return requestView(found, caller.agentId);
}
