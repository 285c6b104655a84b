import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** Tasks that the owner has saved under a name, to submit them again or by a schedule. Budgets are integer cents. */
export class Templates extends Resource {
  /**
   * Saves a `task`, which is what `tasks.submit` takes and is checked as that, under a `name` of up to 60 characters.
   *
   * @throws PermissionDeniedError (TEMPLATE_LIMIT_REACHED)
   */
  create(body: Body<'templates.create'>, options?: RequestOptions): ApiPromise<Reply<'templates.create'>> {
    return this.http.request({ method: 'POST', path: '/templates', auth: 'owner', body }, options);
  }

  /** Lists the templates, newest first, with name, title, type and budget but without their tasks. */
  list(query: Query<'templates.list'> = {}, options?: RequestOptions): PagePromise<ItemOf<'templates.list'>> {
    return this.http.list({ method: 'GET', path: '/templates', auth: 'owner', query }, options);
  }

  /**
   * One template with its `task`, which `tasks.submit` takes as it is.
   *
   * @throws NotFoundError (TEMPLATE_NOT_FOUND)
   */
  get(templateId: string, options?: RequestOptions): ApiPromise<Reply<'templates.get'>> {
    return this.http.request({ method: 'GET', path: path`/templates/${templateId}`, auth: 'owner' }, options);
  }

  /**
   * Renames a template, or replaces its whole `task`. Schedules that use it submit the new one from their next run on.
   *
   * @throws NotFoundError (TEMPLATE_NOT_FOUND), PermissionDeniedError (TEMPLATE_LIMIT_REACHED)
   */
  update(
    templateId: string,
    body: Body<'templates.update'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'templates.update'>> {
    return this.http.request({ method: 'PATCH', path: path`/templates/${templateId}`, auth: 'owner', body }, options);
  }

  /**
   * Deletes a template. ConflictError (TEMPLATE_IN_USE) where schedules submit it; `details.scheduleIds` names them.
   *
   * @throws NotFoundError (TEMPLATE_NOT_FOUND), ConflictError (TEMPLATE_IN_USE)
   */
  delete(templateId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: path`/templates/${templateId}`, auth: 'owner' }, options);
  }
}
