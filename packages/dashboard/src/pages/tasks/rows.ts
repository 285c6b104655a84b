import type { ItemOf, Task } from '@agora-market/sdk';
import { type InfiniteData, infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { everyWithoutStream } from '../../api/poll.ts';
import { queryClient } from '../../api/query-client.ts';
import { isOpen, newestFirst } from '../../api/tasks.ts';
import { toldAt } from '../../api/told.ts';
import type { RowsFilter } from './filters.ts';

export type TaskRow = ItemOf<'tasks.list'>;

/** Cents: what was charged, else the agreed price, else the budget. */
export function amountOf({ creditsCharged, price, maxBudget }: TaskRow): { cents: number; isBudget: boolean } {
  return { cents: creditsCharged ?? price ?? maxBudget, isBudget: creditsCharged === null && price === null };
}

export interface RowsPage {
  rows: TaskRow[];
  nextCursor: string | null;
}

async function fetchRows(filter: RowsFilter, cursor: string | null): Promise<RowsPage> {
  const { data, pagination } = await agora.tasks.list({ pageSize: 100, ...filter, ...(cursor !== null && { cursor }) });
  return { rows: data, nextCursor: pagination.nextCursor };
}

/** All rows, page by page. They are kept as they were read; `newestQuery` keeps them fresh. */
export const rowsQuery = (filter: RowsFilter) =>
  infiniteQueryOptions({
    queryKey: ['task-rows', filter],
    queryFn: ({ pageParam }) => fetchRows(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 'static',
    // In another order the rows stay until the others are there, so that the heading that was pressed keeps the focus.
    placeholderData: (before, query) => (query && isSameBut(query.queryKey, filter) ? before : undefined),
    // `merged` keeps what has not changed; comparing 10,000 rows in depth would hold up the page each time.
    structuralSharing: false,
  });

/** A list whatever its order. */
export const unordered = ({ sort: _, ...filter }: RowsFilter): string => JSON.stringify(filter);

const isSameBut = ([, before]: QueryKey, filter: RowsFilter) => unordered(before as RowsFilter) === unordered(filter);

/** Puts a task, as a reply told it, into each list that has it. */
export function keepRow({ input: _, output: __, ...task }: Task): void {
  queryClient.setQueriesData<Pages>(
    { queryKey: ['task-rows'] },
    (before) =>
      before && {
        ...before,
        pages: before.pages.map((page) =>
          page.rows.some(({ id }) => id === task.id)
            ? { ...page, rows: page.rows.map((row) => (row.id === task.id ? { ...row, ...task } : row)) }
            : page,
        ),
      },
  );
}

const looksEveryMs = 15_000;

/** The newest rows, looked at when the owner's stream tells of a change. To read all pages again would ask for hundreds. */
export const newestQuery = (filter: RowsFilter, { isLive, readAt }: { isLive: boolean; readAt: number }) =>
  queryOptions({
    queryKey: ['tasks', 'newest', filter],
    queryFn: async () => {
      const page = await fetchRows(filter, null);
      const { queryKey } = rowsQuery(filter);
      queryClient.setQueryData(queryKey, (before) => before && merged(before, page));
      await lookAtOlder(filter, page.rows);
      return page.rows.length;
    },
    refetchInterval: everyWithoutStream(isLive ? looksEveryMs : 4 * looksEveryMs),
    // The list that is there was read a moment ago.
    staleTime: looksEveryMs,
    initialData: 0,
    initialDataUpdatedAt: readAt,
  });

type Pages = InfiniteData<RowsPage, unknown>;

/** The pages with what was read since: changed rows in their places, new ones in theirs. The same, if none is. */
function merged(before: Pages, { rows: newest, nextCursor }: RowsPage): Pages {
  const fresh = new Map(newest.map((row) => [row.id, row]));
  const oldest = nextCursor === null ? '' : (newest.at(-1)?.createdAt ?? '');
  const known = new Set<string>();
  const pages = before.pages.map((page) => {
    const rows = page.rows.flatMap((row) => {
      known.add(row.id);
      const now = fresh.get(row.id);
      if (now) return same(row, now) ? row : now;
      // A row of the time of the newest that is not among them has another status now than the filter asks for.
      return row.createdAt > oldest ? [] : row;
    });
    return rows.length === page.rows.length && rows.every((row, at) => row === page.rows[at])
      ? page
      : { ...page, rows };
  });
  const added = newest.filter(({ id }) => !known.has(id));
  // So many have come that there are others between these and the known ones: the list begins anew.
  if (added.length === newest.length && nextCursor !== null)
    return { pages: [{ rows: newest, nextCursor }], pageParams: [null] };
  const whole = withAdded(pages, added);
  return whole.every((page, at) => page === before.pages[at]) ? before : { ...before, pages: whole };
}

/** Each added row by its age, for it may have come to the status of the filter late. What is too old comes with its page. */
function withAdded(pages: RowsPage[], added: TaskRow[]): RowsPage[] {
  let left = added;
  return pages.map((page) => {
    const last = page.nextCursor === null ? '' : page.rows.at(-1)?.createdAt;
    const isHere = ({ createdAt }: TaskRow) => last !== undefined && createdAt > last;
    const here = left.filter(isHere);
    if (here.length === 0) return page;
    left = left.filter((row) => !isHere(row));
    return { ...page, rows: [...here, ...page.rows].sort(newestFirst) };
  });
}

const same = (one: TaskRow, other: TaskRow) =>
  one.status === other.status &&
  one.failure === other.failure &&
  amountOf(one).cents === amountOf(other).cents &&
  one.agentId === other.agentId &&
  one.earned === other.earned &&
  one.feedback?.createdAt === other.feedback?.createdAt;

/** So many tasks that are too old for the first page are looked at, one by one, when it is. */
const olderAtOnce = 5;

/** When a row that is too old for the first page was read by itself, in ms since 1970. */
const lookedAt = new WeakMap<TaskRow, number>();

/** Tasks that are too old for the first page: those that have changed, and one that is open, each time another. */
async function lookAtOlder(filter: RowsFilter, newest: TaskRow[]): Promise<void> {
  const { queryKey } = rowsQuery(filter);
  const recent = new Set(newest.map(({ id }) => id));
  const older = (queryClient.getQueryData(queryKey)?.pages ?? [])
    .flatMap(({ rows }) => rows)
    .filter((row) => !recent.has(row.id));
  const open = older.filter(isOpen);
  const changed = older.filter((row) => toldAt(row.id) > (lookedAt.get(row) ?? 0)).slice(0, olderAtOnce);
  const chosen = new Set([...changed, ...open.slice(Math.floor(Math.random() * open.length)).slice(0, 1)]);
  if (chosen.size === 0) return;
  const now = Date.now();
  const role = filter.role && { role: filter.role };
  const found = await Promise.all([...chosen].map(async ({ id }) => (await agora.tasks.list({ ...role, q: id })).data));
  const fresh = new Map(found.flat().map((row) => [row.id, row]));
  for (const row of [...chosen, ...fresh.values()]) lookedAt.set(row, now);
  queryClient.setQueryData(
    queryKey,
    (before) =>
      before && {
        ...before,
        pages: before.pages.map((page) => ({ ...page, rows: page.rows.map((each) => fresh.get(each.id) ?? each) })),
      },
  );
}
