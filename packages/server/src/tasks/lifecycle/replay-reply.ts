import { ensure } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import type { TaskRow } from '../sql.ts';

/** The reply of a step that was committed before its reply got lost, made of the task as it is now. */
export const replayReply =
  (deps: TaskDeps) =>
  <C, Reply>(replyFrom: (task: TaskRow, call: C) => Reply | Promise<Reply>) =>
  async (call: C, taskId: string): Promise<Reply> => {
    const task = await deps.loadTask(taskId);
    ensure(task, 'NOT_READY');
    return replyFrom(task, call);
  };
