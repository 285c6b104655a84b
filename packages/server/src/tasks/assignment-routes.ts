import { type Route, route } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { cancelTask } from './lifecycle/cancel.ts';
import { declinedBefore, declineTask } from './lifecycle/decline.ts';
import { replayReply } from './lifecycle/replay-reply.ts';
import { quoteTask } from './routing/quote.ts';
import { taskView } from './view.ts';

/** Operations on tasks before anybody has started them. */
export const assignmentRoutes = (deps: TaskDeps): Route[] => [
  route('tasks.decline', (call) => declineTask(deps, call), replayReply(deps)(declinedBefore)),
  route(
    'tasks.cancel',
    (call) => cancelTask(deps, call),
    replayReply(deps)((task) => taskView(task, 'submitter')),
  ),
  route('tasks.quote', (call) => quoteTask(deps, call)),
];
