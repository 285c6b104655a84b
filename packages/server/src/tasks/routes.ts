import { type Route, route } from '../platform/index.ts';
import { downloadArtifact, listTaskArtifacts } from './artifacts/read.ts';
import { assignmentRoutes } from './assignment-routes.ts';
import { getBudget, setBudget } from './budgets/budgets.ts';
import type { TaskDeps } from './deps.ts';
import { completeTask } from './lifecycle/complete.ts';
import { failTask } from './lifecycle/fail.ts';
import { feedbackGiven, giveFeedback } from './lifecycle/feedback.ts';
import { assignedTasks, getTask, listOwnTasks } from './lifecycle/read.ts';
import { replayReply } from './lifecycle/replay-reply.ts';
import { startTask } from './lifecycle/start.ts';
import { type SubmitCall, submitTask, submitted } from './lifecycle/submit.ts';
import { progressRoutes } from './progress-routes.ts';
import { sandboxWorkRoutes } from './sandbox-routes.ts';
import { taskView } from './view.ts';
import {
  destroySandbox,
  execCommand,
  getSandbox,
  listFiles,
  provisionSandbox,
  readFile,
  writeFile,
} from './workspace/handlers.ts';
import { heldRoute } from './workspace/holder.ts';

export function taskRoutes(deps: TaskDeps): Route[] {
  const after = replayReply(deps);
  const submitter = after((task, call: SubmitCall) => submitted(deps, task, call));
  const assignee = after((task) => taskView(task, 'assignee'));
  return [
    route('tasks.submit', (call) => submitTask(deps, call), submitter),
    route('tasks.submitAsAgent', (call) => submitTask(deps, call), submitter),
    route('tasks.list', (call) => listOwnTasks(deps, call)),
    route('tasks.assigned', (call) => assignedTasks(deps, call)),
    route('tasks.get', (call) => getTask(deps, call)),
    route('tasks.start', (call) => startTask(deps, call), assignee),
    heldRoute(deps, 'tasks.complete', (call) => completeTask(deps, call), { lazily: true, recover: assignee }),
    route('tasks.fail', (call) => failTask(deps, call), assignee),
    route('tasks.feedback', (call) => giveFeedback(deps, call), after(feedbackGiven)),
    ...assignmentRoutes(deps),
    ...progressRoutes(deps),
    heldRoute(deps, 'sandbox.provision', (call) => provisionSandbox(deps, call)),
    heldRoute(deps, 'sandbox.get', (call) => getSandbox(deps, call)),
    heldRoute(deps, 'sandbox.destroy', (call) => destroySandbox(deps, call)),
    heldRoute(deps, 'sandbox.list', (call) => listFiles(deps, call)),
    heldRoute(deps, 'sandbox.read', (call) => readFile(deps, call)),
    heldRoute(deps, 'sandbox.write', (call) => writeFile(deps, call)),
    heldRoute(deps, 'sandbox.exec', (call) => execCommand(deps, call)),
    ...sandboxWorkRoutes(deps),
    route('vault.getBudget', (call) => getBudget(deps.pool, call)),
    route('vault.setBudget', setBudget),
    route('artifacts.list', (call) => listTaskArtifacts(deps, call)),
    route('artifacts.download', (call) => downloadArtifact(deps, call)),
  ];
}
