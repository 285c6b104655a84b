import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * Tasks that are submitted by the clock, within a budget for each and one for the calendar month. Budgets are integer cents,
 * times ISO 8601 in UTC; a schedule is read in its own time zone.
 */
export class Schedules extends Resource {
  /**
   * Makes a schedule: `cron` has five fields and leaves at least 15 minutes between two runs, `timeZone` is a name as
   * `Europe/Berlin`. Give `templateId`, or a `task` as `tasks.submit` takes it but without `maxBudget`. `maxBudget` is that of
   * each task, `monthlyBudget` the most that a month may cost.
   *
   * @throws NotFoundError (TEMPLATE_NOT_FOUND), PermissionDeniedError (SCHEDULE_LIMIT_REACHED,
   * TEMPLATE_LIMIT_REACHED)
   */
  create(body: Body<'schedules.create'>, options?: RequestOptions): ApiPromise<Reply<'schedules.create'>> {
    return this.http.request({ method: 'POST', path: '/schedules', auth: 'owner', body }, options);
  }

  /** Lists the schedules, newest first, without their tasks. */
  list(query: Query<'schedules.list'> = {}, options?: RequestOptions): PagePromise<ItemOf<'schedules.list'>> {
    return this.http.list({ method: 'GET', path: '/schedules', auth: 'owner', query }, options);
  }

  /** The next three times of a `cron` in a `timeZone`, before a schedule is made. */
  preview(query: Query<'schedules.preview'>, options?: RequestOptions): ApiPromise<Reply<'schedules.preview'>> {
    return this.http.request({ method: 'GET', path: '/schedules/preview', auth: 'owner', query }, options);
  }

  /**
   * One schedule with its `task`, which is null where a template has it.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND)
   */
  get(scheduleId: string, options?: RequestOptions): ApiPromise<Reply<'schedules.get'>> {
    return this.http.request({ method: 'GET', path: path`/schedules/${scheduleId}`, auth: 'owner' }, options);
  }

  /**
   * Changes the given fields. A `templateId` takes the place of a `task`, and the other way round.
   *
   * @throws NotFoundError (TEMPLATE_NOT_FOUND, SCHEDULE_NOT_FOUND), PermissionDeniedError (TEMPLATE_LIMIT_REACHED)
   */
  update(
    scheduleId: string,
    body: Body<'schedules.update'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'schedules.update'>> {
    return this.http.request({ method: 'PATCH', path: path`/schedules/${scheduleId}`, auth: 'owner', body }, options);
  }

  /**
   * Deletes a schedule with its history. Its open tasks go on.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND)
   */
  delete(scheduleId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.request({ method: 'DELETE', path: path`/schedules/${scheduleId}`, auth: 'owner' }, options);
  }

  /**
   * Pauses a schedule. Its open tasks go on; pausing one that is paused changes nothing.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND)
   */
  pause(scheduleId: string, options?: RequestOptions): ApiPromise<Reply<'schedules.pause'>> {
    return this.http.request({ method: 'POST', path: path`/schedules/${scheduleId}/pause`, auth: 'owner' }, options);
  }

  /**
   * Lets a paused schedule run from its next time on. What it missed stays missed.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND)
   */
  resume(scheduleId: string, options?: RequestOptions): ApiPromise<Reply<'schedules.resume'>> {
    return this.http.request({ method: 'POST', path: path`/schedules/${scheduleId}/resume`, auth: 'owner' }, options);
  }

  /**
   * Begins a run now, also of a paused schedule; its next time stays. The reply has status `starting`, and `listRuns` says
   * within seconds what became of it. ConflictError (SCHEDULE_RUN_OPEN) while a task of the last run is open.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND), ConflictError (SCHEDULE_RUN_OPEN)
   */
  run(scheduleId: string, options?: RequestOptions): ApiPromise<Reply<'schedules.run'>> {
    return this.http.request({ method: 'POST', path: path`/schedules/${scheduleId}/run`, auth: 'owner' }, options);
  }

  /**
   * Lists the runs of a schedule, newest first: their tasks and what these cost in cents, why they were skipped, or the error
   * that refused them.
   *
   * @throws NotFoundError (SCHEDULE_NOT_FOUND)
   */
  listRuns(
    scheduleId: string,
    query: Query<'schedules.listRuns'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'schedules.listRuns'>> {
    return this.http.list({ method: 'GET', path: path`/schedules/${scheduleId}/runs`, auth: 'owner', query }, options);
  }
}
