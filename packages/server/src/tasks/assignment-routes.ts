import { type Route, route } from '../platform/index.ts';
import { cancelTask } from './cancel.ts';
import { declinedBefore, declineTask } from './decline.ts';
import type { TaskDeps } from './deps.ts';
import { quoteTask } from './quote.ts';
import { recovered } from './recovered.ts';
import { taskView } from './view.ts';

/** What is done about a task that nobody has started. */
export const assignmentRoutes = (deps: TaskDeps): Route[] => [
  route('tasks.decline', (call) => declineTask(deps, call), recovered(deps)(declinedBefore)),
  route(
    'tasks.cancel',
    (call) => cancelTask(deps, call),
    recovered(deps)((task) => taskView(task, 'submitter')),
  ),
  route('tasks.quote', (call) => quoteTask(deps, call)),
];
