import { memo, type ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';
import { Money, Time } from '../../ui/Values.tsx';
import { amountOf, type TaskRow } from './rows.ts';
import { TaskState } from './TaskState.tsx';

/** Columns of head and rows alike. */
export const columns = 'sm:grid-cols-[minmax(0,1fr)_11rem_minmax(0,10rem)_6.5rem_8.5rem]';

interface LineProps {
  row: TaskRow;
  href: string;
  /** Position in the whole table, the head included. */
  index: number;
  /** px */
  top: number;
  height: number;
}

/** One task in the list. The link of its first cell covers the whole row. */
export const TaskLine = memo(function TaskLine({ row, href, index, top, height }: LineProps) {
  const { cents, isBudget } = amountOf(row);
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
        columns,
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
      <Cell className="max-sm:order-2">
        <TaskState {...row} />
      </Cell>
      <Cell className="flex gap-1.5 text-soft max-sm:order-4">
        <span dir="auto" className="truncate">
          {row.agentName ?? row.agentId ?? '–'}
        </span>
        {row.group && (
          <span className="figures shrink-0 text-faint">
            · {row.group.attempt} of {row.group.attempts}
          </span>
        )}
      </Cell>
      <Cell className="text-right max-sm:order-3">
        <Money cents={cents} />
        {isBudget && <span className="block text-tiny text-faint sm:hidden">budget</span>}
      </Cell>
      <Cell className="text-right text-soft max-sm:order-5">
        <Time at={row.createdAt} />
      </Cell>
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
