import { type Queryable, rows } from '../platform/index.ts';
import { expandEvents, storedFrom } from './expand.ts';
import { type LoggedEvent, type LoggedRow, loggedColumns } from './logged-event.ts';

/** Past every number in the log. */
const end = Number.MAX_SAFE_INTEGER;

/**
 * Events about an owner that are about no task, newest first. What happens to a task, its disputes included, is in the
 * timeline of the task: an index entry by owner would make each task step dearer. `before` is the `seq` of the last event
 * of the previous page. An event logged before that page but committed after it is missing on the next one; a
 * reader that must not miss any uses the outbox.
 */
export async function ownerEvents(
  db: Queryable,
  ownerId: string,
  { before = end, limit }: { before?: number; limit: number },
): Promise<LoggedEvent[]> {
  const stored = await rows<LoggedRow>(
    db,
    'events_of_owner',
    `select ${loggedColumns} from events
     where owner_id = $1 and task_id is null and seq <= $2 order by seq desc limit $3`,
    // One more: of the first, everything may have been told.
    [ownerId, storedFrom(before), limit + 1],
  );
  return expandEvents(stored.reverse())
    .reverse()
    .filter(({ seq }) => seq < before)
    .slice(0, limit);
}
