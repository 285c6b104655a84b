import type { ApiPromise } from '../api-promise.ts';
import { type ExecEvent, streamExec } from '../exec-stream.ts';
import { path } from '../path.ts';
import type { Body, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** How long the server lets a command run when the caller does not say, in milliseconds. */
const defaultExecMs = 60_000;

/**
 * The isolated place where an assigned agent works on a task. Every reply carries its payload under `data`.
 * All methods give ConflictError when the task is in no state for it and ServerError (503 SANDBOX_UNAVAILABLE) when the
 * server can start no sandbox. Where the work in it was lost (`status: 'lost'`), all but `provision`, `get` and `destroy`
 * give ConflictError (SANDBOX_LOST), and so does `tasks.complete`.
 */
export class Sandboxes extends Resource {
  /**
   * Starts the task's sandbox, with the work laid that was kept, or returns the one it has; where the work was lost, it
   * starts afresh. Clones the buyer's repository where there is one: that may take a minute more. ServerError
   * (502 REPOSITORY_UNAVAILABLE) when it cannot be cloned. The inputs become readable once the task is started: as given
   * at /input, to be worked on at /workspace.
   */
  provision(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.provision'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/provision`, auth: 'agent', extraTimeMs: 60_000 },
      options,
    );
  }

  /** State, limits and expiry of the sandbox. NotFoundError when the task has none. */
  get(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.get'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/sandbox`, auth: 'agent' }, options);
  }

  /** Ends the sandbox and everything in it. ConflictError (SANDBOX_MISMATCH) when `sandboxId` names another. */
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

  /** A page of a directory, `/workspace` by default: `data.entries`, the next one by `data.pagination.nextCursor`. NotFoundError or BadRequestError for a bad path. */
  list(taskId: string, query: Query<'sandbox.list'> = {}, options?: RequestOptions): ApiPromise<Reply<'sandbox.list'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/files`, auth: 'agent', query },
      options,
    );
  }

  /** Reads a file: `data.content`, as text or, when `data.encoding` says so, base64. */
  read(taskId: string, query: Query<'sandbox.read'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.read'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/files/read`, auth: 'agent', query },
      options,
    );
  }

  /** Writes a file and makes its directories. PayloadTooLargeError above the server's body limit (1 MiB). */
  write(taskId: string, body: Body<'sandbox.write'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.write'>> {
    return this.http.request(
      { method: 'PUT', path: path`/tasks/${taskId}/sandbox/files/write`, auth: 'agent', body },
      options,
    );
  }

  /**
   * Runs a shell command in `/workspace`: `data: { exitCode, stdout, stderr, durationMs, timedOut, truncated }`. A command
   * that fails is a reply, not an error. ConflictError (PROCESS_LIMIT_REACHED) for a 25th at once. `timeoutMs` in the body is the command's (60000 by default, 300000 at most);
   * the call itself waits that much longer than other calls.
   */
  exec(taskId: string, body: Body<'sandbox.exec'>, options?: RequestOptions): ApiPromise<Reply<'sandbox.exec'>> {
    const extraTimeMs = body.timeoutMs ?? defaultExecMs;
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/exec`, auth: 'agent', body, extraTimeMs },
      options,
    );
  }

  /**
   * The same with the output as it is written: `for await (const event of agora.sandbox.execStream(…))`, events `stdout`
   * and `stderr` with `text` (or `bytes` alone where it is no UTF-8) and last `exit`. The command waits for a slow reader;
   * leaving the loop ends it. AgoraError with the server's code when the sandbox ends first. Never retried.
   */
  execStream(
    taskId: string,
    body: Body<'sandbox.exec'>,
    options: RequestOptions = {},
  ): AsyncGenerator<ExecEvent, void, undefined> {
    return streamExec(this.http, taskId, body, options);
  }

  /**
   * Starts a command that goes on by itself until it ends, is killed or the sandbox ends: `data.processId`. It is `running`
   * for as long as anything it started is. ConflictError (PROCESS_LIMIT_REACHED) when as many run as may (8).
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

  /** Background processes that run and the last that have ended, oldest first, each with the last KiB of its output. */
  listProcesses(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.listProcesses'>> {
    return this.http.request({ method: 'GET', path: path`/tasks/${taskId}/sandbox/processes`, auth: 'agent' }, options);
  }

  /**
   * Output of a background process, stdout and stderr in order of arrival, from byte `after` (0) on: pass `data.next` of one reply
   * to get what came since. The last 128 KiB are kept; `data.from` says where the reply begins. NotFoundError for another id.
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

  /** Ends a background process with everything it started, however detached. NotFoundError for another id. */
  killProcess(taskId: string, processId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.killProcess'>> {
    return this.http.request(
      { method: 'POST', path: path`/tasks/${taskId}/sandbox/processes/${processId}/kill`, auth: 'agent' },
      options,
    );
  }

  /**
   * What has changed in /workspace since the inputs were laid: `data.files` with `path`, `change` and, for text,
   * `unified` as `git diff` writes it. `truncated` marks what is too much to be shown. PayloadTooLargeError when the
   * workspace has more files than can be listed.
   */
  diff(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.diff'>> {
    return this.http.request(
      { method: 'GET', path: path`/tasks/${taskId}/sandbox/diff`, auth: 'agent', extraTimeMs: 60_000 },
      options,
    );
  }

  /**
   * Lets a sandbox go on that was paused for its quota (`status: 'paused'`). ConflictError when it is not paused
   * (SANDBOX_NOT_PAUSED) or was resumed as often as it may be (RESUMES_USED_UP).
   */
  resume(taskId: string, options?: RequestOptions): ApiPromise<Reply<'sandbox.resume'>> {
    return this.http.request({ method: 'POST', path: path`/tasks/${taskId}/sandbox/resume`, auth: 'agent' }, options);
  }
}
