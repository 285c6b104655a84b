import type { EventType } from '@agora-market/contract';
import { type Queryable, rows } from '../platform/index.ts';
import { expandEvents } from './expand.ts';

/** An event to log in the transaction of its change. Ids are UUIDs. */
export interface NewEvent {
  type: EventType;
  district:
    | 'auth'
    | 'registry'
    | 'vault'
    | 'embassy'
    | 'tasks'
    | 'schedules'
    | 'courts'
    | 'trust'
    | 'exchange'
    | 'github'
    | 'dependencies'
    | 'jobs';
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
  const [seq] = await appendEvents(tx, [event]);
  const [told] = expandEvents([{ ...event, at: event.at.toISOString(), seq: seq as number }]);
  return { id: told?.id as string };
}

/** Logs events in their order; returns their numbers. */
export async function appendEvents(tx: Queryable, events: readonly NewEvent[]): Promise<number[]> {
  if (events.length === 0) return [];
  const stored = await rows<{ seq: number }>(
    tx,
    'events_append',
    `insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
     select type, district, at, task_id, agent_id, owner_id, correlation_id, data
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::json[])
       with ordinality as e(type, district, at, task_id, agent_id, owner_id, correlation_id, data, nth)
     order by nth returning seq`,
    [
      events.map(({ type }) => type),
      events.map(({ district }) => district),
      events.map(({ at }) => at.toISOString()),
      events.map(({ taskId }) => taskId ?? null),
      events.map(({ agentId }) => agentId ?? null),
      events.map(({ ownerId }) => ownerId ?? null),
      events.map(({ correlationId }) => correlationId),
      events.map(({ data }) => JSON.stringify(data)),
    ],
  );
  return stored.map(({ seq }) => seq);
}
