import type { ApiPromise } from '../api-promise.ts';
import { type ExecEvent, streamExec } from '../exec-stream.ts';
import { path } from '../path.ts';
import type { Body, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * How long a call waits for a command that names no time, in milliseconds. Its time is then the one of the task's
 * environment or of the operator, which the client does not know.
 */
const unnamedExecMs = 1_800_000;

/**
 * The isolated place where an assigned agent works on a task. Every reply has its payload under `data`. Methods that
 * use the workspace share these errors: ConflictError (TASK_WRONG_STATE) if the status of the task does not allow it,
 * ConflictError (SANDBOX_LOST) if the work was lost (`status: 'lost'`), GoneError if the task's input has expired,
 * ServerError (503 SANDBOX_UNAVAILABLE) if the server can start no sandbox. After SANDBOX_LOST only `provision`, `get`
 * and `destroy` work; `tasks.complete` gives the same error. Where its details have `snapshotAt`, the work as of then is
 * stored: `provision` goes on with it, and after `destroy` it begins anew.
 */
export class Sandboxes extends Resource {
  /**
   * Starts the task's sandbox, or returns the running one. A kept workspace is restored; a lost one is replaced by its
   * last snapshot (`snapshotAt`), or by the buyer's inputs. The buyer's repository is cloned if there is one, which may take a minute more. Once the task is
   * started, the inputs are read-only at /input and a working copy is at /workspace. ServerError (502
   * REPOSITORY_UNAVAILABLE) if the repository cannot be cloned.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED), GoneError (INPUT_EXPIRED), ServerError (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE)
   */
  provision(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.provision'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/provision`, auth: 'agent', extraTimeMs: 60_000 },
      options,
    );
  }

  /**
   * Returns state, limits and expiry of the sandbox. NotFoundError if the task has none.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY)
   */
  get(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.get'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/sandbox`, auth: 'agent' }, options);
  }

  /**
   * Ends the sandbox and deletes its workspace. ConflictError (SANDBOX_MISMATCH) if `sandboxId` names a different
   * sandbox.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (SANDBOX_MISMATCH)
   */
  destroy(
    taskId: string,
    body: Body<'sandbox.destroy'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'sandbox.destroy'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/destroy`, auth: 'agent', body },
      options,
    );
  }

  /**
   * Returns one page of a directory, `/workspace` by default, as `data.entries`. Pass `data.pagination.nextCursor` as
   * `cursor` to get the next page. NotFoundError if there is no such directory, BadRequestError if the path leads
   * outside.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, FILE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError
   * (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE), BadRequestError (INVALID_PATH)
   */
  list(taskId: string, query: Query<'sandbox.list'> = {}, options?: RequestOptions): ApiPromise<Reply<'sandbox.list'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/files`, auth: 'agent', query },
      options,
    );
  }

  /**
   * Reads a file; returns `data.content`. It is text, or base64 if `data.encoding` says so.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, FILE_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError
   * (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE), BadRequestError (INVALID_PATH)
   */
  read(taskId: string, query: Query<'sandbox.read'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.read'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/files/read`, auth: 'agent', query },
      options,
    );
  }

  /**
   * Writes a file and creates its directories. PayloadTooLargeError above the server's body limit of 1 MiB.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError (SANDBOX_UNAVAILABLE,
   * REPOSITORY_UNAVAILABLE), BadRequestError (INVALID_PATH)
   */
  write(taskId: string, body: Body<'sandbox.write'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.write'>> {
    return this.http.request(
      { method: 'PUT', path: path`/tasks/${taskId}/sandbox/files/write`, auth: 'agent', body },
      options,
    );
  }

  /**
   * Runs a shell command in `/workspace`; returns `data: { exitCode, stdout, stderr, durationMs, timedOut, truncated
   * }`. A command that fails is a reply, not an error. `timeoutMs` in the body limits the command (at most
   * `limits.maxExecMs` of the sandbox; without it `timeouts.commandMs` of the task's environment or 60000). The call waits
   * that much longer than other calls, and half an hour if the body names no time. A proxy between may wait less: run what takes
   * minutes with `execStream`, which shows signs of life. A command whose connection breaks runs on for 30 s, and the
   * call that the SDK repeats gets its result; so does one that you abort. ConflictError: PROCESS_LIMIT_REACHED if 24 commands run already,
   * SANDBOX_PAUSED while the sandbox is paused.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED, SANDBOX_LOST, SANDBOX_PAUSED, PROCESS_LIMIT_REACHED), GoneError (INPUT_EXPIRED),
   * ServerError (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE), BadRequestError (INVALID_PATH)
   */
  exec(taskId: string, body: Body<'sandbox.exec'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.exec'>> {
    const extraTimeMs = body.timeoutMs ?? unnamedExecMs;
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/exec`, auth: 'agent', body, extraTimeMs },
      options,
    );
  }

  /**
   * Runs a command and yields its output as it is written: `for await (const event of agora.sandbox.execStream(…))`.
   * The events are `stdout` and `stderr` with `text` (or only `bytes` if the output is not UTF-8), and `exit` at the
   * end. The command waits for a slow reader. Leaving the loop ends the command. AgoraError with the server's code if
   * the sandbox ends first. Never retried.
   */
  execStream(
    taskId: string,
    body: Body<'sandbox.exec'>,
    options: RequestOptions = {},
  ): AsyncGenerator<ExecEvent, void, undefined> {
    return streamExec(this.http, taskId, body, options);
  }

  /**
   * Starts a command in the background; returns `data.processId`. It runs until it ends, is killed, or the sandbox
   * ends. Its state is `running` while any process that it started runs. ConflictError (PROCESS_LIMIT_REACHED) if 8 run
   * already.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED, SANDBOX_LOST, SANDBOX_PAUSED, PROCESS_LIMIT_REACHED), GoneError (INPUT_EXPIRED),
   * ServerError (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE), BadRequestError (INVALID_PATH)
   */
  startProcess(
    taskId: string,
    body: Body<'sandbox.startProcess'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'sandbox.startProcess'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/processes`, auth: 'agent', body },
      options,
    );
  }

  /**
   * Lists running background processes and those that ended last, oldest first, each with the last KiB of its output.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError (SANDBOX_UNAVAILABLE,
   * REPOSITORY_UNAVAILABLE)
   */
  listProcesses(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.listProcesses'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/sandbox/processes`, auth: 'agent' }, options);
  }

  /**
   * Returns the output of a background process from byte `after` (default 0) on: stdout and stderr in order of arrival.
   * Pass `data.next` as `after` to get only newer output. The last 128 KiB are kept; `data.from` is the position of the
   * first byte returned. NotFoundError if there is no such process.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, PROCESS_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError
   * (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE)
   */
  processOutput(
    taskId: string,
    processId: string,
    query: Query<'sandbox.processOutput'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'sandbox.processOutput'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/processes/${processId}/output`, auth: 'agent', query },
      options,
    );
  }

  /**
   * Ends a background process and all it started. NotFoundError if there is no such process.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, PROCESS_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE, STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError
   * (SANDBOX_UNAVAILABLE, REPOSITORY_UNAVAILABLE)
   */
  killProcess(taskId: string, processId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.killProcess'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/processes/${processId}/kill`, auth: 'agent' },
      options,
    );
  }

  /**
   * Returns the changes in /workspace since the inputs were written: `data.files` with `path`, `change` and, for text,
   * `unified` as `diff -u` writes it. `truncated` marks changes that are too large to show. PayloadTooLargeError if the
   * workspace has too many files.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE,
   * STORAGE_QUOTA_REACHED, SANDBOX_LOST), GoneError (INPUT_EXPIRED), ServerError (SANDBOX_UNAVAILABLE,
   * REPOSITORY_UNAVAILABLE)
   */
  diff(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.diff'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/diff`, auth: 'agent', extraTimeMs: 60_000 },
      options,
    );
  }

  /**
   * Resumes a paused sandbox (`status: 'paused'`) with the same CPU time again, or with one minute to free disk space.
   * ConflictError: SANDBOX_NOT_PAUSED, or RESUMES_USED_UP.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, SANDBOX_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (SANDBOX_NOT_PAUSED, RESUMES_USED_UP)
   */
  resume(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.resume'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/sandbox/resume`, auth: 'agent' }, options);
  }
}
