import { can, type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { type Call, ensure } from '../../platform/index.ts';
import { wrongState } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { loseAgent } from '../routing/reroute.ts';
import type { TaskRow } from '../sql.ts';
import { taskFor } from '../task-cache.ts';

type Decline = Operations['tasks.decline'];

/** The assigned agent does not want the task, and is not blamed for that. It is no party any more where the task moves on. */
export async function declineTask(deps: TaskDeps, call: Call<Decline>): Promise<ReplyOf<Decline>> {
  const { task } = await taskFor(deps, call.params.taskId, call.caller, can.decline);
  const loss = { because: 'declined' as const, reason: call.body?.reason ?? null, at: call.now };
  const result = await loseAgent(deps, task, loss, call.claim && { subject: task.id, ...call.claim });
  if (typeof result === 'object') {
    ensure(result.refused !== 'not_party', 'NOT_A_PARTY');
    throw wrongState(result.status);
  }
  return declined(task.id, result === 'ended' ? 'failed' : 'routing');
}

const declined = (taskId: string, status: 'routing' | 'failed') => ({ taskId: toId('task', taskId), status });

/** The reply of a decline that was taken: the agent is one of the earlier ones unless the task ended with it. */
export const declinedBefore = ({ id, earlierAgents }: TaskRow, { caller }: Call<Decline>): ReplyOf<Decline> =>
  declined(id, earlierAgents?.includes(caller.agentId) ? 'routing' : 'failed');
