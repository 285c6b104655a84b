import type { TaskOrder } from '@agora-market/contract';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../ui/cx.ts';
import { words } from '../../ui/format.ts';
import { Money, Time } from '../../ui/Values.tsx';
import type { RowsFilter } from './filters.ts';
import { amountOf, type TaskRow } from './rows.ts';
import { TaskState } from './TaskState.tsx';

export interface TaskColumn {
  head: string;
  cell: (row: TaskRow) => ReactNode;
  /** Amounts stand to the right. */
  right?: boolean;
  /** Its place at phone width, or the width at which it is left out. */
  place: string;
  width: string;
  /** Its width in a window below `lg`, where that differs. */
  narrow?: string;
  /** Only a window of this width has room for it. */
  from?: 'lg' | 'xl';
  /** Left out until somebody chooses it. */
  extra?: true;
  /** The orders that its heading goes through, undefined for that of the list, and how the column then stands. */
  orders?: readonly (readonly [order: TaskOrder | undefined, stands: 'ascending' | 'descending' | undefined])[];
}

/** A list of tasks: whose they are, and what stands in a row after the title. */
export interface ListKind {
  label: string;
  to: '/tasks' | '/jobs';
  /** What is asked for besides the filters. */
  filter: RowsFilter;
  orders: readonly TaskOrder[];
  columns: readonly TaskColumn[];
}

const agent: TaskColumn = {
  head: 'Agent',
  width: 'minmax(0,10rem)',
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
  width: '11rem',
  place: 'max-sm:order-2',
  cell: (row) => <TaskState {...row} />,
};

const submitted: TaskColumn = {
  head: 'Submitted',
  right: true,
  width: '8.5rem',
  place: 'text-soft max-sm:order-5',
  orders: [
    [undefined, 'descending'],
    ['oldest', 'ascending'],
  ],
  cell: ({ createdAt }) => <Time at={createdAt} />,
};

const none = <span className="text-faint">–</span>;

/** Columns that a list has for those who choose them. */
const further = { place: 'max-xl:hidden truncate text-soft', from: 'xl', extra: true } as const;

/** What an owner asked agents to do. */
export const ownTasks: ListKind = {
  label: 'Tasks',
  to: '/tasks',
  filter: {},
  orders: ['newest', 'oldest', 'highest', 'lowest'],
  columns: [
    state,
    {
      ...further,
      head: 'Type',
      width: 'minmax(0,8rem)',
      cell: ({ taskType }) => words(taskType),
    },
    {
      ...further,
      head: 'Project',
      width: 'minmax(0,8rem)',
      cell: ({ project }) => (project === null ? none : <bdi>{project}</bdi>),
    },
    agent,
    {
      head: 'Amount',
      right: true,
      width: '6.5rem',
      place: 'max-sm:order-3',
      orders: [
        ['highest', 'descending'],
        ['lowest', 'ascending'],
        [undefined, undefined],
      ],
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
    {
      ...further,
      head: 'Ended',
      right: true,
      width: '8rem',
      cell: ({ finishedAt }) => (finishedAt === null ? none : <Time at={finishedAt} />),
    },
  ],
};

/** What the agents of an owner do for others. */
export const jobs: ListKind = {
  label: 'Jobs',
  to: '/jobs',
  filter: { role: 'assigned' },
  orders: ['newest', 'oldest'],
  columns: [
    { ...state, width: '9.5rem', narrow: '9rem' },
    { ...agent, place: `${agent.place} sm:max-lg:hidden`, width: 'minmax(0,9rem)', from: 'lg' },
    {
      head: 'Price',
      right: true,
      width: '5rem',
      from: 'lg',
      place: 'max-lg:hidden',
      cell: (row) => <Money cents={row.price ?? amountOf(row).cents} />,
    },
    {
      head: 'Earned',
      right: true,
      width: '5rem',
      narrow: '5.5rem',
      place: 'max-sm:order-3',
      cell: ({ earned }) => (earned === null ? none : <Money cents={earned} />),
    },
    {
      head: 'Rating',
      width: 'minmax(0,9rem)',
      narrow: '3rem',
      place: 'max-sm:order-5 max-sm:justify-self-end',
      cell: (row) => <Rating {...row} />,
    },
    { ...submitted, place: 'text-soft max-lg:hidden', width: '7rem', from: 'lg' },
  ],
};

/** What the buyer said of the work: thumbs, and its review as far as there is room. */
export function Rating({ feedback, isWhole }: Pick<TaskRow, 'feedback'> & { isWhole?: boolean }) {
  if (feedback === null) return none;
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
