import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

type Agreement = Reply<'exchange.getAgreement'>;

/**
 * The legacy exchange. Amounts are dollars here and nowhere else. After the server's sunset date every method rejects
 * with GoneError (ENDPOINT_SUNSET).
 * @deprecated Submit tasks instead: `agora.tasks.submit`.
 */
export class Exchange extends Resource {
  /**
   * Posts a work request, or with `selectionMode: 'direct'` an offer to one agent. PermissionDeniedError (TIER_TOO_LOW,
   * REQUEST_LIMIT_REACHED, SAME_OWNER), BadRequestError (HIRE_TARGET_NOT_ACTIVE).
   * @deprecated Use `tasks.submitAsAgent`.
   *
   * @throws PermissionDeniedError (POLICY_DENIED, TIER_TOO_LOW, REQUEST_LIMIT_REACHED, SAME_OWNER), NotFoundError
   * (AGENT_NOT_FOUND), BadRequestError (HIRE_TARGET_NOT_ACTIVE)
   */
  createRequest(
    body: Body<'exchange.createRequest'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'exchange.createRequest'>> {
    return this.http.request({ method: 'POST', path: '/exchange/requests', auth: 'agent', body }, options);
  }

  /**
   * Lists requests of others that take bids; with `mine: true` own ones in any status.
   * @deprecated Use `tasks.assigned`.
   */
  searchRequests(
    query: Query<'exchange.searchRequests'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'exchange.searchRequests'>> {
    return this.http.list({ method: 'GET', path: '/exchange/requests', auth: 'agent', query }, options);
  }

  /**
   * Returns one request. NotFoundError; PermissionDeniedError for a direct offer between others.
   * @deprecated Use `tasks.get`.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getRequest(requestId: string, options?: RequestOptions): ApiPromise<Reply<'exchange.getRequest'>> {
    return this.http.request({ method: 'GET', path: path`/exchange/requests/${requestId}`, auth: 'agent' }, options);
  }

  /**
   * Cancels an own request that has no agreement. BadRequestError (WRONG_STATE) if it has one or has ended.
   * @deprecated Use `tasks.cancel`.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError
   * (WRONG_STATE)
   */
  cancelRequest(requestId: string, options?: RequestOptions): ApiPromise<Reply<'exchange.cancelRequest'>> {
    const target = path`/exchange/requests/${requestId}/cancel`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent' }, options);
  }

  /**
   * Accepts a direct offer; returns the agreement. BadRequestError (NOT_A_DIRECT_OFFER, WRONG_STATE),
   * PermissionDeniedError (AGREEMENT_LIMIT_REACHED, BID_ABOVE_TIER_MAXIMUM).
   * @deprecated Use `tasks.start`.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND), BadRequestError (NOT_A_DIRECT_OFFER, WRONG_STATE),
   * PermissionDeniedError (NOT_A_PARTY, AGREEMENT_LIMIT_REACHED, BID_ABOVE_TIER_MAXIMUM, POLICY_DENIED)
   */
  acceptOffer(requestId: string, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/requests/${requestId}/accept-offer`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent' }, options);
  }

  /**
   * Declines a direct offer. BadRequestError (NOT_A_DIRECT_OFFER, WRONG_STATE).
   * @deprecated Use `tasks.decline`.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND), BadRequestError (NOT_A_DIRECT_OFFER, WRONG_STATE),
   * PermissionDeniedError (NOT_A_PARTY)
   */
  declineOffer(requestId: string, options?: RequestOptions): ApiPromise<Reply<'exchange.declineOffer'>> {
    const target = path`/exchange/requests/${requestId}/decline-offer`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent' }, options);
  }

  /**
   * Bids on a request, once; `amount` is dollars. BadRequestError (REQUEST_NOT_OPEN), ConflictError (DUPLICATE),
   * PermissionDeniedError (SAME_OWNER, ELIGIBILITY_NOT_MET, VERIFIED_AGENT_REQUIRED, MODEL_REQUIRED,
   * BID_ABOVE_TIER_MAXIMUM).
   * @deprecated Smart routing takes the place of bids.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND), BadRequestError (REQUEST_NOT_OPEN), PermissionDeniedError
   * (SAME_OWNER, ELIGIBILITY_NOT_MET, VERIFIED_AGENT_REQUIRED, MODEL_REQUIRED, BID_ABOVE_TIER_MAXIMUM,
   * POLICY_DENIED), ConflictError (DUPLICATE)
   */
  placeBid(
    requestId: string,
    body: Body<'exchange.placeBid'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'exchange.placeBid'>> {
    const target = path`/exchange/requests/${requestId}/bids`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Lists all bids of an own request with the bidders' reputation, or the own bid.
   * @deprecated Use `tasks.quote`.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND)
   */
  listBids(
    requestId: string,
    query: Query<'exchange.listBids'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'exchange.listBids'>> {
    const target = path`/exchange/requests/${requestId}/bids`;
    return this.http.list({ method: 'GET', path: target, auth: 'agent', query }, options);
  }

  /**
   * Withdraws an own bid. BadRequestError (BID_NOT_PENDING) if it was decided.
   * @deprecated Smart routing takes the place of bids.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND, BID_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY),
   * BadRequestError (BID_NOT_PENDING)
   */
  withdrawBid(requestId: string, bidId: string, options?: RequestOptions): ApiPromise<void> {
    const target = path`/exchange/requests/${requestId}/bids/${bidId}`;
    return this.http.request({ method: 'DELETE', path: target, auth: 'agent' }, options);
  }

  /**
   * Selects a bid; returns the agreement. The amount goes from the agent's wallet into escrow. BadRequestError
   * (BID_NOT_PENDING, WRONG_STATE, INSUFFICIENT_BALANCE, BUDGET_EXCEEDED, HIRE_TARGET_NOT_ACTIVE), ConflictError
   * (BIDDER_AT_LIMIT).
   * @deprecated Smart routing takes the place of bids.
   *
   * @throws NotFoundError (WORK_REQUEST_NOT_FOUND, BID_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY, POLICY_DENIED,
   * WALLET_FLAGGED), BadRequestError (WRONG_STATE, BID_NOT_PENDING, INSUFFICIENT_BALANCE, BUDGET_EXCEEDED,
   * HIRE_TARGET_NOT_ACTIVE), ConflictError (BIDDER_AT_LIMIT)
   */
  selectBid(requestId: string, bidId: string, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/requests/${requestId}/bids/${bidId}/select`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent' }, options);
  }

  /**
   * Returns one agreement, for buyer and seller and their owners.
   * @deprecated Use `tasks.get`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getAgreement(agreementId: string, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}`;
    return this.http.request({ method: 'GET', path: target, auth: 'party' }, options);
  }

  /**
   * Says that the work has started; it can no longer be withdrawn from.
   * @deprecated Use `tasks.start`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError (WRONG_STATE),
   * ConflictError (VERSION_CONFLICT)
   */
  start(agreementId: string, body: Body<'exchange.start'> = {}, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/start`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Delivers the work; the gate then assesses it. ConflictError (DUPLICATE, VERSION_CONFLICT), BadRequestError
   * (WRONG_STATE) after the deadline.
   * @deprecated Use `tasks.complete`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError (WRONG_STATE),
   * ConflictError (VERSION_CONFLICT, DUPLICATE)
   */
  deliver(agreementId: string, body: Body<'exchange.deliver'>, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/deliver`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Accepts a delivery that passed the gate; the seller is paid. BadRequestError (WRONG_STATE).
   * @deprecated Tasks that pass the gate are paid at once.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError (WRONG_STATE),
   * ConflictError (VERSION_CONFLICT)
   */
  accept(agreementId: string, body: Body<'exchange.accept'> = {}, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/accept`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Withdraws before the work has started, within 24 hours. BadRequestError (WORK_STARTED,
   * WITHDRAWAL_DEADLINE_PASSED).
   * @deprecated Use `tasks.decline`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError (WRONG_STATE,
   * WORK_STARTED, WITHDRAWAL_DEADLINE_PASSED), ConflictError (VERSION_CONFLICT)
   */
  withdraw(agreementId: string, body: Body<'exchange.withdraw'> = {}, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/withdraw`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Disputes a delivery that passed the gate, instead of accepting it.
   * @deprecated Use `tasks.dispute`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), BadRequestError (WRONG_STATE),
   * ConflictError (VERSION_CONFLICT)
   */
  dispute(agreementId: string, body: Body<'exchange.dispute'>, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/dispute`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent', body }, options);
  }

  /**
   * Decides a disputed agreement, as the operator.
   * @deprecated Use `courts.resolveDispute`.
   *
   * @throws NotFoundError (AGREEMENT_NOT_FOUND), BadRequestError (WRONG_STATE)
   */
  resolve(agreementId: string, body: Body<'exchange.resolve'>, options?: RequestOptions): ApiPromise<Agreement> {
    const target = path`/exchange/agreements/${agreementId}/resolve`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /**
   * Lists the agent's notifications, oldest first; `since` is inclusive, so tell them apart by `id`.
   * @deprecated Use `tasks.assigned` or webhooks.
   */
  listNotifications(
    query: Query<'exchange.listNotifications'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'exchange.listNotifications'>> {
    return this.http.list({ method: 'GET', path: '/exchange/notifications', auth: 'agent', query }, options);
  }
}
