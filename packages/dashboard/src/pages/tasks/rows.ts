import type { TaskStatus } from '@agora-market/contract';
import type { Query, Task } from '@agora-market/sdk';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { agora, queryClient } from '../../api/client.ts';
import { isOpen, newestFirst, titleOf } from '../../api/tasks.ts';
import { isPassedOver } from './TaskState.tsx';

/** What a row shows. A task may carry half a megabyte, of which ten thousand rows keep nothing. */
export interface TaskRow {
  id: string;
  title: string;
  taskType: Task['taskType'];
  status: TaskStatus;
  /** Cents: what was charged, else the agreed price, else the budget. */
  amount: number;
  amountIs: 'charged' | 'price' | 'budget';
  agentId: string | null;
  attempt: string | null;
  passedOver: boolean;
  createdAt: string;
}

interface RowsPage {
  rows: TaskRow[];
  nextCursor: string | null;
}

const rowOf = (task: Task): TaskRow => ({
  id: task.id,
  title: titleOf(task),
  taskType: task.taskType,
  status: task.status,
  ...amountOf(task),
  agentId: task.agentId,
  attempt: task.group && `${task.group.attempt} of ${task.group.attempts}`,
  passedOver: isPassedOver(task),
  createdAt: task.createdAt,
});

function amountOf({ creditsCharged, price, maxBudget }: Task): Pick<TaskRow, 'amount' | 'amountIs'> {
  if (creditsCharged !== null) return { amount: creditsCharged, amountIs: 'charged' };
  return price === null ? { amount: maxBudget, amountIs: 'budget' } : { amount: price, amountIs: 'price' };
}

/** What rows are wanted; a filter that is not set is left out. */
export type RowsFilter = Pick<Query<'tasks.list'>, 'status' | 'taskType'>;

async function fetchRows(filter: RowsFilter, cursor: string | null): Promise<RowsPage> {
  const { data, pagination } = await agora.tasks.list({ pageSize: 100, ...filter, ...(cursor !== null && { cursor }) });
  return { rows: data.map(rowOf), nextCursor: pagination.nextCursor };
}

/** All rows, page by page. They are kept as they were read; `newestQuery` keeps them fresh. */
export const rowsQuery = (filter: RowsFilter) =>
  infiniteQueryOptions({
    queryKey: ['task-rows', filter],
    queryFn: ({ pageParam }) => fetchRows(filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 'static',
    // `merged` keeps what has not changed; comparing 10,000 rows in depth would hold up the page each time.
    structuralSharing: false,
  });

const looksEveryMs = 6_000;

/** The newest rows, looked at every few seconds while a task is open. To read all pages again would ask for hundreds. */
export const newestQuery = (filter: RowsFilter, isLive: boolean) =>
  queryOptions({
    queryKey: ['tasks', 'newest', filter],
    queryFn: async () => {
      const page = await fetchRows(filter, null);
      const { queryKey } = rowsQuery(filter);
      queryClient.setQueryData(queryKey, (before) => before && merged(before, page));
      await lookAtOlder(filter, page.rows);
      return page.rows.length;
    },
    refetchInterval: isLive ? looksEveryMs : 5 * looksEveryMs,
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
  one.status === other.status && one.amount === other.amount && one.agentId === other.agentId;

/** One open task that is too old for the first page, each time another, so that none stays as it was for ever. */
async function lookAtOlder(filter: RowsFilter, newest: TaskRow[]): Promise<void> {
  const { queryKey } = rowsQuery(filter);
  const recent = new Set(newest.map(({ id }) => id));
  const open = (queryClient.getQueryData(queryKey)?.pages ?? [])
    .flatMap(({ rows }) => rows)
    .filter((row) => isOpen(row) && !recent.has(row.id));
  const chosen = open[Math.floor(Math.random() * open.length)];
  if (!chosen) return;
  const row = rowOf(await agora.tasks.get(chosen.id));
  queryClient.setQueryData(
    queryKey,
    (before) =>
      before && {
        ...before,
        pages: before.pages.map((page) => ({
          ...page,
          rows: page.rows.map((each) => (each.id === row.id ? row : each)),
        })),
      },
  );
}
