import type { StuckKind } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../ui/Button.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Time } from '../../ui/Values.tsx';
import { useOperator } from './operator.ts';
import { AgentRef, OwnerRef, TaskRef } from './References.tsx';
import { RetryJobs } from './RetryJobs.tsx';

type Group = Reply<'operator.stuck'>['data'][number];
type Item = Group['items'][number];

const titles: Record<StuckKind, string> = {
  role_missing: 'Roles that no server has',
  task_overdue: 'Overdue tasks',
  sandbox_lost: 'Sandboxes without their server',
  gate_slow: 'Deliveries that wait for a verdict',
  job_given_up: 'Jobs given up',
  job_late: 'Late jobs',
  timed_job_late: 'Late timed jobs',
  reader_behind: 'Readers of the log that are behind',
  payment_unsettled: 'Payments without an answer',
  task_silent: 'Tasks of silent agents',
  task_without_agent: 'Tasks that wait for an agent',
  webhook_failing: 'Webhooks that fail',
};

/** Where the operator does something about it, if that is in these pages. */
const actions: Partial<Record<StuckKind, { tab: string; text: string; status?: string; sort?: string }>> = {
  payment_unsettled: { tab: 'reconciliation', text: 'Reconcile' },
  timed_job_late: { tab: 'metrics', text: 'See the metrics' },
  gate_slow: { tab: 'metrics', text: 'See the metrics' },
  task_overdue: { tab: 'tasks', text: 'See open tasks', status: 'open', sort: 'oldest' },
};

/** Work that does not go on, with why and what to do. */
export function Stuck() {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'stuck'],
    queryFn: async () => operator.operator.stuck(),
    refetchInterval: 15_000,
  });
  return (
    <Loaded query={query} skeleton={<div className="skeleton h-64" />}>
      {({ data }) =>
        data.length === 0 ? (
          <Section>
            <Empty title="Nothing is stuck">
              Overdue tasks, deliveries without a verdict, agents that went silent, jobs that failed, webhooks that fail
              and payments without an answer appear here, with what to do.
            </Empty>
          </Section>
        ) : (
          data.map((group) => <GroupSection key={group.kind} group={group} />)
        )
      }
    </Loaded>
  );
}

const most = 1_000;

function GroupSection({ group: { kind, count: all, why, advice, items } }: { group: Group }) {
  const { text, ...search } = actions[kind] ?? { text: null };
  const columns = columnsOf(items);
  return (
    <Section
      title={`${titles[kind]} (${all >= most ? `${count(most)} or more` : count(all)})`}
      lead={
        <>
          {why} {advice}
        </>
      }
      actions={
        text !== null && (
          <ButtonLink to="/operator" search={search}>
            {text}
          </ButtonLink>
        )
      }
      flush
    >
      <Table
        label={titles[kind]}
        columns={columns}
        rows={items.map((item, nth) => ({ ...item, key: `${item.taskId ?? item.detail} ${nth}` }))}
        rowKey={({ key }) => key}
        empty={null}
      />
      {kind === 'job_given_up' && <RetryJobs kinds={[...new Set(items.flatMap(({ subject }) => subject ?? []))]} />}
      {items.length < all && (
        <p className="px-5 pb-4 text-small text-soft">Shown are the {items.length} that are stuck the longest.</p>
      )}
    </Section>
  );
}

type Row = Item & { key: string };

/** Only what the rows have: jobs have no agent, and roles no time. */
function columnsOf(items: Item[]): Column<Row>[] {
  const has = (name: keyof Item) => items.some((item) => item[name] !== null);
  const all: (Column<Row> | false)[] = [
    has('taskId') && { id: 'task', header: 'Task', cell: ({ taskId }) => <TaskRef id={taskId} /> },
    has('subject') && {
      id: 'subject',
      header: 'What',
      cell: ({ subject }) => subject !== null && <Code>{subject}</Code>,
    },
    has('detail') && {
      id: 'detail',
      header: 'What is known',
      name: true,
      cell: ({ detail }) => <span className="[overflow-wrap:anywhere]">{detail}</span>,
    },
    has('agentId') && { id: 'agent', header: 'Agent', wide: true, cell: ({ agentId }) => <AgentRef id={agentId} /> },
    has('ownerId') && { id: 'owner', header: 'Owner', wide: true, cell: ({ ownerId }) => <OwnerRef id={ownerId} /> },
    has('since') && {
      id: 'since',
      header: 'Since',
      right: true,
      cell: ({ since }) => (since === null ? '–' : <Time at={since} />),
    },
  ];
  return all.filter((column) => column !== false);
}
