import { exchangeByTier, exchangeRules, type Operations, toCents, toUuid } from '@agora-market/contract';
import { policyDenied } from '../embassy/index.ts';
import { type Call, type Clock, ensure, invalidField, newUuid, type Queryable, type Tx } from '../platform/index.ts';
import { findAgents, requireNamedAgent } from '../registry/index.ts';
import { rejectOthers } from './bid-sql.ts';
import { logRequest } from './log.ts';
import { notify } from './notifications.ts';
import {
  countActiveRequests,
  insertRequest,
  lockPoster,
  lockRequest,
  moveRequest,
  type NewRequest,
  type RequestRow,
  requestById,
} from './request-sql.ts';
import { buyersDenial } from './rules.ts';
import { requestView } from './view.ts';

type Posting = Call<Operations['exchange.createRequest']>;

/** The agent of a caller, which its credentials have shown to exist. */
export async function standingOf(db: Queryable, agentId: string) {
  const [agent] = await findAgents(db, [agentId]);
  if (!agent) throw new Error('the calling agent is gone');
  return agent;
}

function checkedTimes({ body, now }: Posting): { closes: Date; deadline: Date } {
  const [closes, deadline] = [new Date(body.biddingClosesAt), new Date(body.deadline)];
  if (closes <= now) throw invalidField('biddingClosesAt', 'must be in the future');
  if (deadline <= closes) throw invalidField('deadline', 'must be after biddingClosesAt');
  if (deadline.getTime() - now.getTime() > exchangeRules.longestMs)
    throw invalidField('deadline', 'must be within 365 days');
  return { closes, deadline };
}

async function hiredBy({ tx, caller, body }: Posting) {
  if (body.directHireAgentId === undefined) return null;
  const hired = await requireNamedAgent(tx, body.directHireAgentId);
  ensure(hired.ownerId !== caller.ownerId, 'SAME_OWNER');
  ensure(hired.status === 'active', 'HIRE_TARGET_NOT_ACTIVE');
  return { agentId: hired.id, ownerId: hired.ownerId };
}

/** Posts a request; in mode `direct` it is an offer to one agent. Nothing is held before there is an agreement. */
export async function createRequest(clock: Clock, call: Posting) {
  const { tx, caller, body, now, correlationId } = call;
  const { closes, deadline } = checkedTimes(call);
  await lockPoster(tx, caller.agentId);
  const { trustTier } = await standingOf(tx, caller.agentId);
  const { requests: limit } = exchangeByTier[trustTier];
  ensure(limit > 0, 'TIER_TOO_LOW', `An agent of tier ${trustTier} cannot post work.`, { trustTier });
  ensure((await countActiveRequests(tx, caller.agentId)) < limit, 'REQUEST_LIMIT_REACHED', undefined, { limit });
  const hired = await hiredBy(call);
  const hiredAgentId = hired?.agentId ?? null;
  const { budget, selectionMode, title, description, category, eligibility, sandboxConfig = null } = body;
  const work = { category, buyer: caller, seller: hired };
  const { denial } = await buyersDenial(tx, work, toCents(budget.max), now);
  if (denial !== null) throw policyDenied(denial);
  const request: NewRequest = {
    id: newUuid(clock),
    buyerAgentId: caller.agentId,
    buyerOwnerId: caller.ownerId,
    ...{ title, description, category, eligibility, sandboxConfig, selectionMode, hiredAgentId, correlationId },
    budgetMin: toCents(budget.min ?? 0),
    budgetMax: toCents(budget.max),
    biddingClosesAt: closes.toISOString(),
    deadline: deadline.toISOString(),
    status: hiredAgentId === null ? 'open' : 'direct_offer',
    // In mode `manual` the buyer may select until the deadline.
    dueAt: (selectionMode === 'manual' ? deadline : closes).toISOString(),
    at: now,
  };
  await insertRequest(tx, request);
  await logRequest(
    tx,
    request,
    { type: 'request.posted', agentId: caller.agentId, at: now },
    { selectionMode, taskType: category, maxBudget: request.budgetMax },
  );
  if (hiredAgentId !== null) {
    await notify(tx, [{ agentId: hiredAgentId, type: 'direct_offer', about: { requestId: request.id } }], now);
  }
  return reread(tx, request.id, caller.agentId);
}

/** The request of an id in a path, locked. */
export async function namedRequest(tx: Tx, requestId: string): Promise<RequestRow> {
  const id = toUuid('workRequest', requestId);
  const found = id === null ? null : await lockRequest(tx, id);
  ensure(found, 'WORK_REQUEST_NOT_FOUND');
  return found;
}

async function reread(tx: Tx, id: string, readerId: string) {
  return requestView((await requestById(tx, id)) as RequestRow, readerId);
}

/** Ends a request without an agreement; bidders, or the agent that it was offered to, hear of it. */
export async function closeRequest(
  tx: Tx,
  request: RequestRow,
  verb: 'cancel' | 'expire' | 'declineOffer',
  { agentId, at }: { agentId: string; at: Date },
): Promise<void> {
  const isMoved = await moveRequest(tx, request.id, verb);
  ensure(isMoved, 'WRONG_STATE', `The request is ${request.status}.`, { status: request.status });
  const rejected = await rejectOthers(tx, request.id);
  await logRequest(tx, request, { type: 'request.cancelled', agentId, at }, { verb });
  const about = { requestId: request.id };
  const told = [
    ...rejected.map(({ id, agentId: bidderId }) => ({ agentId: bidderId, about: { ...about, bidId: id } })),
    ...(request.hiredAgentId !== null && verb !== 'declineOffer' ? [{ agentId: request.hiredAgentId, about }] : []),
    ...(verb === 'expire' ? [{ agentId: request.buyerAgentId, about }] : []),
  ];
  await notify(
    tx,
    told.map((each) => ({ ...each, type: 'request_cancelled' })),
    at,
  );
}

export async function cancelRequest({ tx, caller, params, now }: Call<Operations['exchange.cancelRequest']>) {
  const request = await namedRequest(tx, params.requestId);
  ensure(request.buyerAgentId === caller.agentId, 'NOT_A_PARTY', 'Only the agent that posted it can cancel a request.');
  await closeRequest(tx, request, 'cancel', { agentId: caller.agentId, at: now });
  return reread(tx, request.id, caller.agentId);
}

/** A direct offer that still stands, for the agent that it was made to. */
export async function standingOffer(
  tx: Tx,
  { caller, params, now }: Call<Operations['exchange.acceptOffer' | 'exchange.declineOffer']>,
): Promise<RequestRow> {
  const request = await namedRequest(tx, params.requestId);
  ensure(request.hiredAgentId !== null, 'NOT_A_DIRECT_OFFER');
  ensure(request.hiredAgentId === caller.agentId, 'NOT_A_PARTY', 'The offer was made to another agent.');
  const { status, biddingClosesAt } = request;
  ensure(status === 'direct_offer', 'WRONG_STATE', `The request is ${status}.`, { status });
  ensure(now < new Date(biddingClosesAt), 'WRONG_STATE', `The offer ended at ${biddingClosesAt}.`, { biddingClosesAt });
  return request;
}

export async function declineOffer(call: Call<Operations['exchange.declineOffer']>) {
  const { tx, caller, now } = call;
  const request = await standingOffer(tx, call);
  await closeRequest(tx, request, 'declineOffer', { agentId: caller.agentId, at: now });
  const notice = { agentId: request.buyerAgentId, type: 'offer_declined', about: { requestId: request.id } } as const;
  await notify(tx, [notice], now);
  return reread(tx, request.id, caller.agentId);
}
