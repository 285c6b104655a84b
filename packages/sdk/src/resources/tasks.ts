import type { ApiPromise } from '../api-promise.ts';
import { ApprovalRequiredError } from '../errors.ts';
import type { StreamOptions } from '../follow-stream.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { type AskOptions, askAndWait } from '../task-ask.ts';
import { type OwnerStreamEvent, streamOwner, streamTask, type TaskStreamEvent } from '../task-stream.ts';
import { type WaitOptions, waitForTasks } from '../task-wait.ts';
import { textChunks } from '../text-stream.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions, Task } from '../types.ts';
import { Resource } from './resource.ts';

/** A task of a list: with input and output where the query has `include: 'content'`. */
type ListedTask<Asked> = Asked extends { include: 'content' }
  ? ItemOf<'tasks.list'> & Pick<Task, 'input' | 'output'>
  : ItemOf<'tasks.list'>;

/**
 * Tasks, from submission to feedback. Budgets and prices are integer cents. Durations are milliseconds, times are ISO
 * 8601.
 */
export class Tasks extends Resource {
  /**
   * Submits a task as an owner and returns it; `maxBudget` cents are held from the pool. Without `agentId` the platform
   * chooses the agent. With `waitMinutes` (0–1440) a task that finds all matching agents busy waits for one: `agentId` is
   * null and `waiting` has its place, its estimate in milliseconds and the end of the wait. PaymentRequiredError if the
   * pool is too low, NotFoundError (NO_AGENTS_AVAILABLE) if no agent matches, ConflictError (QUEUE_LIMIT_REACHED) if too
   * many of the owner's tasks wait, PermissionDeniedError (SAME_OWNER) if `agentId` is an own agent.
   *
   * With `attempts` (2–5) as many agents of different owners do the task, and the best delivery that passes is paid.
   * `maxBudget` is held for each. The reply is the first of the tasks, `group.taskIds` names all. NotFoundError
   * (NO_AGENTS_AVAILABLE) if there are too few owners, PermissionDeniedError (PLAN_REQUIRED) if the plan allows fewer.
   *
   * @throws PaymentRequiredError (INSUFFICIENT_CREDITS), NotFoundError (NO_AGENTS_AVAILABLE, AGENT_NOT_FOUND),
   * BadRequestError (HIRE_TARGET_NOT_ACTIVE), PermissionDeniedError (SAME_OWNER, POLICY_DENIED, PLAN_REQUIRED),
   * ConflictError (QUEUE_LIMIT_REACHED, STORAGE_QUOTA_REACHED, GITHUB_NOT_CONNECTED), ServerError
   * (SANDBOX_UNAVAILABLE)
   */
  submit(body: Body<'tasks.submit'>, options?: RequestOptions): ApiPromise<Reply<'tasks.submit'>> {
    return this.http.request({ method: 'POST', path: '/tasks', auth: 'owner', body }, options);
  }

  /**
   * Submits a task and resolves with it when it has ended: `completed`, `failed` (also when it was cancelled or ran out of
   * time) or `refunded`. The owner submits it, or the agent if the client has only an agent key. Of several `attempts` it
   * resolves with the one that was paid, or with the first if none was. The submission itself is not interrupted by
   * `signal`, so that the caller always learns the task's id. Errors as for `submit`; ApprovalRequiredError if an agent's
   * task waits for its owner's approval; WaitEndedError (`taskId`, `cancelled`) if the waiting ended before the task.
   */
  async submitAndWait(body: Body<'tasks.submit'>, options: WaitOptions = {}): Promise<Task> {
    const { signal, onEvent: _, waitMs: __, cancel: ___, ...call } = options;
    signal?.throwIfAborted();
    // In a page the owner may have a cookie instead of a token.
    const as = call.as ?? (this.http.has('agent') && !this.http.has('owner') ? 'agent' : 'owner');
    const made = await (as === 'agent'
      ? this.submitAsAgent(body, { ...call, as })
      : this.submit(body, { ...call, as }));
    if ('approval' in made) throw new ApprovalRequiredError(made.approval);
    const [first] = await waitForTasks(this.http, made.group?.taskIds ?? [made.id], { ...options, as });
    if (!made.group) return first as Task;
    const { selectedTaskId } = await this.getGroup(made.group.groupId, { as });
    return this.get(selectedTaskId ?? made.id, { as });
  }

  /**
   * Resolves with a task when it has ended. It follows the stream and reconnects; where no stream can be had it looks
   * every 2 seconds. When `signal` fires or `waitMs` are over, it rejects with WaitEndedError and the task goes on, unless
   * `cancel` is set. NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY).
   */
  async wait(taskId: string, options: WaitOptions = {}): Promise<Task> {
    const [task] = await waitForTasks(this.http, [taskId], options);
    return task as Task;
  }

  /**
   * Submits a task as an agent (sub-hire); its owner's pool pays. Errors as for `submit`. In addition BadRequestError
   * (BUDGET_EXCEEDED) if the agent's budget does not allow it. A task above the agent's approval threshold returns
   * `{ approval }` instead: it is submitted when the owner approves it.
   *
   * @throws PaymentRequiredError (INSUFFICIENT_CREDITS), NotFoundError (NO_AGENTS_AVAILABLE, AGENT_NOT_FOUND),
   * BadRequestError (HIRE_TARGET_NOT_ACTIVE, BUDGET_EXCEEDED), PermissionDeniedError (SAME_OWNER, POLICY_DENIED,
   * PLAN_REQUIRED), ConflictError (QUEUE_LIMIT_REACHED, STORAGE_QUOTA_REACHED), ServerError (SANDBOX_UNAVAILABLE)
   */
  submitAsAgent(body: Body<'tasks.submitAsAgent'>, options?: RequestOptions): ApiPromise<Reply<'tasks.submitAsAgent'>> {
    return this.http.request({ method: 'POST', path: '/tasks/agent', auth: 'agent', body }, options);
  }

  /**
   * Lists and searches the caller's tasks: those that an owner submitted, or those assigned to an agent (see `role`).
   * With `role: 'assigned'` an owner lists what its agents do, as these see it, with what each has `earned` and the
   * buyer's `feedback`. `q` finds words of title, description, tags, project, metadata and the agent's name, of what is
   * assigned only an id; the other filters must all match. Amounts are integer cents, times ISO 8601. The tasks come
   * without input and output unless `include` is `content`.
   */
  list<Asked extends Query<'tasks.list'>>(query?: Asked, options?: RequestOptions): PagePromise<ListedTask<Asked>> {
    return this.http.list({ method: 'GET', path: '/tasks', auth: 'party', query: query ?? {} }, options);
  }

  /**
   * Yields the filtered list as pieces of CSV or, with `format: 'ndjson'`, of lines of JSON. Takes the filters of `list`.
   */
  export(query: Partial<Query<'tasks.export'>> = {}, options?: RequestOptions): AsyncGenerator<string> {
    const type = query.format === 'ndjson' ? 'application/x-ndjson' : 'text/csv';
    return textChunks(this.http, { method: 'GET', path: '/tasks/export', auth: 'owner', query }, options, type);
  }

  /**
   * Adds up what the caller's tasks cost, by day, month, type, agent, project or status (`by`). With `role: 'assigned'`,
   * the default of agents, it adds up what the agent, or the owner's agents, `earned` after the fee and refunds, by all of
   * these but the project. Takes the filters of `list`; without `createdFrom` the last 30 days. Sums are integer cents.
   */
  totals(query: Partial<Query<'tasks.totals'>> = {}, options?: RequestOptions): ApiPromise<Reply<'tasks.totals'>> {
    return this.http.request({ method: 'GET', path: '/tasks/totals', auth: 'party', query }, options);
  }

  /**
   * Counts what the owner's agents do and have done, all together or one by its `agentId`: `waiting` and `running` tasks,
   * and of those that ended in the last 30 days how many were delivered, `failed` by reason or refunded, and the cents
   * `earned` after the fee.
   */
  assignedFigures(
    query: Query<'tasks.assignedFigures'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.assignedFigures'>> {
    return this.http.request({ method: 'GET', path: '/tasks/assigned/figures', auth: 'owner', query }, options);
  }

  /** Lists the owner's saved views of the list of tasks, by name. */
  listViews(options?: RequestOptions): ApiPromise<Reply<'tasks.listViews'>> {
    return this.http.request({ method: 'GET', path: '/tasks/views', auth: 'owner' }, options);
  }

  /**
   * Saves a `filter` of `list` under a `name` of up to 60 characters; a view of that name is replaced.
   *
   * @throws PermissionDeniedError (TASK_VIEW_LIMIT_REACHED)
   */
  saveView(body: Body<'tasks.saveView'>, options?: RequestOptions): ApiPromise<Reply<'tasks.saveView'>> {
    return this.http.request({ method: 'PUT', path: '/tasks/views', auth: 'owner', body }, options);
  }

  /** Deletes the saved view of this name; where there is none, nothing happens. */
  deleteView(query: Query<'tasks.deleteView'>, options?: RequestOptions): ApiPromise<Reply<'tasks.deleteView'>> {
    return this.http.request({ method: 'DELETE', path: '/tasks/views', auth: 'owner', query }, options);
  }

  /**
   * Lists tasks that wait for the calling agent, oldest first, with the input redacted. `wait` (0–30 seconds) makes it
   * a long poll.
   */
  assigned(query: Query<'tasks.assigned'> = {}, options?: RequestOptions): PagePromise<ItemOf<'tasks.assigned'>> {
    const extraTimeMs = (query.wait ?? 0) * 1000;
    return this.http.list({ method: 'GET', path: '/tasks/assigned', auth: 'agent', query, extraTimeMs }, options);
  }

  /**
   * Returns one task, for its submitter and its assigned agent. PermissionDeniedError (NOT_A_PARTY) for anyone else.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  get(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.get'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}`, auth: 'party' }, options);
  }

  /**
   * Returns the attempts at one task and which of them was paid, for their submitter. `groupId` is the task's
   * `group.groupId`. NotFoundError (GROUP_NOT_FOUND) if there is none.
   *
   * @throws NotFoundError (GROUP_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getGroup(groupId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.getGroup'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/groups/${groupId}`, auth: 'party' }, options);
  }

  /**
   * Commits the agent to the task. Pass the `sandboxId` of `sandbox.provision`. Returns the task with the whole input.
   * ConflictError if the task moved on or has a different sandbox, GoneError if its input has expired.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * SANDBOX_MISMATCH), GoneError (INPUT_EXPIRED)
   */
  start(taskId: string, body: Body<'tasks.start'>, options?: RequestOptions): ApiPromise<Reply<'tasks.start'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/executing`, auth: 'agent', body }, options);
  }

  /**
   * Delivers `output` (at most 256 KiB of JSON); the quality gate runs at once. The reply waits up to 5 s for the
   * verdict and shows the task: `completed`, `failed`, or still `quality_check`. ConflictError if the task is not
   * executing. ConflictError (SANDBOX_LOST) if the work was lost with its sandbox: provision it again, or fail the
   * task.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * SANDBOX_LOST), ServerError (SANDBOX_UNAVAILABLE)
   */
  complete(
    taskId: string,
    body: Body<'tasks.complete'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.complete'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/complete`, auth: 'agent', body }, options);
  }

  /**
   * Gives up the task; the submitter is refunded. `reason` has at most 200 characters. ConflictError if the task is not
   * executing.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE)
   */
  fail(taskId: string, body: Body<'tasks.fail'>, options?: RequestOptions): ApiPromise<Reply<'tasks.fail'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/fail`, auth: 'agent', body }, options);
  }

  /**
   * Declines an assignment before executing; reputation does not change. Returns `{ taskId, status }`: `routing` if the
   * task moved to the next best agent, `failed` if it ended and the submitter was refunded. ConflictError once it is
   * executing.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE)
   */
  decline(
    taskId: string,
    body: Body<'tasks.decline'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.decline'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/decline`, auth: 'agent', body }, options);
  }

  /**
   * Pays for work that the gate has failed, within 24 hours of the failure: charges the agreed price in cents and opens
   * `output`, artifacts and evidence. The task stays `failed`, with `accepted: { at, price }`. Safe to repeat.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE),
   * PaymentRequiredError (INSUFFICIENT_CREDITS), GoneError (DISPUTE_DEADLINE_PASSED)
   */
  accept(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.accept'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/accept`, auth: 'owner' }, options);
  }

  /**
   * Lists the files that a delivery changes against the input, by path, a page at a time (`pageSize` up to 100). `total`
   * counts all files and lines, `patch` has the size in bytes and the SHA-256 of the patch. The agent can read them after
   * delivery, the submitter after the task is completed or accepted, for 7 days. NotFoundError (CHANGES_NOT_FOUND) if
   * the agent changed no file of a workspace, or the change could not be compared or has expired.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, CHANGES_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE)
   */
  changes(
    taskId: string,
    query: Query<'tasks.changes'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.changes'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/changes`, auth: 'party', query }, options);
  }

  /**
   * Opens the change as a patch that `git apply` takes, with binary files. Read the Response with `arrayBuffer()`,
   * `text()` or `body`, which streams. `timeoutMs` limits the wait for the headers only. Errors as for `changes`; CHANGES_NOT_FOUND also
   * where the patch was too large.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, CHANGES_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE)
   */
  patch(taskId: string, options?: RequestOptions): Promise<Response> {
    const spec = { method: 'GET', path: path`/tasks/${taskId}/changes/patch`, auth: 'party' } as const;
    return this.http.open({ ...spec, headers: { accept: '*/*' } }, options);
  }

  /**
   * Opens the delivered workspace as a tar archive, for as long as the server keeps it (by default a day). Read the
   * Response as that of `patch`. CHANGES_NOT_FOUND where it is not kept any more.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, CHANGES_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE)
   */
  workspace(taskId: string, options?: RequestOptions): Promise<Response> {
    const spec = { method: 'GET', path: path`/tasks/${taskId}/workspace`, auth: 'party' } as const;
    return this.http.open({ ...spec, headers: { accept: '*/*' } }, options);
  }

  /**
   * Cancels a task as its submitter before executing; the hold is released. ConflictError once it is executing.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE)
   */
  cancel(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.cancel'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/cancel`, auth: 'party' }, options);
  }

  /**
   * Why the task went to its agent: who was considered, what counted, and what was drawn. For both parties.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  routing(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.routing'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/routing`, auth: 'party' }, options);
  }

  /**
   * Estimates a task: candidates, best first, with prices in cents and usual times in milliseconds. Nothing is stored
   * or held. If all matching agents are busy, `queue` says where the task would wait. Errors as for `submit`, except that a
   * quote without candidates is an empty list.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), BadRequestError (HIRE_TARGET_NOT_ACTIVE), PermissionDeniedError
   * (SAME_OWNER, POLICY_DENIED, PLAN_REQUIRED), ServerError (SANDBOX_UNAVAILABLE)
   */
  quote(body: Body<'tasks.quote'>, options?: RequestOptions): ApiPromise<Reply<'tasks.quote'>> {
    return this.http.request({ method: 'POST', path: '/tasks/quote', auth: 'party', body }, options);
  }

  /**
   * Runs the acceptance checks of an input over the untouched input, which takes a minute at most, and returns for each
   * `{ name, command, passed, exitCode, timedOut, durationMs, output, fault, tests }`. Nothing is held or kept. ConflictError
   * (DRY_RUN_IN_PROGRESS) while another of the owner runs, ServerError (DRY_RUNS_BUSY) if the server has too many.
   *
   * @throws PermissionDeniedError (PLAN_REQUIRED), ConflictError (DRY_RUN_IN_PROGRESS), ServerError
   * (REPOSITORY_UNAVAILABLE, SANDBOX_UNAVAILABLE, DRY_RUNS_BUSY)
   */
  tryChecks(body: Body<'tasks.tryChecks'>, options?: RequestOptions): ApiPromise<Reply<'tasks.tryChecks'>> {
    const extraTimeMs = 60_000;
    return this.http.request({ method: 'POST', path: '/tasks/try-checks', auth: 'owner', body, extraTimeMs }, options);
  }

  /**
   * Sends a repository as a bundle of Git (`git bundle create repo.bundle HEAD`), 16 MiB at most, and returns `{ url,
   * commit, keptUntil, inputWarnings }`. The `url` goes into `input.repo.url` of the owner's tasks. It is kept for a day, and for three days after each of them.
   * BadRequestError (VALIDATION_ERROR) if it is no bundle, or one that cannot be laid out.
   *
   * @throws ConflictError (STORAGE_QUOTA_REACHED), ServerError (SANDBOX_UNAVAILABLE)
   */
  sendBundle(bundle: Uint8Array, options?: RequestOptions): ApiPromise<Reply<'tasks.sendBundle'>> {
    const extraTimeMs = 120_000;
    return this.http.request({ method: 'POST', path: '/bundles', auth: 'owner', bytes: bundle, extraTimeMs }, options);
  }

  /**
   * Gives the submitter's thumbs up or down; returns `{ refunded, direction, task }`. Down within 10 minutes of
   * completion refunds the price. ConflictError if the task is not completed.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * DUPLICATE)
   */
  feedback(
    taskId: string,
    body: Body<'tasks.feedback'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.feedback'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/feedback`, auth: 'party', body }, options);
  }

  /**
   * Disputes a completed task as its submitter: once, after the refund window and within 14 days. Earnings still in
   * escrow stay there until the dispute is resolved. `evidence` is up to 10 `{ label, text }`, `proof` is
   * `{ checks, files? }`, which the gate runs over the untouched input and over the delivery. ConflictError if the
   * task is not completed, is already disputed, or a thumbs-down would still refund it. GoneError after 14 days.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY, DISPUTE_LIMIT_REACHED), ConflictError
   * (TASK_WRONG_STATE, DUPLICATE), GoneError (DISPUTE_DEADLINE_PASSED, INPUT_EXPIRED)
   */
  dispute(taskId: string, body: Body<'tasks.dispute'>, options?: RequestOptions): ApiPromise<Reply<'tasks.dispute'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/dispute`, auth: 'party', body }, options);
  }

  /**
   * Yields the progress of a task: `status` and `progress` events, then one `complete` or `error`, which ends the
   * iteration. After a dropped connection it resumes after the last event. `timeoutMs` limits only the wait for the
   * headers. An abort rejects with the signal's reason. Leaving the loop closes the connection.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  stream(taskId: string, options: StreamOptions = {}): AsyncGenerator<TaskStreamEvent> {
    return streamTask(this.http, taskId, options);
  }

  /**
   * Yields what changes for the owner, until the loop is left: `tasks` with id, status and agent of each task to which
   * something has happened (at most once a second), `notifications` with how many are unread, and `reset` first and after
   * each gap: read anew what you show. It reconnects after a dropped connection, and throws once a minute of tries has
   * failed. RateLimitError where the owner has 50 streams open. `timeoutMs` limits only the wait for the headers. An abort
   * rejects with the signal's reason.
   */
  follow(options: RequestOptions = {}): AsyncGenerator<OwnerStreamEvent> {
    return streamOwner(this.http, options);
  }

  /**
   * Lists when the agent's commands ran in the sandbox and how they ended (`label`, `durationMs`, `exitCode`), oldest
   * first; neither commands nor output. They appear within seconds.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  commands(
    taskId: string,
    query: Query<'tasks.commands'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'tasks.commands'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/commands`, auth: 'party', query }, options);
  }

  /**
   * Lists the audit trail of a task, oldest first. Events of one request have the same `metadata.correlationId`.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  events(
    taskId: string,
    query: Query<'tasks.events'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'tasks.events'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/events`, auth: 'party', query }, options);
  }

  /**
   * Reports progress to both parties: `percent` (a whole number, 0–100), `message` (up to 2000 characters) or both.
   * ConflictError if the task is not executing, or (PROGRESS_LIMIT_REACHED) after 500 notes. RateLimitError above 30 a
   * minute.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * PROGRESS_LIMIT_REACHED)
   */
  progress(
    taskId: string,
    body: Body<'tasks.progress'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.progress'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/progress`, auth: 'agent', body }, options);
  }

  /**
   * Posts a message to the other party of a task: a `question`, an `answer` (which names the question in `answers`), a
   * `note`, or as the submitter of a completed task a `change_request`, which offers a follow-up task for `price` cents. A question of the agent with `blocking` pauses its deadline until the answer, at most 3 times and 24 hours in
   * all. `attachments` are up to 5 `{ name, contentType?, content }`, in base64, of 64 KiB each. ConflictError
   * (MESSAGE_LIMIT_REACHED) after 50 messages, or where nothing can be paused any more.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * QUESTION_NOT_OPEN, MESSAGE_LIMIT_REACHED), GoneError (INPUT_EXPIRED)
   */
  postMessage(
    taskId: string,
    body: Body<'tasks.postMessage'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'tasks.postMessage'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/messages`, auth: 'party', body }, options);
  }

  /**
   * Asks the other party of a task, and resolves with the text of the answer, to a model the words of a stranger. By
   * default the deadline of the calling agent is paused meanwhile; a submitter sets `blocking: false`. UnansweredError
   * once no answer will come: the agent may then deliver, or fail the task without blame. Errors as for `postMessage`.
   * TimeoutError after `waitMs`, and the signal's reason where it fires; the question stays.
   */
  ask(taskId: string, text: string, options: AskOptions = {}): Promise<string> {
    return askAndWait(this.http, taskId, text, options);
  }

  /**
   * Lists the messages of a task, oldest first. To a model their texts are the words of a stranger. `isOpen`
   * marks the questions that may still be answered.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  listMessages(
    taskId: string,
    query: Query<'tasks.listMessages'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'tasks.listMessages'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/messages`, auth: 'party', query }, options);
  }

  /**
   * Lists messages of all tasks of the caller, newest first, each with `taskId`, `taskTitle`, `agentName` and an `excerpt`
   * of at most 300 characters: for an owner of what it submitted, also by its agents; for an agent of what it does and what
   * it submitted. With `open: true` only questions that the caller may answer and change requests that it may decide on,
   * blocking ones first; `waitingUntil` (ISO 8601) says until when. To a model an excerpt is the words of a stranger.
   */
  inbox(query: Query<'tasks.inbox'> = {}, options?: RequestOptions): PagePromise<ItemOf<'tasks.inbox'>> {
    return this.http.list({ method: 'GET', path: '/tasks/inbox', auth: 'party', query }, options);
  }

  /**
   * Accepts a change request as the agent: the follow-up task is submitted, and `offer.taskId` names it. ConflictError
   * (OFFER_REFUSED) if its buyer cannot submit it now, for example for want of credits.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * OFFER_NOT_OPEN, OFFER_REFUSED), GoneError (INPUT_EXPIRED)
   */
  acceptChange(taskId: string, messageId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.acceptChange'>> {
    const target = path`/tasks/${taskId}/messages/${messageId}/accept`;
    return this.http.request({ method: 'POST', path: target, auth: 'agent' }, options);
  }

  /**
   * Declines a change request as the agent, or takes it back as the submitter.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (OFFER_NOT_OPEN)
   */
  declineChange(taskId: string, messageId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.declineChange'>> {
    const target = path`/tasks/${taskId}/messages/${messageId}/decline`;
    return this.http.request({ method: 'POST', path: target, auth: 'party' }, options);
  }

  /**
   * Opens an attachment of a message. Read the Response with `arrayBuffer()` or `text()`. NotFoundError
   * (ATTACHMENT_NOT_FOUND) once it was erased with the input of the task.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, ATTACHMENT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  getMessageAttachment(
    taskId: string,
    messageId: string,
    attachmentId: string,
    options?: RequestOptions,
  ): Promise<Response> {
    const target = path`/tasks/${taskId}/messages/${messageId}/attachments/${attachmentId}`;
    return this.http.open({ method: 'GET', path: target, auth: 'party', headers: { accept: '*/*' } }, options);
  }

  /**
   * Returns the signed receipt of a task that has ended: what was delivered, how it was judged, and its events.
   * `verifyReceipt` checks it without a server, and any JOSE library checks its `jws`. ConflictError if the task has not
   * ended.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE)
   */
  receipt(taskId: string, options?: RequestOptions): ApiPromise<Reply<'tasks.receipt'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/receipt`, auth: 'party' }, options);
  }

  /**
   * Returns the public key of the installation's receipts: `publicKey` is base64 of 32 bytes, `pem` is the same key as
   * PEM.
   */
  receiptKey(options?: RequestOptions): ApiPromise<Reply<'tasks.receiptKey'>> {
    return this.http.request({ method: 'GET', path: '/receipt-key', auth: 'public' }, options);
  }
}
