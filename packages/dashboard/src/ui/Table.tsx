import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';
import { Failure, Skeleton } from './States.tsx';

const features = tableFeatures({});

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
}

export interface TableProps<T extends RowData> {
  /** What the rows are, for screen readers. */
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

/** Rows of one kind. Give it the result of `useRows` by `{...tableOf(query)}`. */
export function Table<T extends RowData>({ label, columns, rows, rowKey, empty, error, retry, more }: TableProps<T>) {
  const defs = useMemo(
    () => columns.map(({ id, header }) => ({ id, header }) as ColumnDef<typeof features, T>),
    [columns],
  );
  const data = useMemo(() => [...(rows ?? [])], [rows]);
  const table = useTable({ features, columns: defs, data, getRowId: rowKey });
  if (error)
    return (
      <div className="px-5 pb-4">
        <Failure error={error} {...(retry && { retry })} />
      </div>
    );
  if (rows?.length === 0) return empty;
  const narrow = columns.filter(({ wide }) => !wide);
  const columnOf = (id: string) => columns.find((one) => one.id === id)!;
  const look = (id: string) => {
    const column = columnOf(id);
    return cx(
      'px-5 py-2.5 align-top max-sm:px-2.5',
      column === narrow[0] && 'max-sm:pl-5',
      column === narrow.at(-1) && 'max-sm:pr-5',
      column.right ? 'text-right figures' : 'text-left',
      column.wide && 'max-sm:hidden',
      column.name && 'min-w-24 sm:min-w-36 [overflow-wrap:anywhere]',
    );
  };
  return (
    <Scrolls label={label}>
      <table aria-label={label} aria-busy={!rows} className="w-full border-collapse text-small">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-b border-line text-soft">
              {group.headers.map((header) =>
                // Over a column of buttons stands nothing, and a heading without words would be read as one.
                header.column.columnDef.header === '' ? (
                  <td key={header.id} className={look(header.column.id)} />
                ) : (
                  <th
                    key={header.id}
                    scope="col"
                    dir={columnOf(header.column.id).name ? 'auto' : undefined}
                    className={cx(
                      look(header.column.id),
                      'font-medium',
                      !columnOf(header.column.id).name && 'whitespace-nowrap',
                    )}
                  >
                    <table.FlexRender header={header} />
                  </th>
                ),
              )}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className="border-b border-line last:border-0 hover:bg-sunken/60">
              {row.getAllCells().map((cell) => {
                const { cell: shown, heads } = columnOf(cell.column.id);
                const Cell = heads ? 'th' : 'td';
                return (
                  <Cell
                    key={cell.id}
                    {...(heads && { scope: 'row' })}
                    className={cx(look(cell.column.id), heads && 'font-medium text-soft')}
                  >
                    {/* Called, not rendered as a component: columns that are made anew would make every cell anew. */}
                    {shown(row.original)}
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
