import type { JobHandler } from '../jobs/index.ts';
import { type Job, type Route, route, type Tx } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { scheduleJobs, scheduleQueue } from './jobs.ts';
import {
  createSchedule,
  getSchedule,
  listOwnRuns,
  listOwnSchedules,
  pauseSchedule,
  previewTimes,
  removeSchedule,
  resumeSchedule,
  updateSchedule,
} from './manage.ts';
import { runNow } from './runs.ts';
import { deleteOwned } from './sql.ts';
import { createTemplate, getTemplate, listOwnTemplates, removeTemplate, updateTemplate } from './templates.ts';

/** Forgets the schedules of an owner with what they ran, and its templates. Open tasks stand in the way of a deletion. */
export const eraseSchedules = (tx: Tx, ownerId: string): Promise<void> => deleteOwned(tx, ownerId);

const scheduleRoutes = (deps: TaskDeps): Route[] => [
  route('templates.create', (call) => createTemplate(deps, call)),
  route('templates.list', (call) => listOwnTemplates(deps.pool, call)),
  route('templates.get', (call) => getTemplate(deps.pool, call)),
  route('templates.update', (call) => updateTemplate(deps, call)),
  route('templates.delete', removeTemplate),
  route('schedules.create', (call) => createSchedule(deps, call)),
  route('schedules.list', (call) => listOwnSchedules(deps.pool, call)),
  route('schedules.preview', async (call) => previewTimes(call)),
  route('schedules.get', (call) => getSchedule(deps.pool, call)),
  route('schedules.update', (call) => updateSchedule(deps, call)),
  route('schedules.delete', removeSchedule),
  route('schedules.pause', pauseSchedule),
  route('schedules.resume', resumeSchedule),
  route('schedules.run', (call) => runNow(deps, call)),
  route('schedules.listRuns', (call) => listOwnRuns(deps.pool, call)),
];

export const createSchedules = (deps: TaskDeps): { routes: Route[]; jobs: Job[]; handlers: JobHandler[] } => ({
  routes: scheduleRoutes(deps),
  jobs: scheduleJobs(deps),
  handlers: scheduleQueue(deps),
});
