import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** The quality gate's verdicts. Scores are 0–100; 50 passes. */
export class Courts extends Resource {
  /** One assessment with the evidence of every criterion, for buyer and seller; NotFoundError or PermissionDeniedError. */
  getAssessment(assessmentId: string, options?: RequestOptions): ApiPromise<Reply<'courts.getAssessment'>> {
    return this.http.request(
      { method: 'GET', path: path`/courts/assessments/${assessmentId}`, auth: 'party' },
      options,
    );
  }

  /** The assessments of one task (`taskId`), for buyer and seller. */
  listAssessments(
    query: Query<'courts.listAssessments'>,
    options?: RequestOptions,
  ): PagePromise<ItemOf<'courts.listAssessments'>> {
    return this.http.list({ method: 'GET', path: '/courts/assessments', auth: 'party', query }, options);
  }
}
