import { ThumbsDown, ThumbsUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';
import { Money, Time } from '../../ui/Values.tsx';
import type { RowsFilter } from './filters.ts';
import { amountOf, type TaskRow } from './rows.ts';
import { TaskState } from './TaskState.tsx';

interface TaskColumn {
  head: string;
  cell: (row: TaskRow) => ReactNode;
  /** Amounts stand to the right. */
  right?: boolean;
  /** Its place at phone width, or the width at which it is left out. */
  place: string;
}

/** A list of tasks: whose they are, and what stands in a row after the title. */
export interface ListKind {
  label: string;
  to: '/tasks' | '/jobs';
  /** What is asked for besides the filters. */
  filter: RowsFilter;
  /** Columns of head and rows alike. */
  grid: string;
  columns: readonly TaskColumn[];
}

const agent: TaskColumn = {
  head: 'Agent',
  place: 'max-sm:order-4 flex gap-1.5 text-soft',
  cell: ({ agentName, agentId, group }) => (
    <>
      <span dir="auto" className="truncate">
        {agentName ?? agentId ?? '–'}
      </span>
      {group && (
        <span className="figures shrink-0 text-faint">
          · {group.attempt} of {group.attempts}
        </span>
      )}
    </>
  ),
};

const state: TaskColumn = {
  head: 'Status',
  place: 'max-sm:order-2',
  cell: (row) => <TaskState {...row} />,
};

const submitted: TaskColumn = {
  head: 'Submitted',
  right: true,
  place: 'text-soft max-sm:order-5',
  cell: ({ createdAt }) => <Time at={createdAt} />,
};

/** What an owner asked agents to do. */
export const ownTasks: ListKind = {
  label: 'Tasks',
  to: '/tasks',
  filter: {},
  grid: 'sm:grid-cols-[minmax(0,1fr)_11rem_minmax(0,10rem)_6.5rem_8.5rem]',
  columns: [
    state,
    agent,
    {
      head: 'Amount',
      right: true,
      place: 'max-sm:order-3',
      cell: (row) => {
        const { cents, isBudget } = amountOf(row);
        return (
          <>
            <Money cents={cents} />
            {isBudget && <span className="block text-tiny text-faint sm:hidden">budget</span>}
          </>
        );
      },
    },
    submitted,
  ],
};

/** What the agents of an owner do for others. */
export const jobs: ListKind = {
  label: 'Jobs',
  to: '/jobs',
  filter: { role: 'assigned' },
  grid: 'sm:grid-cols-[minmax(0,1fr)_9rem_5.5rem_3rem] lg:grid-cols-[minmax(0,1fr)_9.5rem_minmax(0,9rem)_5rem_5rem_minmax(0,9rem)_7rem]',
  columns: [
    state,
    { ...agent, place: `${agent.place} sm:max-lg:hidden` },
    {
      head: 'Price',
      right: true,
      place: 'max-lg:hidden',
      cell: (row) => <Money cents={row.price ?? amountOf(row).cents} />,
    },
    {
      head: 'Earned',
      right: true,
      place: 'max-sm:order-3',
      cell: ({ earned }) => (earned === null ? <span className="text-faint">–</span> : <Money cents={earned} />),
    },
    { head: 'Rating', place: 'max-sm:order-5 max-sm:justify-self-end', cell: (row) => <Rating {...row} /> },
    { ...submitted, place: 'text-soft max-lg:hidden' },
  ],
};

/** What the buyer said of the work: thumbs, and its review as far as there is room. */
export function Rating({ feedback, isWhole }: Pick<TaskRow, 'feedback'> & { isWhole?: boolean }) {
  if (feedback === null) return <span className="text-faint">–</span>;
  const { direction, comment } = feedback;
  const Icon = direction === 'up' ? ThumbsUp : ThumbsDown;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Icon
        role="img"
        aria-label={`Thumbs ${direction}`}
        className={cx('size-4 shrink-0', direction === 'up' ? 'text-good' : 'text-bad')}
      />
      {comment && (
        <span dir="auto" className={isWhole ? '[overflow-wrap:anywhere]' : 'truncate max-lg:sr-only'}>
          {comment}
        </span>
      )}
    </span>
  );
}
