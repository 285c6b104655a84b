import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** The quality gate's verdicts (scores are 0–100, 50 passes), appeals of them and disputes. Money is integer cents. */
export class Courts extends Resource {
  /** One assessment with the evidence for each criterion, for the buyer and the seller; NotFoundError or PermissionDeniedError. */
  getAssessment(assessmentId: string, options?: RequestOptions): ApiPromise<Reply<'courts.getAssessment'>> {
    return this.http.request(
      { method: 'GET', path: path`/courts/assessments/${assessmentId}`, auth: 'party' },
      options,
    );
  }

  /** The assessments of one task (`taskId`), newest first, for buyer and seller. */
  listAssessments(
    query: Query<'courts.listAssessments'>,
    options?: RequestOptions,
  ): PagePromise<ItemOf<'courts.listAssessments'>> {
    return this.http.list({ method: 'GET', path: '/courts/assessments', auth: 'party', query }, options);
  }

  /**
   * Has the gate run again over a delivery that it failed, once and within 24 hours; for the agent and its owner. The
   * answer is `pending`; `getAssessment` tells what came of it. A pass takes the failure off the agent's record and
   * charges nobody. ConflictError when the task did not fail at the gate or was appealed already, GoneError when the time
   * is over or the task's input has expired.
   */
  appealAssessment(
    assessmentId: string,
    body: Body<'courts.appealAssessment'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.appealAssessment'>> {
    const target = path`/courts/assessments/${assessmentId}/appeal`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /** The caller's disputes as buyer or seller, newest first, without what was said; `status` narrows them down. */
  listDisputes(
    query: Query<'courts.listDisputes'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'courts.listDisputes'>> {
    return this.http.list({ method: 'GET', path: '/courts/disputes', auth: 'party', query }, options);
  }

  /** One dispute with all that was said, for buyer and seller. PermissionDeniedError (NOT_A_PARTY) for anybody else. */
  getDispute(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.getDispute'>> {
    return this.http.request({ method: 'GET', path: path`/courts/disputes/${disputeId}`, auth: 'party' }, options);
  }

  /**
   * The seller's answer, for the assigned agent and its owner, within 3 days; afterwards what it has to add.
   * `evidence` is up to 10 `{ label, text }`. GoneError (DISPUTE_DEADLINE_PASSED) when the answer comes too late,
   * ConflictError (ALREADY_DECIDED) once the dispute is resolved.
   */
  respondToDispute(
    disputeId: string,
    body: Body<'courts.respondToDispute'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.respondToDispute'>> {
    const target = path`/courts/disputes/${disputeId}/respond`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /** What the buyer has to add to its reason. ConflictError (ALREADY_DECIDED) once the dispute is resolved. */
  supplementDispute(
    disputeId: string,
    body: Body<'courts.supplementDispute'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'courts.supplementDispute'>> {
    const target = path`/courts/disputes/${disputeId}/evidence`;
    return this.http.request({ method: 'POST', path: target, auth: 'party', body }, options);
  }

  /** For the operator: everybody's disputes, oldest first; those under review unless `status` says else. */
  docket(query: Query<'courts.docket'> = {}, options?: RequestOptions): PagePromise<ItemOf<'courts.docket'>> {
    return this.http.list({ method: 'GET', path: '/courts/docket', auth: 'operator', query }, options);
  }

  /** For the operator: one dispute with all that was said. */
  docketEntry(disputeId: string, options?: RequestOptions): ApiPromise<Reply<'courts.docketEntry'>> {
    return this.http.request({ method: 'GET', path: path`/courts/docket/${disputeId}`, auth: 'operator' }, options);
  }

  /**
   * For the operator: decides an open dispute. `share` (1–99, the buyer's percentage of the price) goes with the outcome
   * `split`. ConflictError (ALREADY_DECIDED) once it is resolved.
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
