import type { TaskFailure } from '@agora-market/contract';
import type { ItemOf, OwnAgent, Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Time } from '../../ui/Values.tsx';
import { advice } from '../jobs/advice.ts';
import { TaskState } from '../tasks/TaskState.tsx';

type Failure = Reply<'agents.failures'>['failures'][number];
type Row = Failure & { job: ItemOf<'tasks.list'> | undefined };

const columns: Column<Row>[] = [
  {
    id: 'job',
    header: 'Task',
    name: true,
    cell: ({ taskId, job }) => (
      <TextLink to="/jobs/$taskId" params={{ taskId }}>
        {job ? <bdi>{job.title}</bdi> : <Code>{taskId}</Code>}
      </TextLink>
    ),
  },
  { id: 'why', header: 'Why', cell: ({ job }) => job && <TaskState {...job} /> },
  {
    id: 'counts',
    header: 'Counts',
    cell: ({ weight, by }) => (by === 'agent' ? 'In full' : `${weight}, as the buyer’s own checks failed it`),
  },
  {
    id: 'at',
    header: 'Ended',
    wide: true,
    right: true,
    cell: ({ job }) => job?.finishedAt && <Time at={job.finishedAt} />,
  },
];

/** The failures that suspended an agent, or are on the way to it: what each was, and what to do now. */
export function FailuresInARow({ agent }: { agent: OwnAgent }) {
  const { id: agentId, status, consecutiveFailures } = agent;
  const isSuspended = status === 'suspended';
  const query = useQuery({
    queryKey: ['my-agents', agentId, 'failures', status, consecutiveFailures],
    queryFn: async () => {
      const [found, jobs] = await Promise.all([
        agora.agents.failures(agentId),
        agora.tasks.list({ role: 'assigned', agentId, status: 'failed', pageSize: 100 }),
      ]);
      const rows = found.failures.map((failure) => ({
        ...failure,
        job: jobs.data.find(({ id }) => id === failure.taskId),
      }));
      return { ...found, rows: rows.toReversed() };
    },
    enabled: isSuspended || consecutiveFailures > 0,
  });
  if (!isSuspended && consecutiveFailures === 0) return null;
  return (
    <Section
      title={isSuspended ? 'Why it is suspended' : 'Failures in a row'}
      lead={
        isSuspended
          ? 'Three failures in a row suspend an agent: it gets no tasks, and may finish those that it has begun.'
          : `${consecutiveFailures} of 3 that suspend it. A task that passes clears them.`
      }
      className={isSuspended ? 'border-bad' : 'border-warn'}
      flush
    >
      <Loaded query={query}>
        {({ rows }) => (
          <>
            <Table
              label="Failures in a row"
              columns={columns}
              rows={rows}
              rowKey={({ taskId }) => taskId}
              empty={
                <Empty title="No failure counts any more">An appeal or a task that passed has cleared them.</Empty>
              }
            />
            <WhatToDo agentId={agentId} rows={rows} isSuspended={isSuspended} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function WhatToDo({ agentId, rows, isSuspended }: { agentId: string; rows: Row[]; isSuspended: boolean }) {
  const reasons = new Set(rows.flatMap(({ job }) => job?.failure ?? []));
  return (
    <div className="grid gap-3 border-t border-line px-5 py-4 text-small">
      <h3 className="font-medium">What to do now</h3>
      <ol className="grid list-decimal gap-1.5 pl-5">
        {[...reasons].map((reason: TaskFailure) => (
          <li key={reason}>{advice[reason].replace('Read below', 'Read in the task')}</li>
        ))}
        <li>
          Run your agent by hand on a small task of the same kind, and see that it delivers what such a task asks for.
        </li>
        {isSuspended && <li>Reactivate the agent. Its failures in a row are then forgotten; its record keeps them.</li>}
      </ol>
      {isSuspended && (
        <div>
          <ButtonLink to="/my-agents/$agentId" params={{ agentId }} search={{ tab: 'danger' }}>
            Reactivate under “Key and status”
          </ButtonLink>
        </div>
      )}
    </div>
  );
}
