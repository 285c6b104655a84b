import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { Button } from './Button.tsx';
import { ColumnEdge, useWidths } from './column-widths.tsx';
import { cx } from './cx.ts';
import { Failure, Skeleton } from './States.tsx';

export interface Column<T> {
  id: string;
  header: string;
  cell: (row: T) => ReactNode;
  /** Amounts and counts stand to the right. */
  right?: boolean;
  /** Left out at phone width. */
  wide?: boolean;
  /** What somebody is called: it wraps, but never by single letters where others take the room. */
  name?: boolean;
  /** Says of each row what it is, as a heading does of a column. */
  heads?: boolean;
  /** What the column sorts by, once all rows are loaded; null stands last. */
  sort?: (row: T) => string | number | null;
}

export interface TableProps<T> {
  /** What the rows are, for screen readers. The widths of its columns are remembered under it. */
  label: string;
  columns: readonly Column<T>[];
  /** Undefined until they are loaded. */
  rows: readonly T[] | undefined;
  rowKey: (row: T) => string;
  /** Shown instead of a table without rows. */
  empty: ReactNode;
  error?: unknown;
  retry?: () => void;
  /** Shows a button for the next page. */
  more?: More;
}

interface More {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}

type Direction = 'ascending' | 'descending';

/** Rows by what a column sorts by. Texts stand in the order of the reader's language, numbers in them by their size. */
function sorted<T>(rows: readonly T[], by: NonNullable<Column<T>['sort']>, direction: Direction): T[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const compare = (one: string | number, other: string | number) =>
    typeof one === 'number' && typeof other === 'number' ? one - other : collator.compare(String(one), String(other));
  return rows
    .map((row) => ({ row, value: by(row) }))
    .sort((one, other) => {
      if (one.value === null || other.value === null) return Number(one.value === null) - Number(other.value === null);
      return sign * compare(one.value, other.value);
    })
    .map(({ row }) => row);
}

/** Of a cell, left and right. */
const paddingPx = 40;

const collator = new Intl.Collator(undefined, { numeric: true });

/** Rows of one kind. Give it the result of `useRows` by `{...tableOf(query)}`. */
export function Table<T>({ label, columns, rows, rowKey, empty, error, retry, more }: TableProps<T>) {
  const [order, setOrder] = useState<{ id: string; direction: Direction } | null>(null);
  const [widths, setWidth] = useWidths(label);
  if (error)
    return (
      <div className="px-5 pb-4">
        <Failure error={error} {...(retry && { retry })} />
      </div>
    );
  if (rows?.length === 0) return empty;
  const narrow = columns.filter(({ wide }) => !wide);
  const look = (column: Column<T>) =>
    cx(
      'px-5 py-2.5 align-top max-sm:px-2.5',
      column === narrow[0] && 'max-sm:pl-5',
      column === narrow.at(-1) && 'max-sm:pr-5',
      column.right ? 'text-right figures' : 'text-left',
      column.wide && 'max-sm:hidden',
      column.name && 'min-w-24 sm:min-w-36 [overflow-wrap:anywhere]',
    );
  // Rows that are not loaded would stand elsewhere than where they belong.
  const canSort = rows !== undefined && rows.length > 1 && !more?.hasNextPage;
  const sortedBy = canSort ? columns.find(({ id, sort }) => sort && id === order?.id) : undefined;
  const shown = sortedBy ? sorted(rows!, sortedBy.sort!, order!.direction) : rows;
  const sortBy = (id: string) =>
    setOrder(
      order?.id !== id
        ? { id, direction: 'ascending' }
        : order.direction === 'ascending'
          ? { id, direction: 'descending' }
          : null,
    );
  return (
    <Scrolls label={label}>
      <table aria-label={label} aria-busy={!rows} className="w-full border-collapse text-small">
        <thead>
          <tr className="border-b border-line text-soft">
            {columns.map((column) =>
              // Over a column of buttons stands nothing, and a heading without words would be read as one.
              column.header === '' ? (
                <td key={column.id} className={look(column)} />
              ) : (
                <th
                  key={column.id}
                  scope="col"
                  dir={column.name ? 'auto' : undefined}
                  style={{ width: widths[column.id] }}
                  aria-sort={column === sortedBy ? order?.direction : undefined}
                  className={cx(look(column), 'relative font-medium', !column.name && 'whitespace-nowrap')}
                >
                  {/* A width alone is given up where the table has too little room; what stands in it is not. */}
                  {column.id in widths && (
                    <div className="max-sm:hidden" style={{ width: widths[column.id]! - paddingPx }} />
                  )}
                  {column.sort && canSort ? (
                    <SortButton
                      header={column.header}
                      direction={column === sortedBy ? order?.direction : undefined}
                      right={column.right ?? false}
                      onClick={() => sortBy(column.id)}
                    />
                  ) : (
                    column.header
                  )}
                  <ColumnEdge
                    header={column.header}
                    isFirst={column === columns.find(({ header }) => header !== '')}
                    onWidth={(px) => setWidth(column.id, px)}
                  />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {shown?.map((row) => (
            <tr key={rowKey(row)} className="border-b border-line last:border-0 hover:bg-sunken/60">
              {columns.map((column) => {
                const Cell = column.heads ? 'th' : 'td';
                return (
                  <Cell
                    key={column.id}
                    {...(column.heads && { scope: 'row' })}
                    // A click gives it the focus, and then it can be copied.
                    tabIndex={-1}
                    className={cx(look(column), column.heads && 'font-medium text-soft')}
                  >
                    {/* Called, not rendered as a component: columns that are made anew would make every cell anew. */}
                    {column.cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {!rows && <Skeleton lines={6} className="px-5 py-4" />}
      {more?.hasNextPage && (
        <div className="grid justify-items-center gap-2 border-t border-line px-5 py-3">
          <Failure error={more.isFetchNextPageError ? more.error : null} />
          <Button kind="quiet" busy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Scrolls>
  );
}

interface SortButtonProps {
  header: string;
  direction: Direction | undefined;
  /** The words end where the values below them do. */
  right?: boolean;
  onClick: () => void;
}

/** Sorts up, then down, then as the rows came. */
export function SortButton({ header, direction, right, onClick }: SortButtonProps) {
  const Arrow = direction === 'descending' ? ChevronDown : ChevronUp;
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx('group inline-flex items-center gap-1 font-medium hover:text-ink', right && 'flex-row-reverse')}
    >
      {header}
      <Arrow
        aria-hidden
        className={cx(
          'size-3.5',
          // A finger points at nothing before it presses.
          !direction && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60 pointer-coarse:opacity-60',
        )}
      />
    </button>
  );
}

/** Holds what may be wider than its place. Where it is, it scrolls, and the keyboard reaches it. */
export function Scrolls({ label, children }: { label: string; children: ReactNode }) {
  const [isCut, setCut] = useState(false);
  const frame = useCallback((element: HTMLDivElement | null) => {
    if (!element) return;
    const watch = new ResizeObserver(() => setCut(element.scrollWidth > element.clientWidth));
    for (const part of [element, ...element.children]) watch.observe(part);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={frame} className="overflow-x-auto" {...(isCut && { tabIndex: 0, role: 'group', 'aria-label': label })}>
      {children}
    </div>
  );
}

interface RowsQuery<T> extends More {
  rows: T[] | undefined;
  refetch: () => unknown;
}

/** What `useRows` gives, as a table takes it. */
export const tableOf = <T,>(query: RowsQuery<T>) => ({
  rows: query.rows,
  error: query.rows ? undefined : query.error,
  retry: () => void query.refetch(),
  more: query,
});
