import type { EventType } from '@agora/contract';
import { type Queryable, row } from '../platform/index.ts';
import { expandEvents } from './expand.ts';

/** An event to log in the transaction of its change. Ids are UUIDs. */
export interface NewEvent {
  type: EventType;
  district: 'auth' | 'registry' | 'vault' | 'embassy' | 'tasks' | 'courts' | 'trust';
  at: Date;
  correlationId: string;
  taskId?: string;
  agentId?: string;
  ownerId?: string;
  /** Public facts only: both parties and auditors read them. */
  data: Record<string, unknown>;
}

/** Logs an event; returns its id. */
export async function appendEvent(tx: Queryable, event: NewEvent): Promise<{ id: string }> {
  const at = event.at.toISOString();
  const stored = await row<{ seq: number }>(
    tx,
    'events_append',
    `insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
     values ($2, $3, $1, $4, $5, $6, $7, $8) returning seq`,
    [
      at,
      event.type,
      event.district,
      event.taskId ?? null,
      event.agentId ?? null,
      event.ownerId ?? null,
      event.correlationId,
      JSON.stringify(event.data),
    ],
  );
  const [told] = expandEvents([{ ...event, at, seq: stored?.seq as number }]);
  return { id: told?.id as string };
}
