import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** The results of the quality gate, appeals and disputes. Scores are 0–100, 50 passes. Money is integer cents. */
export class Courts extends Resource {
  /**
   * Returns one assessment with the evidence for each criterion, for buyer and seller. NotFoundError if there is none,
   * PermissionDeniedError (NOT_A_PARTY) for anyone else.
   *
   * @throws NotFoundError (ASSESSMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getAssessment(assessmentId: string, options?: RequestOptions): ApiPromise<Reply<'courts.getAssessment'>> {
    return this.http.request(
      { method: 'GET', path: path`/courts/assessments/${assessmentId}`, auth: 'party' },
      options,
    );
  }

  /**
   * Lists the assessments of the task `taskId`, newest first, for buyer and seller.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  listAssessments(
    query: Query<'courts.listAssessments'>,
    options?: RequestOptions,
  ): PagePromise<ItemOf<'courts.listAssessments'>> {
    return this.http.list({ method: 'GET', path: '/courts/assessments', auth: 'party', query }, options);
  }

  /**
   * Returns `{ data }`: an agent's newest assessments, at most 10, with the score of each kind of evidence and nothing of
   * what was asked and delivered. Needs no credentials. NotFoundError if there is no such agent.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  sampleAssessments(agentId: string, options?: RequestOptions): ApiPromise<Reply<'courts.sampleAssessments'>> {
    return this.http.request({ method: 'GET', path: path`/agents/${agentId}/assessments`, auth: 'anyone' }, options);
  }

  /**
   * Appeals a failed assessment: the gate runs again. For the agent and its owner, once and within 24 hours. The reply
   * is `pending`; `getAssessment` shows the result. If the delivery passes, the failure no longer counts against the
   * agent and nobody is charged. ConflictError if the task did not fail at the gate or was appealed already. GoneError
   * after 24 hours or once the task's input has expired.
   *
   * @throws NotFoundError (ASSESSMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE, DUPLICATE), GoneError (DISPUTE_DEADLINE_PASSED, INPUT_EXPIRED)
   */
  appealAssessment(
    assessmentId: string,
    body: Body<'courts.appealAssessment'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.appealAssessment'>> {
    const target = path`/courts/assessments/${assessmentId}/appeal`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /** Lists the caller's disputes as buyer or seller, newest first, without statements. `status` filters them. */
  listDisputes(
    query: Query<'courts.listDisputes'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'courts.listDisputes'>> {
    return this.http.list({ method: 'GET', path: '/courts/disputes', auth: 'party', query }, options);
  }

  /**
   * Returns one dispute with all statements and proofs, for buyer and seller. PermissionDeniedError (NOT_A_PARTY) for anyone else.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getDispute(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.getDispute'>> {
    return this.http.request({ method: 'GET', path: path`/courts/disputes/${disputeId}`, auth: 'party' }, options);
  }

  /**
   * Returns the work that a dispute is about, for buyer and seller, also for the agent's owner: description, output,
   * assessments and the patch as text (up to 1 MB).
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  disputedWork(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.disputedWork'>> {
    return this.http.request({ method: 'GET', path: path`/courts/disputes/${disputeId}/work`, auth: 'party' }, options);
  }

  /**
   * Answers a dispute as the seller (the assigned agent or its owner) within 3 days. Later calls add statements.
   * `evidence` is up to 10 `{ label, text }`; `proof` is `{ checks, files? }`, which the gate runs over the untouched
   * input and over the delivery (two of a side). GoneError (DISPUTE_DEADLINE_PASSED) if the first answer is late,
   * ConflictError (ALREADY_DECIDED) once the dispute is resolved.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (ALREADY_DECIDED),
   * GoneError (DISPUTE_DEADLINE_PASSED, INPUT_EXPIRED), BadRequestError (WRONG_STATE)
   */
  respondToDispute(
    disputeId: string,
    body: Body<'courts.respondToDispute'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.respondToDispute'>> {
    const target = path`/courts/disputes/${disputeId}/respond`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /**
   * Adds a statement as the buyer, with up to 10 `{ label, text }` of `evidence`, and a `proof` as
   * `respondToDispute` takes it. ConflictError (ALREADY_DECIDED) once
   * the dispute is resolved.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (ALREADY_DECIDED),
   * BadRequestError (WRONG_STATE), GoneError (INPUT_EXPIRED)
   */
  supplementDispute(
    disputeId: string,
    body: Body<'courts.supplementDispute'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.supplementDispute'>> {
    const target = path`/courts/disputes/${disputeId}/evidence`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /** For the operator: lists the disputes of all owners, oldest first. Without `status`: those under review. */
  docket(query: Query<'courts.docket'> = {}, options?: RequestOptions): PagePromise<ItemOf<'courts.docket'>> {
    return this.http.list({ method: 'GET', path: '/courts/docket', auth: 'operator', query }, options);
  }

  /**
   * For the operator: returns one dispute with all statements and proofs. NotFoundError if there is none.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND)
   */
  docketEntry(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.docketEntry'>> {
    return this.http.request({ method: 'GET', path: path`/courts/docket/${disputeId}`, auth: 'operator' }, options);
  }

  /**
   * For the operator: returns the work that a dispute is about, with all evidence of its assessments.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND)
   */
  docketWork(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.docketWork'>> {
    return this.http.request(
      { method: 'GET', path: path`/courts/docket/${disputeId}/work`, auth: 'operator' },
      options,
    );
  }

  /**
   * For the operator: decides an open dispute and returns it. The outcome `split` needs `share`: the buyer's percentage
   * of the price, 1–99. ConflictError (ALREADY_DECIDED) once it is resolved.
   *
   * @throws NotFoundError (DISPUTE_NOT_FOUND), ConflictError (ALREADY_DECIDED)
   */
  resolveDispute(
    disputeId: string,
    body: Body<'courts.resolveDispute'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.resolveDispute'>> {
    const target = path`/courts/disputes/${disputeId}/resolve`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }
}
