import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { type Call, ensure } from '../platform/index.ts';
import { messagesAbout, type TaskDeps, withPatch } from '../tasks/index.ts';
import { assessmentsFor } from './assessments.ts';
import { historyOf } from './history.ts';
import { type Side, sideOf } from './parties.ts';
import { named } from './read.ts';
import { type DisputeRow, disputedDelivery } from './sql.ts';

type DisputedWork = ReplyOf<Operations['courts.disputedWork']>;
type Read = Call<Operations['courts.disputedWork']> | Call<Operations['courts.docketWork']>;

/** Assessments of one task; few, for each comes from a delivery, a dispute or an appeal. */
const mostAssessments = 20;

async function workOf(deps: TaskDeps, call: Read, dispute: DisputeRow, reader: Side | 'operator') {
  const { taskId } = dispute;
  const delivery = await disputedDelivery(deps.pool, taskId);
  const { taskType, input, output } = delivery;
  const assessments = await assessmentsFor(deps.pool, taskId, reader, mostAssessments);
  const messages = await messagesAbout(deps.pool, delivery, call.now);
  const history = await historyOf(deps.pool, dispute);
  const description = typeof input.description === 'string' ? input.description : null;
  const answer = async (patch: DisputedWork['patch']): Promise<DisputedWork> => {
    return { taskId: toId('task', taskId), taskType, output, description, history, assessments, messages, patch };
  };
  // A buyer that got its money back has no claim to the change.
  if (reader === 'buyer' && delivery.status !== 'completed') return answer(null);
  return withPatch(deps, call as unknown as Call, taskId, answer);
}

/** What both sides argue about. The agent's owner reads it here, for it is no party of the task. */
export async function disputedWork(
  deps: TaskDeps,
  call: Call<Operations['courts.disputedWork']>,
): Promise<DisputedWork> {
  const found = await named(deps.pool, call.params.disputeId);
  const side = sideOf(found, call.caller);
  ensure(side !== 'none', 'NOT_A_PARTY', 'Only the buyer and the seller can read the work of a dispute.');
  return workOf(deps, call, found, side);
}

/** What the operator decides about. */
export const docketWork = async (deps: TaskDeps, call: Call<Operations['courts.docketWork']>): Promise<DisputedWork> =>
  workOf(deps, call, await named(deps.pool, call.params.disputeId), 'operator');
