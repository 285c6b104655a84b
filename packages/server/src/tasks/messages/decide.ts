import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import type { Queryable } from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
import { type MessageRow, storeDecision } from './sql.ts';

interface Decision {
  id: string;
  by: 'submitter' | 'agent';
  /** The task that takes the offer; null where it is declined or taken back. */
  followUp: string | null;
  at: Date;
}

/** Decides an offer and tells it in the log of the task that it changes. Null if another decision was faster. */
export async function decideOffer(
  tx: Queryable,
  { ownerId, correlationId, taskType }: Pick<TaskRow, 'ownerId' | 'correlationId' | 'taskType'>,
  { id, by, followUp, at }: Decision,
): Promise<MessageRow | null> {
  const decision = followUp === null ? 'declined' : 'accepted';
  const offer = await storeDecision(tx, id, decision, followUp);
  if (offer === null) return null;
  const { taskId, agentId } = offer;
  await appendEvent(tx, {
    ...{ type: 'change.decided', district: 'tasks', at, correlationId, taskId, agentId, ownerId },
    data: { messageId: toId('message', id), decision, by, taskType, followUp: followUp && toId('task', followUp) },
  });
  return offer;
}
