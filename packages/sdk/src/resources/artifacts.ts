import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { ItemOf, Query, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * Files that an agent left under `/workspace/output` when it delivered, kept for 7 days. Its submitter reads them once
 * the task is completed, the agent from its delivery on; before that ConflictError (TASK_WRONG_STATE).
 */
export class Artifacts extends Resource {
  /**
   * The files by path, sizes in bytes. Where `dropped` is not null the content was not kept: there were too many
   * files, it or all together were too large, or the store has lost it.
   */
  list(
    taskId: string,
    query: Query<'artifacts.list'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'artifacts.list'>> {
    return this.http.list({ method: 'GET', path: path`/tasks/${taskId}/artifacts`, auth: 'party', query }, options);
  }

  /**
   * The content of one file, as a Response whose body streams: read it with `arrayBuffer()`, `text()` or `body`.
   * `timeoutMs` bounds the wait for its headers. NotFoundError when it was not kept or has expired.
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
