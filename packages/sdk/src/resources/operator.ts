import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * For the operator (`operatorToken`): owners, agents and tasks of everybody, work that is stuck, and figures over time. What
 * parties wrote is left out. Amounts are integer cents, times are ISO 8601.
 */
export class Operator extends Resource {
  /** Searches owners by id or by a part of their e-mail addresses and names (`q`), by plan and status, newest first. */
  owners(query: Query<'operator.owners'> = {}, options?: RequestOptions): PagePromise<ItemOf<'operator.owners'>> {
    return this.http.list({ method: 'GET', path: '/operator/owners', auth: 'operator', query }, options);
  }

  /**
   * Returns one owner, named by id or e-mail address: balances, record, what needs attention, the newest disputes and
   * events. `agora.auth.updateOwner` changes it.
   *
   * @throws NotFoundError (OWNER_NOT_FOUND)
   */
  owner(ownerId: string, options?: RequestOptions): ApiPromise<Reply<'operator.owner'>> {
    return this.http.request({ method: 'GET', path: path`/operator/owners/${ownerId}`, auth: 'operator' }, options);
  }

  /** Searches agents of all owners by id or by a part of the name or model (`q`), by owner and status, newest first. */
  agents(query: Query<'operator.agents'> = {}, options?: RequestOptions): PagePromise<ItemOf<'operator.agents'>> {
    return this.http.list({ method: 'GET', path: '/operator/agents', auth: 'operator', query }, options);
  }

  /**
   * Returns one agent: record, wallet and its flag, webhooks, the failures of late and what happened last.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND)
   */
  agent(agentId: string, options?: RequestOptions): ApiPromise<Reply<'operator.agent'>> {
    return this.http.request({ method: 'GET', path: path`/operator/agents/${agentId}`, auth: 'operator' }, options);
  }

  /**
   * Lists tasks of all owners, newest first. `q` is the id of a task, an owner or an agent. A page may be short or empty
   * although more follow: iterate, or go on while there is a `nextCursor`.
   */
  tasks(query: Query<'operator.tasks'> = {}, options?: RequestOptions): PagePromise<ItemOf<'operator.tasks'>> {
    return this.http.list({ method: 'GET', path: '/operator/tasks', auth: 'operator', query }, options);
  }

  /**
   * Returns one task: states and times, held credits, sandboxes, assessments, dispute, and the types of its events.
   *
   * @throws NotFoundError (TASK_NOT_FOUND)
   */
  task(taskId: string, options?: RequestOptions): ApiPromise<Reply<'operator.task'>> {
    return this.http.request({ method: 'GET', path: path`/operator/tasks/${taskId}`, auth: 'operator' }, options);
  }

  /**
   * Returns work that does not go on, by kind: why, what to do, how many (1000 stands for more), and `pageSize` of each that
   * are stuck the longest.
   */
  stuck(query: Query<'operator.stuck'> = {}, options?: RequestOptions): ApiPromise<Reply<'operator.stuck'>> {
    return this.http.request({ method: 'GET', path: '/operator/stuck', auth: 'operator', query }, options);
  }

  /**
   * Lets the jobs of a kind (the `subject` of what is stuck as `job_given_up`) run again that were given up, at most 1,000 of
   * them. Returns `{ kind, retried }`. The reason goes into the audit trail.
   */
  retryJobs(body: Body<'operator.retryJobs'>, options?: RequestOptions): ApiPromise<Reply<'operator.retryJobs'>> {
    return this.http.request({ method: 'POST', path: '/operator/jobs/retry', auth: 'operator', body }, options);
  }

  /**
   * Returns figures of the last `hour`, `day` (default), `week` or `month`: the times in `at`, `stepMs` apart, and of each
   * figure a value for each time, null where nothing was sampled.
   */
  history(query: Query<'operator.history'> = {}, options?: RequestOptions): ApiPromise<Reply<'operator.history'>> {
    return this.http.request({ method: 'GET', path: '/operator/history', auth: 'operator', query }, options);
  }
}
