import { type AccountKind, type TransferCause, toId, toUuid } from '@agora-market/contract';
import { z } from 'zod';
import { decodeCursor, encodeCursor, ensure, invalidField, pageOf, type Queryable } from '../../platform/index.ts';
import { type EntryRow, entriesOfTask, type Filters, type Range, scanEntries } from './entries-sql.ts';
import { positionsBetween } from './position.ts';

/** Whose accounts a statement is about. */
export interface Holder {
  id: string;
  kinds: readonly AccountKind[];
}

export const poolOf = (ownerId: string): Holder => ({ id: ownerId, kinds: ['pool_available', 'pool_held'] });
export const walletOf = (agentId: string): Holder => ({
  id: agentId,
  kinds: ['wallet_allocated', 'wallet_available', 'wallet_escrowed'],
});

/** Query parameters of a list or an export. */
export interface FilterQuery {
  cause?: TransferCause | undefined;
  account?: AccountKind | undefined;
  taskId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  minAmount?: number | undefined;
  maxAmount?: number | undefined;
}

/** The place of an entry in a holder's history. */
type Place = [seq: number, side: 0 | 1];
const place = z.tuple([z.int().min(0), z.literal([0, 1])]) as z.ZodType<Place>;

/** A page reads at most so many entries, however few of them the filters let through: some 3 ms of work. */
const maxScanned = 2500;

/** A time as the database takes it; callers may write it with more digits than it keeps. */
const instant = (text: string | undefined) => (text === undefined ? null : new Date(text).toISOString());

interface Search {
  holder: Holder;
  taskId: string | null;
  filters: Filters;
  first: number;
  end: number;
}

/** Reads the filters of a query and finds out where in the holder's history it can be met. */
export async function searchOf(db: Queryable, holder: Holder, query: FilterQuery): Promise<Search> {
  const { minAmount = 0, maxAmount = Number.MAX_SAFE_INTEGER } = query;
  const from = instant(query.from);
  const to = instant(query.to);
  if (minAmount > maxAmount) throw invalidField('minAmount', 'must not be more than maxAmount');
  if (from !== null && to !== null && from > to) throw invalidField('from', 'must not be after to');
  const taskId = query.taskId === undefined ? null : toUuid('task', query.taskId);
  ensure(taskId !== null || query.taskId === undefined, 'VALIDATION_ERROR');
  const kinds = query.account === undefined ? holder.kinds : [query.account];
  const filters = { kinds, cause: query.cause ?? null, from, to, minAmount, maxAmount };
  return { holder, taskId, filters, ...(await positionsBetween(db, holder.id, { from, to })) };
}

/** Entries before a place, or from the newest on. */
function rangeOf({ first, end }: Search, before: Place | null): Range {
  if (before === null) return { first, end: [end, end] };
  const [seq, side] = before;
  // Of one transfer side 1 is the newer, so below it its side 0 is still to come.
  return { first, end: [Math.min(end, side === 1 ? seq + 1 : seq), Math.min(end, seq)] };
}

interface Found {
  entries: EntryRow[];
  /** Where to continue if the page is short and the history has more. */
  goOnAt: Place | null;
}

/** Up to `limit` entries before a place. */
export async function findEntries(db: Queryable, search: Search, before: Place | null, limit: number): Promise<Found> {
  const { holder, taskId, filters } = search;
  const range = rangeOf(search, before);
  if (taskId !== null) {
    return { entries: await entriesOfTask(db, holder.id, taskId, filters, range, limit), goOnAt: null };
  }
  const scanned = await scanEntries(db, holder.id, filters, range, limit + 1, maxScanned);
  const entries = scanned.filter((entry) => entry.matches).slice(0, limit);
  const last = scanned.at(-1);
  const isCutShort = entries.length < limit && last !== undefined && last.nth === maxScanned;
  return { entries, goOnAt: isCutShort ? [last.seq, last.side] : null };
}

export const placeOf = (entry: EntryRow): Place => [entry.seq, entry.side];

/** One page of a holder's movements, newest first. */
export async function transactionsPage(
  db: Queryable,
  holder: Holder,
  query: FilterQuery & { pageSize: number; cursor?: string | undefined },
) {
  const before = decodeCursor(query.cursor, place);
  const { entries, goOnAt } = await findEntries(db, await searchOf(db, holder, query), before, query.pageSize + 1);
  const found = pageOf(entries, query.pageSize, placeOf, entryView);
  if (goOnAt !== null) found.pagination.nextCursor = encodeCursor(goOnAt);
  return found;
}

export const entryView = (entry: EntryRow) => ({
  id: toId('transaction', entry.subject),
  cause: entry.cause,
  account: entry.kind,
  amount: entry.amount,
  balanceBefore: entry.balanceBefore,
  balanceAfter: entry.balanceAfter,
  taskId: entry.taskId === null ? null : toId('task', entry.taskId),
  counterparty: entry.counterparty,
  createdAt: entry.createdAt,
});
