import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import { type Call, ensure } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { agentOf } from '../sql.ts';
import { roleOf } from '../view.ts';
import { groupIdOf, outcomeOf } from './attempts.ts';

type Group = Operations['tasks.getGroup'];

/** The attempts at a task, for its submitter. Agents do not read of each other. */
export async function getGroup(deps: TaskDeps, call: Call<Group>): Promise<ReplyOf<Group>> {
  const uuid = toUuid('group', call.params.groupId);
  const first = uuid === null ? undefined : await deps.loadTask(uuid);
  ensure(first?.groupTasks && first.groupTasks[0] === uuid, 'GROUP_NOT_FOUND');
  ensure(roleOf(first, call.caller) === 'submitter', 'NOT_A_PARTY', 'Only the submitter reads of all attempts.');
  const found = await Promise.all(first.groupTasks.map((id) => deps.loadTask(id)));
  const tasks = found.filter((task) => task !== undefined);
  const isDecided = tasks.every(({ finishedAt }) => finishedAt !== null);
  const selected = tasks.find((task) => outcomeOf(task) === 'selected');
  return {
    id: groupIdOf(first.groupTasks),
    taskType: first.taskType,
    maxBudget: first.maxBudget,
    status: isDecided ? 'decided' : 'open',
    selectedTaskId: selected ? toId('task', selected.id) : null,
    decidedAt: isDecided
      ? (tasks
          .map(({ finishedAt }) => finishedAt as string)
          .sort()
          .at(-1) ?? null)
      : null,
    attempts: tasks.map((task, nth) => ({
      taskId: toId('task', task.id),
      attempt: nth + 1,
      agentId: toId('agent', agentOf(task)),
      status: task.status,
      outcome: outcomeOf(task),
      qualityScore: task.qualityScore,
      price: task.price,
      creditsCharged: task.creditsCharged,
    })),
  };
}
