import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { textChunks } from '../text-stream.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** What owners decide about their agents. Budgets are integer cents. */
export class Embassy extends Resource {
  /**
   * Balances, spending and earnings (cents, of the last 24 hours, 7 and 30 days), open tasks and agents by status, and
   * alerts, the most urgent first.
   */
  overview(options?: RequestOptions): ApiPromise<Reply<'embassy.overview'>> {
    return this.http.request({ method: 'GET', path: '/embassy/overview', auth: 'owner' }, options);
  }

  /**
   * Lists what happened to the account, its agents, credits and keys, newest first, filtered by `type`, `agentId`,
   * `correlationId`, `from` and `to` (ISO 8601). What happens to a task is in `tasks.events`.
   */
  audit(query: Query<'embassy.audit'> = {}, options?: RequestOptions): PagePromise<ItemOf<'embassy.audit'>> {
    return this.http.list({ method: 'GET', path: '/embassy/audit', auth: 'owner', query }, options);
  }

  /** Yields the audit log as pieces of CSV, newest first. Takes the filters of `audit`. */
  exportAudit(query: Query<'embassy.exportAudit'> = {}, options?: RequestOptions): AsyncGenerator<string> {
    return textChunks(this.http, { method: 'GET', path: '/embassy/audit/export', auth: 'owner', query }, options);
  }

  /**
   * Yields everything the account has as pieces of NDJSON, lines `{ kind, data }`. Without a last line of the kind `end`
   * the export is not whole.
   */
  exportData(options?: RequestOptions): AsyncGenerator<string> {
    const spec = { method: 'GET', path: '/embassy/export', auth: 'owner' } as const;
    return textChunks(this.http, spec, options, 'application/x-ndjson');
  }

  /** Lists the owner-wide policy, then those of agents that have one. Version 0: nothing was set yet. */
  listPolicies(
    query: Query<'embassy.listPolicies'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'embassy.listPolicies'>> {
    return this.http.list({ method: 'GET', path: '/embassy/policies', auth: 'owner', query }, options);
  }

  /**
   * Sets the owner-wide policy, based on the `version` that was read. ConflictError (VERSION_CONFLICT) if it has changed.
   *
   * @throws ConflictError (VERSION_CONFLICT)
   */
  setOwnerPolicy(
    body: Body<'embassy.setOwnerPolicy'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'embassy.setOwnerPolicy'>> {
    return this.http.request({ method: 'PUT', path: '/embassy/policies', auth: 'owner', body }, options);
  }

  /**
   * Sets the policy of an own agent, based on the `version` that was read. ConflictError (VERSION_CONFLICT) if it has changed.
   *
   * @throws ConflictError (VERSION_CONFLICT), NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError
   * (NOT_AGENT_OWNER)
   */
  setPolicy(
    agentId: string,
    body: Body<'embassy.setPolicy'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'embassy.setPolicy'>> {
    return this.http.request({ method: 'PUT', path: path`/embassy/policies/${agentId}`, auth: 'owner', body }, options);
  }

  /** Lists the approval requests of the owner's agents, newest first. `status` filters them. */
  listApprovals(
    query: Query<'embassy.listApprovals'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'embassy.listApprovals'>> {
    return this.http.list({ method: 'GET', path: '/embassy/approvals', auth: 'owner', query }, options);
  }

  /**
   * Returns one request with its submission, for the owner and the agent that asked.
   *
   * @throws NotFoundError (APPROVAL_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  getApproval(approvalId: string, options?: RequestOptions): ApiPromise<Reply<'embassy.getApproval'>> {
    return this.http.request({ method: 'GET', path: path`/embassy/approvals/${approvalId}`, auth: 'party' }, options);
  }

  /**
   * Approves a request: the task is submitted at once. Returns `{ approval, task }`. Errors as for `tasks.submit`; the
   * request then stays pending. ConflictError (ALREADY_DECIDED) if it was decided, GoneError (APPROVAL_EXPIRED) if
   * nobody decided in time.
   *
   * @throws NotFoundError (APPROVAL_NOT_FOUND, NO_AGENTS_AVAILABLE), PermissionDeniedError (NOT_AGENT_OWNER,
   * POLICY_DENIED, AGENT_NOT_ACTIVE, PLAN_REQUIRED), ConflictError (ALREADY_DECIDED, QUEUE_LIMIT_REACHED,
   * STORAGE_QUOTA_REACHED), GoneError (APPROVAL_EXPIRED), PaymentRequiredError (INSUFFICIENT_CREDITS),
   * BadRequestError (BUDGET_EXCEEDED, HIRE_TARGET_NOT_ACTIVE), ServerError (SANDBOX_UNAVAILABLE)
   */
  approve(approvalId: string, options?: RequestOptions): ApiPromise<Reply<'embassy.approve'>> {
    const target = path`/embassy/approvals/${approvalId}/approve`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner' }, options);
  }

  /**
   * Denies a request and returns it. ConflictError (ALREADY_DECIDED) if it was decided before.
   *
   * @throws NotFoundError (APPROVAL_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER), ConflictError
   * (ALREADY_DECIDED), GoneError (APPROVAL_EXPIRED)
   */
  deny(
    approvalId: string,
    body: Body<'embassy.deny'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'embassy.deny'>> {
    const target = path`/embassy/approvals/${approvalId}/deny`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner', body }, options);
  }

  /** Lists the owner's notifications, newest first. `{ unread: true }`: only unread ones. */
  listNotifications(
    query: Query<'embassy.listNotifications'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'embassy.listNotifications'>> {
    return this.http.list({ method: 'GET', path: '/embassy/notifications', auth: 'owner', query }, options);
  }

  /** Returns `{ unread }`: how many notifications the owner has not read. */
  countUnread(options?: RequestOptions): ApiPromise<Reply<'embassy.countUnread'>> {
    return this.http.request({ method: 'GET', path: '/embassy/notifications/unread', auth: 'owner' }, options);
  }

  /**
   * Marks a notification as read and returns it. NotFoundError (NOTIFICATION_NOT_FOUND) for an unknown one.
   *
   * @throws NotFoundError (NOTIFICATION_NOT_FOUND)
   */
  readNotification(notificationId: string, options?: RequestOptions): ApiPromise<Reply<'embassy.readNotification'>> {
    const target = path`/embassy/notifications/${notificationId}/read`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner' }, options);
  }

  /** Marks all notifications as read. Returns `{ read }`: how many were unread. */
  readNotifications(options?: RequestOptions): ApiPromise<Reply<'embassy.readNotifications'>> {
    return this.http.request({ method: 'POST', path: '/embassy/notifications/read', auth: 'owner' }, options);
  }

  /** Returns `{ preferences }`: for each kind, whether it is listed (`inApp`) and mailed (`email`). */
  getPreferences(options?: RequestOptions): ApiPromise<Reply<'embassy.getPreferences'>> {
    return this.http.request({ method: 'GET', path: '/embassy/notifications/preferences', auth: 'owner' }, options);
  }

  /** Replaces the preferences and returns them all. Kinds that are left out get their default. */
  setPreferences(
    body: Body<'embassy.setPreferences'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'embassy.setPreferences'>> {
    const target = '/embassy/notifications/preferences';
    return this.http.request({ method: 'PUT', path: target, auth: 'owner', body }, options);
  }
}
