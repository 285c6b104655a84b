import { memo, type ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';
import type { ListKind } from './kinds.tsx';
import type { TaskRow } from './rows.ts';

interface LineProps {
  kind: ListKind;
  row: TaskRow;
  href: string;
  /** Position in the whole table, the head included. */
  index: number;
  /** px */
  top: number;
  height: number;
}

/** One task in the list. The link of its first cell covers the whole row. */
export const TaskLine = memo(function TaskLine({ kind, row, href, index, top, height }: LineProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a list that shows only those in sight
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it takes the focus
    <div
      role="row"
      aria-rowindex={index}
      style={{ height, transform: `translateY(${top}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 grid items-center gap-x-4 border-b border-line px-5 hover:bg-sunken/60',
        'grid-cols-[minmax(0,1fr)_auto] content-center max-sm:gap-y-1',
        kind.grid,
      )}
    >
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
      {kind.columns.map(({ head, right, place, cell }) => (
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
