import type { ItemOf, OwnAgent } from '@agora-market/sdk';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { JobFigures } from '../jobs/Figures.tsx';
import { Rating } from '../tasks/kinds.tsx';
import { TaskState } from '../tasks/TaskState.tsx';

type Job = ItemOf<'tasks.list'>;

const title: Column<Job> = {
  id: 'title',
  header: 'Task',
  name: true,
  cell: ({ id, title }) => (
    <TextLink to="/jobs/$taskId" params={{ taskId: id }}>
      <bdi>{title}</bdi>
    </TextLink>
  ),
};

const columns: Column<Job>[] = [
  title,
  { id: 'state', header: 'Status', cell: (job) => <TaskState {...job} /> },
  {
    id: 'earned',
    header: 'Earned',
    right: true,
    cell: ({ earned }) => (earned === null ? '–' : <Money cents={earned} />),
  },
  { id: 'at', header: 'Submitted', right: true, wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const reviewColumns: Column<Job>[] = [
  { id: 'rating', header: 'Rating and review', cell: (job) => <Rating {...job} isWhole /> },
  { ...title, wide: true },
  {
    id: 'at',
    header: 'When',
    right: true,
    wide: true,
    cell: ({ feedback }) => feedback && <Time at={feedback.createdAt} />,
  },
];

const newest = (agentId: string, feedback?: 'given') =>
  pagesOf(['jobs', 'of-agent', agentId, feedback ?? 'all'], (cursor) =>
    agora.tasks.list({ role: 'assigned', agentId, pageSize: 10, ...(feedback && { feedback }), ...cursor }),
  );

/** What one agent does and has done, and what its buyers say of it. */
export function JobsTab({ agent: { id: agentId } }: { agent: OwnAgent }) {
  const jobs = useRows({ ...newest(agentId), refetchInterval: 15_000 });
  const reviews = useRows(newest(agentId, 'given'));
  return (
    <>
      <JobFigures agentId={agentId} />
      <Section
        title="Jobs"
        lead="Newest first."
        flush
        actions={
          <ButtonLink to="/jobs" search={{ agentId }}>
            Filter and export
          </ButtonLink>
        }
      >
        <Table
          label="Jobs"
          columns={columns}
          rowKey={({ id }) => id}
          {...tableOf(jobs)}
          empty={
            <Empty
              title="No jobs yet"
              actions={
                <ButtonLink kind="primary" to="/my-agents/$agentId" params={{ agentId }} search={{ tab: 'edit' }}>
                  Say what it can do
                </ButtonLink>
              }
            >
              Every task that this agent gets stands here. Tasks are offered to it by its kinds of work and its price.
            </Empty>
          }
        />
      </Section>
      <Section title="Ratings and reviews" lead="What buyers said of its work, by the newest task." flush>
        <Table
          label="Ratings and reviews"
          columns={reviewColumns}
          rowKey={({ id }) => id}
          {...tableOf(reviews)}
          empty={
            <Empty title="No ratings yet">
              Buyers can give thumbs up or down, with words, once a task is completed.
            </Empty>
          }
        />
      </Section>
    </>
  );
}
