import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ItemOf, Query, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * The files that an agent left under `/workspace/output` at delivery. They are kept for 7 days. The agent can read them
 * after delivery, the submitter after the task is completed. Earlier calls give ConflictError (TASK_WRONG_STATE).
 */
export class Artifacts extends Resource {
  /**
   * Lists the files by path; sizes are in bytes. `dropped` is null if the content was kept. Otherwise it says why not:
   * too many files, too large a file, too large a total, or lost.
   *
   * @throws NotFoundError (TASK_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError (TASK_WRONG_STATE)
   */
  list(
    taskId: string,
    query: Query<'artifacts.list'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'artifacts.list'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/artifacts`, auth: 'party', query }, options);
  }

  /**
   * Opens the content of one file. Read the Response with `arrayBuffer()`, `text()` or `body`, which streams.
   * `timeoutMs` limits the wait for the headers only. NotFoundError if the content was not kept or has expired.
   *
   * @throws NotFoundError (TASK_NOT_FOUND, ARTIFACT_NOT_FOUND), PermissionDeniedError (NOT_A_PARTY), ConflictError
   * (TASK_WRONG_STATE)
   */
  download(taskId: string, artifactId: string, options?: RequestOptions): Promise<Response> {
    const spec = {
      method: 'GET',
      path: path`/tasks/${taskId}/artifacts/${artifactId}/content`,
      auth: 'party',
    } as const;
    return this.http.open({ ...spec, headers: { accept: '*/*' } }, options);
  }
}
