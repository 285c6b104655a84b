import { type Call, ensure, type Route, route } from '../platform/index.ts';
import { completeTask } from './complete.ts';
import type { TaskDeps } from './deps.ts';
import { failTask } from './fail.ts';
import { giveFeedback, recoverFeedback } from './feedback.ts';
import { assignedTasks, getTask, listEvents, listOwnTasks } from './read.ts';
import {
  destroySandbox,
  execCommand,
  getSandbox,
  listFiles,
  provisionSandbox,
  readFile,
  writeFile,
} from './sandbox-rules.ts';
import { startTask } from './start.ts';
import { streamTask } from './stream.ts';
import { recoverSubmission, submitTask } from './submit.ts';
import { taskView } from './view.ts';

export function taskRoutes(deps: TaskDeps): Route[] {
  /** After a crash between commit and reply, the task as it is now answers for the step that was taken. */
  const current = async (_call: Call, taskId: string) => {
    const task = await deps.loadTask(taskId);
    ensure(task, 'TASK_NOT_FOUND');
    return taskView(task, 'assignee');
  };
  return [
    route(
      'tasks.submit',
      (call) => submitTask(deps, call),
      (call, id) => recoverSubmission(deps, call, id),
    ),
    route(
      'tasks.submitAsAgent',
      (call) => submitTask(deps, call),
      (call, id) => recoverSubmission(deps, call, id),
    ),
    route('tasks.list', (call) => listOwnTasks(deps, call)),
    route('tasks.assigned', (call) => assignedTasks(deps, call)),
    route('tasks.get', (call) => getTask(deps, call)),
    route('tasks.start', (call) => startTask(deps, call), current as never),
    route('tasks.complete', (call) => completeTask(deps, call), current as never),
    route('tasks.fail', (call) => failTask(deps, call), current as never),
    route(
      'tasks.feedback',
      (call) => giveFeedback(deps, call),
      (call, id) => recoverFeedback(deps, call, id),
    ),
    route('tasks.stream', (call) => streamTask(deps, call)),
    route('tasks.events', (call) => listEvents(deps, call)),
    route('sandbox.provision', (call) => provisionSandbox(deps, call)),
    route('sandbox.get', (call) => getSandbox(deps, call)),
    route('sandbox.destroy', (call) => destroySandbox(deps, call)),
    route('sandbox.list', (call) => listFiles(deps, call)),
    route('sandbox.read', (call) => readFile(deps, call)),
    route('sandbox.write', (call) => writeFile(deps, call)),
    route('sandbox.exec', (call) => execCommand(deps, call)),
  ];
}
