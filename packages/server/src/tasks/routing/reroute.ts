import { agreedPrice, feeBps, routingTries, taskTransitions, toId } from '@agora-market/contract';
import { blockedBy, buyersPolicies } from '../../embassy/index.ts';
import type { Claim } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { othersAt } from '../groups/groups-sql.ts';
import { endWithoutCharge, type Refused } from '../lifecycle/fail.ts';
import type { TaskRow } from '../sql.ts';
import { type FinishItem, type ReassignItem, reassignStep } from '../steps/index.ts';
import { routed } from './routing.ts';

/** Why an agent loses a task that it has not started. */
export interface Loss {
  because: 'declined' | 'not_accepted';
  /** What the declining agent said. */
  reason: string | null;
  at: Date;
}

/**
 * Takes a task from an agent that declines it or did not accept it in time. One that the platform routed goes to the
 * next best agent, but never back to one that had it. A direct hire fails, and so does a task without another agent or
 * another try, or one that nobody took while it waited in the queue. The submitter is then refunded. The steps decide:
 * whoever was faster, such as the agent that starts it after all, wins.
 */
export async function loseAgent(
  deps: TaskDeps,
  task: TaskRow,
  loss: Loss,
  claim?: Claim,
): Promise<'reassigned' | 'ended' | Refused> {
  deps.cache.tasks.delete(task.id);
  const moved = await reassign(deps, task, loss, claim);
  if (moved !== 'nobody') return moved;
  const declined = loss.because === 'declined';
  const ended = await endWithoutCharge(
    deps,
    task,
    {
      verb: declined ? 'decline' : 'expire',
      agentId: declined ? task.agentId : null,
      at: loss.at.toISOString(),
      ...wordsOf(task, loss),
    },
    claim,
  );
  return ended === 'ok' ? 'ended' : ended;
}

async function reassign(
  deps: TaskDeps,
  task: TaskRow,
  loss: Loss,
  claim: Claim | undefined,
): Promise<'reassigned' | 'nobody' | Refused> {
  const isRouted = (taskTransitions.reassign.from as readonly string[]).includes(task.status);
  const inputLasts = task.inputExpiresAt !== null && Date.parse(task.inputExpiresAt) > loss.at.getTime();
  if (!isRouted || !inputLasts || hadBy(task).length >= routingTries) return 'nobody';
  const moved = await giveToBest(deps, task, loss, { claim });
  if (moved === 'nobody' || 'refused' in moved) return moved;
  if (task.agentId !== null) deps.queue.mayBeFree(task.agentId, 'now');
  // What the old agent did in its sandbox is not for the new one; where this fails, its next use or the sweep ends it.
  await deps.sandboxes.end(task.id).catch((error) => {
    deps.log.warn({ err: error, taskId: task.id }, 'the sandbox of an agent that lost its task could not be ended');
  });
  return 'reassigned';
}

const hadBy = ({ earlierAgents, agentId }: TaskRow): string[] => [
  ...(earlierAgents ?? []),
  ...(agentId === null ? [] : [agentId]),
];

/**
 * Gives a task to the agent that routing chooses, of those that have not had it; `among` names all that are considered.
 * The hold stays as it is, and the price is agreed anew within it. The step decides.
 */
export async function giveToBest(
  deps: TaskDeps,
  task: TaskRow,
  { because, reason, at }: Pick<ReassignItem, 'because' | 'reason'> & { at: Date },
  { among, claim }: { among?: string[]; claim?: Claim | undefined },
): Promise<{ agentId: string } | 'nobody' | Refused> {
  const others = task.groupTasks === null ? null : await othersAt(deps.pool, task.id, task.groupTasks);
  const tried = [...hadBy(task), ...(others?.passed ?? [])];
  const avoid = blockedBy(await buyersPolicies(deps.pool, task.ownerId, task.submitterAgentId));
  const toRoute = { ...task, tried, otherOwners: others?.owners ?? [], among, avoid };
  for await (const { agentId, baseRateCents, routing } of routed(deps, toRoute)) {
    const item: ReassignItem = {
      taskId: task.id,
      fromAgentId: task.agentId,
      because,
      reason,
      agentId,
      routing,
      names: { from: task.agentId && toId('agent', task.agentId), to: toId('agent', agentId) },
      price: agreedPrice(task.maxBudget, baseRateCents),
      feeBps,
      baseRate: baseRateCents,
      acceptBy: new Date(at.getTime() + deps.config.ACCEPT_DEADLINE_MS).toISOString(),
      tries: routingTries,
      ...(task.groupTasks !== null && { groupTasks: task.groupTasks }),
      at: at.toISOString(),
    };
    const { outcome, status } = await deps.writer.write(reassignStep, item, claim);
    if (outcome === 'ok') return { agentId };
    if (outcome === 'not_party') return { refused: outcome, status };
    if (outcome === 'tried' || outcome === 'policy_denied') break;
    if (outcome === 'wrong_state' || outcome === 'not_due') return { refused: 'wrong_state', status };
  }
  return 'nobody';
}

/** Why it ended. Words of its agent count as such where no other was asked. */
function wordsOf(task: TaskRow, { because, reason }: Loss): Pick<FinishItem, 'reason' | 'errorMessage'> {
  if (because === 'declined' && reason !== null && hadBy(task).length === 1)
    return { reason, errorMessage: `The agent declined the task: ${reason}` };
  return { errorMessage: messageOf(task, because) };
}

function messageOf(task: TaskRow, because: Loss['because']): string {
  const asked = hadBy(task).length;
  if (task.agentId === null) return 'No agent became free in the time that the task was to wait.';
  if (asked > 1) return `The task was offered to ${asked} agents. None accepted it.`;
  if (because === 'declined') return 'The agent declined the task.';
  return task.status === 'routing'
    ? 'The agent did not accept the task in time, and no other agent was available.'
    : 'The agent did not accept the task in time.';
}
