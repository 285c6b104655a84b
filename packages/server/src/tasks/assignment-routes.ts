import { type Route, route } from '../platform/index.ts';
import { cancelTask, recoverCancel } from './cancel.ts';
import { declineTask, recoverDecline } from './decline.ts';
import type { TaskDeps } from './deps.ts';
import { quoteTask } from './quote.ts';

/** What is done about a task that nobody has started. */
export const assignmentRoutes = (deps: TaskDeps): Route[] => [
  route(
    'tasks.decline',
    (call) => declineTask(deps, call),
    (call, id) => recoverDecline(deps, call, id),
  ),
  route(
    'tasks.cancel',
    (call) => cancelTask(deps, call),
    (call, id) => recoverCancel(deps, call, id),
  ),
  route('tasks.quote', (call) => quoteTask(deps, call)),
];
