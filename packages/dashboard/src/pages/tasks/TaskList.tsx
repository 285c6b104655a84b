import { useNavigate, useRouter } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Failure } from '../../ui/States.tsx';
import { SortButton } from '../../ui/Table.tsx';
import { mostSelected, type Selection } from './bulk/use-selection.ts';
import { gridOf, hidings } from './columns.tsx';
import type { ListKind, TaskColumn } from './kinds.tsx';
import type { TaskRow } from './rows.ts';
import { lineGrid, TaskLine } from './TaskLine.tsx';

interface ListProps {
  kind: ListKind;
  columns: readonly TaskColumn[];
  rows: TaskRow[];
  /** Undefined where nothing can be done with many. */
  selection: Selection<TaskRow> | undefined;
  /** The order in the address; undefined for that of the list. */
  sort: string | undefined;
  sortBy: (order: string | undefined) => void;
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    isPlaceholderData: boolean;
    error: unknown;
    fetchNextPage: () => unknown;
  };
}

const narrow = matchMedia('(max-width: 639px)');
const onWidth = (tell: () => void) => {
  narrow.addEventListener('change', tell);
  return () => narrow.removeEventListener('change', tell);
};

/** Rows in px: one line, or three at phone width. */
const heights = { wide: 45, narrow: 92 };

/**
 * Rows of which only those in sight are in the page. Each is a plain link with a real address; one handler for all
 * opens it here, so that a thousand rows cost no more than one.
 */
export function TaskList(props: ListProps) {
  const height = useSyncExternalStore(onWidth, () => narrow.matches) ? heights.narrow : heights.wide;
  return <Rows key={height} height={height} {...props} />;
}

function Rows(props: ListProps & { height: number }) {
  const { kind, columns, rows, selection, query, height } = props;
  const place = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(place.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 4,
    scrollMargin: top,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const isNear = last > rows.length - 30 && hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isNear) void fetchNextPage();
  }, [isNear, fetchNextPage]);
  const base = useRouter().buildLocation({ to: kind.to }).publicHref;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: of a table, rows that are not in sight could not be left out */}
      <div
        role="table"
        aria-label={kind.label}
        aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        aria-busy={query.isPlaceholderData || undefined}
        className="text-small"
        style={gridOf(columns, selection !== undefined) as CSSProperties}
      >
        <Head {...props} />
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the links in it take the keyboard and fire clicks */}
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div
          ref={place}
          role="rowgroup"
          onClick={useOpenHere(kind.to)}
          onPointerDown={selection?.onPointerDown}
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {shown.map(({ index, start, key }) => (
            <TaskLine
              key={key}
              columns={columns}
              row={rows[index] as TaskRow}
              isSelected={selection?.has(rows[index]?.id ?? '')}
              toggle={selection?.toggle ?? nothing}
              href={`${base}/${rows[index]?.id}`}
              index={index + 2}
              top={start - top}
              height={height}
            />
          ))}
        </div>
      </div>
      <More query={query} count={rows.length} kind={kind} />
    </>
  );
}

const nothing = () => {};

function Head({ columns, rows, selection, sort, sortBy, height }: ListProps & { height: number }) {
  const isSeen = height === heights.wide;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: nothing is done with a row of heads
    <div role="row" className={cx('grid gap-4 border-b border-line px-5 py-2.5 text-soft max-sm:sr-only', lineGrid)}>
      {selection && (
        <ColumnHead className="flex items-center">
          {isSeen ? <AllBox rows={rows} selection={selection} /> : <span className="sr-only">Selected</span>}
        </ColumnHead>
      )}
      <ColumnHead>Task</ColumnHead>
      {columns.map(({ head, right, place, orders = [] }) => {
        const at = orders.findIndex(([order]) => order === sort);
        const stands = orders[at]?.[1];
        return (
          <ColumnHead
            key={head}
            sort={stands}
            className={cx(right && 'text-right [&>button]:flex-row-reverse', hidings(place))}
          >
            {/* At phone width the heads are only heard; there the filters have the order. */}
            {orders.length > 0 && isSeen ? (
              <SortButton
                header={head}
                direction={stands}
                onClick={() => sortBy(orders[(at + 1) % orders.length]?.[0])}
              />
            ) : (
              head
            )}
          </ColumnHead>
        );
      })}
    </div>
  );
}

function ColumnHead({
  sort,
  className,
  children,
}: {
  sort?: 'ascending' | 'descending' | undefined;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it takes the focus
    <span role="columnheader" aria-sort={sort} className={cx('font-medium', className)}>
      {children}
    </span>
  );
}

/** Chooses all rows that are loaded, as far as so many can be chosen, or none. */
function AllBox({ rows, selection }: { rows: readonly TaskRow[]; selection: Selection<TaskRow> }) {
  const box = useRef<HTMLInputElement>(null);
  const chosen = rows.filter(({ id }) => selection.has(id)).length;
  const isAll = chosen >= Math.min(rows.length, mostSelected);
  useEffect(() => {
    if (box.current) box.current.indeterminate = chosen > 0 && !isAll;
  }, [chosen, isAll]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label="Select all that are loaded"
      checked={isAll}
      onChange={(event) => selection.set(event.target.checked ? rows : [])}
      className="size-4 accent-accent"
    />
  );
}

/** Opens a row in this window, unless the visitor asks for another one. */
function useOpenHere(to: ListKind['to']) {
  const navigate = useNavigate();
  return (event: MouseEvent) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-task]');
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({
      to: to === '/jobs' ? '/jobs/$taskId' : '/tasks/$taskId',
      params: { taskId: link.dataset.task ?? '' },
    });
  };
}

function More({ query, count, kind }: { query: ListProps['query']; count: number; kind: ListKind }) {
  const what = kind.to === '/jobs' ? 'job' : 'task';
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query;
  if (isFetchNextPageError)
    return (
      <div className="px-5 py-4">
        <Failure error={error} retry={() => void fetchNextPage()} />
      </div>
    );
  return (
    <div className="flex min-h-14 items-center justify-center text-small text-faint">
      {hasNextPage ? (
        <Button kind="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      ) : (
        `${count === 1 ? `One ${what}` : `All ${count.toLocaleString(navigator.language)} ${what}s`}`
      )}
    </div>
  );
}
