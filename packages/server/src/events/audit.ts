import { type Queryable, rows } from '../platform/index.ts';
import { expandEvents, storedFrom } from './expand.ts';
import { type LoggedEvent, type LoggedRow, loggedColumns } from './logged-event.ts';

/** Past every number in the log. */
const end = Number.MAX_SAFE_INTEGER;

/**
 * Events about an owner, newest first: what it did, and what became of the tasks it submitted. `before` is the `seq` of
 * the last event of the page before. An event that was logged before that page and committed after it is not on the
 * next one; who must not miss any reads the outbox.
 */
export async function ownerEvents(
  db: Queryable,
  ownerId: string,
  { before = end, limit }: { before?: number; limit: number },
): Promise<LoggedEvent[]> {
  const stored = await rows<LoggedRow>(
    db,
    'events_of_owner',
    `select ${loggedColumns} from events where owner_id = $1 and seq <= $2 order by seq desc limit $3`,
    // One more: of the first, everything may have been told.
    [ownerId, storedFrom(before), limit + 1],
  );
  return expandEvents(stored.reverse())
    .reverse()
    .filter(({ seq }) => seq < before)
    .slice(0, limit);
}
