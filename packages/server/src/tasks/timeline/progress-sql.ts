import type { TaskStatus } from '@agora-market/contract';
import { type Queryable, row, type Tx } from '../../platform/index.ts';

export interface WorkedTask {
  id: string;
  ownerId: string;
  agentId: string;
  status: TaskStatus;
  correlationId: string;
}

/** Holds a task as it is until the transaction ends. */
export const lockTask = (tx: Tx, taskId: string) =>
  row<WorkedTask>(
    tx,
    'progress_lock_task',
    `select id, owner_id as "ownerId", agent_id as "agentId", status, correlation_id as "correlationId"
     from tasks where id = $1 for no key update`,
    [taskId],
  );

export interface NoteCount {
  notes: number;
  notesInMinute: number;
  /** ISO 8601; when the minute that is counted began. */
  minuteFrom: string;
}

/** Counts a note; a minute begins with the first note after the last one is over. */
export async function countNote(tx: Queryable, taskId: string, now: Date, minuteMs: number): Promise<NoteCount> {
  const counted = await row<NoteCount>(
    tx,
    'progress_count',
    `insert into task_progress as p (task_id, notes, minute_from, notes_in_minute) values ($1, 1, $2, 1)
     on conflict (task_id) do update set notes = p.notes + 1,
       minute_from = case when p.minute_from <= $3 then $2 else p.minute_from end,
       notes_in_minute = case when p.minute_from <= $3 then 1 else p.notes_in_minute + 1 end
     returning notes, notes_in_minute as "notesInMinute", minute_from as "minuteFrom"`,
    [taskId, now.toISOString(), new Date(now.getTime() - minuteMs).toISOString()],
  );
  return counted as NoteCount;
}
