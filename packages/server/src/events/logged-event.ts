import { type Queryable, row } from '../platform/index.ts';
import type { StoredEvent, ToldEvent } from './expand.ts';

/** Whom an event is about. Ids are UUIDs. */
interface About {
  taskId: string | null;
  agentId: string | null;
  ownerId: string | null;
}

/** A stored event with whom it is about. */
export type LoggedRow = StoredEvent & About;
/** An event for readers, with the owner and agent it is about. */
export type LoggedEvent = ToldEvent & About;

/** What a `StoredEvent` is read from. */
export const storedColumns = `seq, type, district, at, correlation_id as "correlationId", data`;

/** What a `LoggedRow` is read from. */
export const loggedColumns = `${storedColumns}, task_id as "taskId", agent_id as "agentId", owner_id as "ownerId"`;

/** As it is stored. */
export const findEvent = (db: Queryable, seq: number) =>
  row<LoggedRow>(db, 'events_find', `select ${loggedColumns} from events where seq = $1`, [seq]);
