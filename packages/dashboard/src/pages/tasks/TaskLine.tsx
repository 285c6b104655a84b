import { memo, type ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';
import type { TaskColumn } from './kinds.tsx';
import type { TaskRow } from './rows.ts';

interface LineProps {
  columns: readonly TaskColumn[];
  row: TaskRow;
  /** Undefined in a list of which nothing can be chosen. */
  isSelected: boolean | undefined;
  toggle: (id: string, isOn: boolean) => void;
  href: string;
  /** Position in the whole table, the head included. */
  index: number;
  /** px */
  top: number;
  height: number;
}

/** Columns of head and rows alike; the widths are those of `gridOf`. */
export const lineGrid = 'sm:grid-cols-(--sm) lg:grid-cols-(--lg) xl:grid-cols-(--xl)';

/** One task in the list. The link of its title covers the whole row, all but the box at its left edge. */
export const TaskLine = memo(function TaskLine(props: LineProps) {
  const { columns, row, isSelected, toggle, href, index, top, height } = props;

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a list that shows only those in sight
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it takes the focus
    <div
      role="row"
      aria-rowindex={index}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 grid contain-strict content-center items-center gap-x-4 border-b border-line px-5 max-sm:gap-y-1',
        isSelected === undefined ? 'grid-cols-[minmax(0,1fr)_auto]' : 'grid-cols-[1rem_minmax(0,1fr)_auto]',
        isSelected ? 'bg-accent-wash' : 'hover:bg-sunken/60',
        lineGrid,
      )}
    >
      {isSelected !== undefined && (
        <Cell className="max-sm:row-span-3">
          <label className="absolute inset-y-0 left-1.5 z-10 grid w-11 place-items-center">
            <input
              type="checkbox"
              aria-label={`Select ${row.title}`}
              aria-keyshortcuts="x"
              checked={isSelected}
              onChange={(event) => toggle(row.id, event.target.checked)}
              className="size-4 accent-accent"
            />
          </label>
        </Cell>
      )}
      <Cell className="max-sm:col-span-2">
        <a
          href={href}
          data-task={row.id}
          dir="auto"
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {row.title}
        </a>
      </Cell>
      {columns.map(({ head, right, place, cell }) => (
        <Cell key={head} className={cx(place, right && 'text-right')}>
          {cell(row)}
        </Cell>
      ))}
    </div>
  );
});

function Cell({ className, children }: { className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span role="cell" className={cx('min-w-0', className)}>
      {children}
    </span>
  );
}
