import { useEffect, useRef } from 'react';
import { useRows } from '../../api/pages.ts';
import { every } from '../../api/poll.ts';
import { queryClient } from '../../api/query-client.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Empty } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { isStarting, type Run, runsQuery, type Schedule, scheduleQuery } from './queries.ts';

const statuses = {
  starting: <Status tone="info">Starting</Status>,
  submitted: <Status tone="good">Submitted</Status>,
  skipped: <Status tone="calm">Skipped</Status>,
  failed: <Status tone="bad">Failed</Status>,
} as const satisfies Record<Run['status'], unknown>;

const skipped = {
  still_open: 'The run before was not over.',
  monthly_budget: 'What the month had left did not cover it.',
  paused: 'The schedule was paused before its task could be submitted.',
} as const satisfies Record<NonNullable<Run['skipReason']>, string>;

const columns: Column<Run>[] = [
  {
    id: 'began',
    header: 'Began',
    cell: ({ startedAt, trigger }) => (
      <div className="grid gap-0.5">
        <Time at={startedAt} exact />
        {trigger === 'owner' && <span className="text-faint">asked for</span>}
      </div>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ status }) => statuses[status] },
  {
    id: 'outcome',
    header: 'What became of it',
    name: true,
    cell: (run) => <Outcome run={run} />,
  },
  { id: 'cost', header: 'Charged or held', right: true, wide: true, cell: ({ cost }) => <Money cents={cost} /> },
];

function Outcome({ run: { taskIds, skipReason, error } }: { run: Run }) {
  if (skipReason !== null) return skipped[skipReason];
  if (error !== null)
    return (
      <>
        {error.message} <Code>{error.code}</Code>
      </>
    );
  return (
    <ul className="grid gap-0.5">
      {taskIds.map((taskId) => (
        <li key={taskId}>
          <TextLink to="/tasks/$taskId" params={{ taskId }}>
            {taskId}
          </TextLink>
        </li>
      ))}
    </ul>
  );
}

/** What became of its runs. While one starts, it is asked for again, and what follows from its end then. */
export function History({ schedule: { id } }: { schedule: Schedule }) {
  const query = useRows({
    ...runsQuery(id),
    refetchInterval: (asked) => every(isStarting(asked.state.data?.pages[0]?.data) ? 2_000 : 30_000)(asked),
  } as ReturnType<typeof runsQuery>);
  const isBusy = isStarting(query.rows);
  const wasBusy = useRef(isBusy);
  useEffect(() => {
    if (wasBusy.current && !isBusy) void queryClient.invalidateQueries({ queryKey: scheduleQuery(id).queryKey });
    wasBusy.current = isBusy;
  }, [isBusy, id]);
  return (
    <Table
      label="Runs"
      columns={columns}
      rowKey={({ id: runId }) => runId}
      {...tableOf(query)}
      empty={
        <Empty title="It has not run yet">
          Each run stands here with its task and what that cost, or why nothing was submitted.
        </Empty>
      }
    />
  );
}
