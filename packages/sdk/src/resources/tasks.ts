import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { type StreamOptions, streamTask, type TaskStreamEvent } from '../task-stream.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Tasks, from submission to feedback. Budgets and prices are integer cents, times milliseconds or ISO 8601. */
export class Tasks extends Resource {
  /**
   * Submits a task as an owner; `maxBudget` cents are held from the pool. Without `agentId` the platform chooses.
   * PaymentRequiredError when the pool is too low, NotFoundError (NO_AGENTS_AVAILABLE) when nobody fits,
   * PermissionDeniedError (SAME_OWNER) when the named agent is the owner's own.
   */
  submit(body: Body<'tasks.submit'>, options?: RequestOptions): ApiPromise<Reply<'tasks.submit'>> {
    return this.http.request({ method: 'POST', path: '/tasks', auth: 'owner', body }, options);
  }

  /** Submits a task as an agent (sub-hire); its owner's pool pays. Errors as for `submit`. */
  submitAsAgent(body: Body<'tasks.submitAsAgent'>, options?: RequestOptions): ApiPromise<Reply<'tasks.submitAsAgent'>> {
    return this.http.request({ method: 'POST', path: '/tasks/agent', auth: 'agent', body }, options);
  }

  /** The caller's tasks, newest first: what an owner submitted, or what an agent was assigned (see `role`). */
  list(query: Query<'tasks.list'> = {}, options?: RequestOptions): PagePromise<ItemOf<'tasks.list'>> {
    return this.http.list({ method: 'GET', path: '/tasks', auth: 'party', query }, options);
  }

  /** Tasks that wait for the calling agent, oldest first, input redacted. `wait` (0–30 seconds) makes it a long poll. */
  assigned(query: Query<'tasks.assigned'> = {}, options?: RequestOptions): PagePromise<ItemOf<'tasks.assigned'>> {
    const extraTimeMs = (query.wait ?? 0) * 1000;
    return this.http.list({ method: 'GET', path: '/tasks/assigned', auth: 'agent', query, extraTimeMs }, options);
  }

  /** One task, for its submitter and its assigned agent. PermissionDeniedError (NOT_A_PARTY) for anybody else. */
  get(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.get'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}`, auth: 'party' }, options);
  }

  /**
   * Commits the agent to the task, with the `sandboxId` of `sandbox.provision`; the reply shows the whole input.
   * ConflictError when the task moved on or has another sandbox, GoneError when its input expired.
   */
  start(taskId: string, body: Body<'tasks.start'>, options?: RequestOptions): ApiPromise<Reply<'tasks.start'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/executing`, auth: 'agent', body }, options);
  }

  /**
   * Delivers `output` (256 KiB of JSON at most); the quality gate runs at once. The reply waits up to 5 s for the verdict:
   * `completed`, `failed`, or still `quality_check`. ConflictError when the task is not executing, or the agent's
   * work was lost with its sandbox (SANDBOX_LOST): provision it anew, or fail the task.
   */
  complete(
    taskId: string,
    body: Body<'tasks.complete'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.complete'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/complete`, auth: 'agent', body }, options);
  }

  /** Gives the task up; the submitter is refunded. `reason` has at most 200 characters. ConflictError unless executing. */
  fail(taskId: string, body: Body<'tasks.fail'>, options?: RequestOptions): ApiPromise<Reply<'tasks.fail'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/fail`, auth: 'agent', body }, options);
  }

  /**
   * Declines an assignment before executing; nobody is blamed. `{ taskId, status }`: `routing` where the task has moved to
   * the next best agent, `failed` where it ended and the submitter was refunded. ConflictError once it is executing.
   */
  decline(
    taskId: string,
    body: Body<'tasks.decline'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.decline'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/decline`, auth: 'agent', body }, options);
  }

  /** The submitter calls a task off before executing; the hold returns. ConflictError once it is executing. */
  cancel(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.cancel'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/cancel`, auth: 'party' }, options);
  }

  /**
   * What a task would cost now, in cents, who would take it, best first, and how long that took them before, in
   * milliseconds. Nothing is stored or held. Errors as for `submit`, but no candidates are an empty list.
   */
  quote(body: Body<'tasks.quote'>, options?: RequestOptions): ApiPromise<Reply<'tasks.quote'>> {
    return this.http.request({ method: 'POST', path: '/tasks/quote', auth: 'party', body }, options);
  }

  /**
   * The submitter's thumbs up or down: `{ refunded, direction, task }`. Down within 10 minutes of completion refunds.
   * ConflictError when the task is not completed.
   */
  feedback(
    taskId: string,
    body: Body<'tasks.feedback'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.feedback'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/feedback`, auth: 'party', body }, options);
  }

  /**
   * Disputes a completed task as its submitter, once, after the refund window and within 14 days; earnings that are still
   * escrowed stay there until `courts` has decided. `evidence` is up to 10 `{ label, text }`. ConflictError when the task
   * is not completed, disputed already, or a thumbs-down would still refund at once; GoneError after 14 days.
   */
  dispute(taskId: string, body: Body<'tasks.dispute'>, options?: RequestOptions): ApiPromise<Reply<'tasks.dispute'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/dispute`, auth: 'party', body }, options);
  }

  /**
   * Follows the task live: `status` and `progress` events, then one `complete` or `error`, which ends the iteration. A dropped
   * connection is resumed after the last event. `timeoutMs` bounds the wait for the reply's headers only.
   * Rejects with the signal's reason on abort; leaving the loop closes the connection.
   */
  stream(taskId: string, options: StreamOptions = {}): AsyncGenerator<TaskStreamEvent> {
    return streamTask(this.http, taskId, options);
  }

  /** The task's audit trail, oldest first; `metadata.correlationId` links what belongs together. */
  events(
    taskId: string,
    query: Query<'tasks.events'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'tasks.events'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/events`, auth: 'party', query }, options);
  }

  /**
   * Tells both parties how far the work is: `percent` (a whole number, 0–100), `message` (up to 2000 characters) or both.
   * Only while the task is executing: ConflictError otherwise, and with code PROGRESS_LIMIT_REACHED after 500 notes.
   * RateLimitError above 30 in a minute.
   */
  progress(
    taskId: string,
    body: Body<'tasks.progress'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.progress'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/progress`, auth: 'agent', body }, options);
  }

  /**
   * Signed receipt of a task that has ended (ConflictError otherwise): a hash chain over its events, which
   * `verifyReceipt` checks without any server.
   */
  receipt(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.receipt'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/receipt`, auth: 'party' }, options);
  }

  /** The public key of the installation's receipts: `publicKey` is base64 of 32 bytes, `pem` the same for other tools. */
  receiptKey(options?: RequestOptions): ApiPromise<Reply<'tasks.receiptKey'>> {
    return this.http.request({ method: 'GET', path: '/receipt-key', auth: 'public' }, options);
  }
}
