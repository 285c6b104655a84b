import type { EventType } from '@agora/contract';
import { type Queryable, rows } from '../platform/index.ts';

/** An event to be logged in the transaction of the change it tells of. Ids are UUIDs. */
export interface NewEvent {
  type: EventType;
  district: 'auth' | 'registry' | 'vault' | 'tasks' | 'courts';
  at: Date;
  correlationId: string;
  taskId?: string;
  agentId?: string;
  ownerId?: string;
  /** Public facts only: both parties and auditors read them. */
  data: Record<string, unknown>;
}

export const appendEvent = (tx: Queryable, event: NewEvent) =>
  rows(
    tx,
    'events_append',
    `insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
     values ($2, $3, $1, $4, $5, $6, $7, $8)`,
    [
      event.at.toISOString(),
      event.type,
      event.district,
      event.taskId ?? null,
      event.agentId ?? null,
      event.ownerId ?? null,
      event.correlationId,
      JSON.stringify(event.data),
    ],
  );
