import { toId } from '@agora-market/contract';

/** An event as the operator sees it: its data may be what others wrote. */
export interface EventRow {
  type: string;
  at: string;
  taskId: string | null;
  agentId: string | null;
  correlationId: string;
}

export const eventColumns = 'type, at, task_id as "taskId", agent_id as "agentId", correlation_id as "correlationId"';

export const eventView = ({ type, at, taskId, agentId, correlationId }: EventRow) => ({
  type,
  at,
  taskId: taskId && toId('task', taskId),
  agentId: agentId && toId('agent', agentId),
  correlationId,
});
