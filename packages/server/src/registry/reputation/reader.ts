import { appendEvent, type LoggedRow, readOutbox } from '../../events/index.ts';
import {
  type Clock,
  newUuid,
  type Pool,
  type Queryable,
  row,
  rows,
  type Tx,
  transaction,
} from '../../platform/index.ts';
import { breath } from './breath.ts';
import { apply } from './consequences.ts';
import { closeDay, closedUntil, dayOf, endOf } from './days.ts';
import { type Entry, entriesOf, eventTypesOfReputation } from './entries.ts';
import { type Consequence, fold } from './fold.ts';
import { loadState } from './load.ts';
import { isNewInstrument, joinPrincipal } from './principals.ts';
import { saveState } from './save.ts';

/** The reader's name among those of the event log. */
export const reputationReader = 'registry.reputation';

/** Stored events of one look at the log; most of them say nothing of reputations. */
const eventsAtOnce = 4_000;
/** Looks of one transaction. An agent that has many events in them is read and stored once. */
const looksAtOnce = 2;

/** What to do with what follows from the log; recomputing does nothing. */
export type Apply = (tx: Queryable, consequences: Consequence[]) => Promise<void>;

/** Enters events of the log, in their order, into the tables of reputations. */
export async function enterEvents(tx: Queryable, events: readonly LoggedRow[], apply: Apply): Promise<void> {
  // What is entered all at once ends where a day does, or where two buyers turn out to be one.
  let from = 0;
  for (let at = 0; at <= events.length; at++) {
    const event = events[at];
    const isDay = event?.type === 'reputation.day_closed';
    const isJoin = event !== undefined && (await isNewInstrument(tx, event));
    if (event !== undefined && !isDay && !isJoin) continue;
    await enterFacts(tx, events.slice(from, at), apply);
    from = at + 1;
    if (event && isDay) await closeDay(tx, event.data.day as string, event.correlationId, (told) => apply(tx, told));
    if (event && isJoin) await joinPrincipal(tx, event, (told) => apply(tx, told));
  }
}

async function enterFacts(tx: Queryable, events: readonly LoggedRow[], apply: Apply): Promise<void> {
  const told: { entry: Entry; correlationId: string }[] = [];
  for (const event of events) {
    for (const entry of entriesOf(event)) told.push({ entry, correlationId: event.correlationId });
    await breath();
  }
  if (told.length === 0) return;
  const entries = told.map(({ entry }) => entry);
  const state = await loadState(tx, entries, await closedUntil(tx));
  const consequences: Consequence[] = [];
  for (const { entry, correlationId } of told) {
    consequences.push(...fold(state, entry, correlationId));
    await breath();
  }
  await saveState(tx, state);
  await apply(tx, consequences);
}

/** Reads on in the log until its end. Safe at any moment and in several processes: one of them reads. */
export async function followLog(pool: Pool, stopping: AbortSignal): Promise<void> {
  for (let isMore = true; isMore && !stopping.aborted; ) {
    isMore = await transaction(pool, 'write', async (tx) => {
      const reading = await readSome(tx);
      await enterEvents(tx, reading.events, apply);
      return reading.isMore;
    });
  }
}

async function readSome(tx: Tx): Promise<Awaited<ReturnType<typeof readOutbox>>> {
  const events: LoggedRow[] = [];
  for (let look = 1; ; look++) {
    const reading = await readOutbox(tx, reputationReader, eventsAtOnce, eventTypesOfReputation);
    events.push(...reading.events);
    if (!reading.isMore || look === looksAtOnce) return { events, isMore: reading.isMore };
  }
}

/**
 * Notes in the log that days have ended (UTC), once for all of them. The reader acts on it where it comes to it, so that
 * what a day's row says is decided by the log alone.
 */
export async function announceDay(pool: Pool, clock: Clock): Promise<void> {
  const at = clock.now();
  const day = dayOf(at.getTime() - 86_400_000);
  const announced = await row<{ day: string | null }>(
    pool,
    'reputation_announced',
    `select to_char(announced, 'YYYY-MM-DD') as day from reputation_clock`,
  );
  if (announced?.day && endOf(announced.day) >= endOf(day)) return;
  await transaction(pool, 'write', async (tx) => {
    const moved = await rows<{ day: string | null }>(
      tx,
      'reputation_announce',
      `with before as (select announced from reputation_clock for update)
       update reputation_clock c set announced = $1 from before b
       where b.announced is null or b.announced < $1 returning to_char(b.announced, 'YYYY-MM-DD') as day`,
      [day],
    );
    // Before the first there is nothing to close.
    if (!moved[0]?.day) return;
    const correlationId = newUuid(clock);
    await appendEvent(tx, { type: 'reputation.day_closed', district: 'registry', at, correlationId, data: { day } });
  });
}
