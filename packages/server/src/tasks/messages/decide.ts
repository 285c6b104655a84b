import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { defineFunction, type Queryable } from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
import { type MessageRow, storeDecline } from './sql.ts';

interface About {
  messageId: string;
  decision: 'accepted' | 'declined';
  by: 'submitter' | 'agent';
  taskType: string;
  /** The task that takes the offer. */
  followUp: string | null;
}

/** What the log of the task that an offer changes says of its decision. */
export const changeDecided = ({ messageId, followUp, ...rest }: About) => ({
  ...{ messageId: toId('message', messageId), ...rest, followUp: followUp && toId('task', followUp) },
});

/** Offers are accepted with the tasks that take them, by the step that stores these. Returns which could still be. */
defineFunction(
  'offers_accept',
  `create or replace function offers_accept(p_id uuid[], p_task uuid[], p_data json[], p_at timestamptz[])
returns setof uuid language sql as $$
  with accepted as (
    update task_messages m set offer_decision = 'accepted', offer_task_id = i.task
    from unnest(p_id, p_task, p_data, p_at) as i(id, task, data, at), tasks t
    where m.id = i.id and m.offer_decision is null and t.id = m.task_id and t.status = 'completed'
    returning m.id, m.task_id, m.agent_id, t.owner_id, t.correlation_id, i.data, i.at
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'change.decided', 'tasks', at, task_id, agent_id, owner_id, correlation_id, data from accepted
  )
  select id from accepted
$$`,
);

/** Declines an offer, or takes it back, and tells it. Null if another decision was faster. */
export async function declineOffer(
  tx: Queryable,
  { ownerId, correlationId, taskType }: Pick<TaskRow, 'ownerId' | 'correlationId' | 'taskType'>,
  { id, by, at }: { id: string; by: About['by']; at: Date },
): Promise<MessageRow | null> {
  const offer = await storeDecline(tx, id);
  if (offer === null) return null;
  const { taskId, agentId } = offer;
  await appendEvent(tx, {
    ...{ type: 'change.decided', district: 'tasks', at, correlationId, taskId, agentId, ownerId },
    data: changeDecided({ messageId: id, decision: 'declined', by, taskType, followUp: null }),
  });
  return offer;
}
