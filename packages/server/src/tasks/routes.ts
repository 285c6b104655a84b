import type { Operations, TaskView } from '@agora/contract';
import { type Call, type Route, route } from '../platform/index.ts';
import { downloadArtifact, listTaskArtifacts } from './artifacts/read.ts';
import { assignmentRoutes } from './assignment-routes.ts';
import { completeTask } from './complete.ts';
import type { TaskDeps } from './deps.ts';
import { failTask } from './fail.ts';
import { giveFeedback, recoverFeedback } from './feedback.ts';
import { progressRoutes } from './progress-routes.ts';
import { assignedTasks, getTask, listOwnTasks } from './read.ts';
import { sandboxWorkRoutes } from './sandbox-routes.ts';
import {
  destroySandbox,
  execCommand,
  getSandbox,
  listFiles,
  provisionSandbox,
  readFile,
  writeFile,
} from './sandbox-rules.ts';
import type { TaskRow } from './sql.ts';
import { startTask } from './start.ts';
import { recoverSubmission, submitTask } from './submit.ts';
import { taskView } from './view.ts';

export function taskRoutes(deps: TaskDeps): Route[] {
  /**
   * An agent's step whose reply got lost in a crash after its key was stored. Where the step was taken, the task as it
   * is now answers; where it had been refused, it is tried.
   */
  const recover =
    <C extends { claim: unknown }>(run: (call: C) => Promise<TaskView>, wasTaken: (task: TaskRow) => boolean) =>
    async (call: C, taskId: string): Promise<TaskView> => {
      const task = await deps.loadTask(taskId);
      return task && wasTaken(task) ? taskView(task, 'assignee') : run({ ...call, claim: undefined });
    };
  const start = (call: Call<Operations['tasks.start']>) => startTask(deps, call);
  const complete = (call: Call<Operations['tasks.complete']>) => completeTask(deps, call);
  const fail = (call: Call<Operations['tasks.fail']>) => failTask(deps, call);
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
    route(
      'tasks.start',
      start,
      recover(start, (task) => task.startedAt !== null),
    ),
    route(
      'tasks.complete',
      complete,
      recover(complete, (task) => task.output !== null),
    ),
    route(
      'tasks.fail',
      fail,
      recover(fail, (task) => task.status === 'failed'),
    ),
    route(
      'tasks.feedback',
      (call) => giveFeedback(deps, call),
      (call, id) => recoverFeedback(deps, call, id),
    ),
    ...assignmentRoutes(deps),
    ...progressRoutes(deps),
    route('sandbox.provision', (call) => provisionSandbox(deps, call)),
    route('sandbox.get', (call) => getSandbox(deps, call)),
    route('sandbox.destroy', (call) => destroySandbox(deps, call)),
    route('sandbox.list', (call) => listFiles(deps, call)),
    route('sandbox.read', (call) => readFile(deps, call)),
    route('sandbox.write', (call) => writeFile(deps, call)),
    route('sandbox.exec', (call) => execCommand(deps, call)),
    ...sandboxWorkRoutes(deps),
    route('artifacts.list', (call) => listTaskArtifacts(deps, call)),
    route('artifacts.download', (call) => downloadArtifact(deps, call)),
  ];
}
