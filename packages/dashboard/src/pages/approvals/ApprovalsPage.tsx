import type { Approval } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type ApprovalFilter, approvalsQuery, approvalsWaitingQuery } from '../../api/approvals.ts';
import { useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { counted, words } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { TimeLeft } from './TimeLeft.tsx';

const filters = { pending: 'Waiting', all: 'All', approved: 'Approved', denied: 'Denied', expired: 'Expired' } as const;
type Filter = keyof typeof filters;

const isFilter = (text: string | undefined): text is Filter => text !== undefined && text in filters;

/** What own agents want to buy and may not without their owner. */
export function ApprovalsPage() {
  const { status } = useSearch({ from: '/owner/approvals' });
  const filter = isFilter(status) ? status : 'pending';
  const waiting = useQuery(approvalsWaitingQuery).data;
  const query = useRows(approvalsQuery(filter === 'all' ? undefined : (filter as ApprovalFilter)));
  const rows = useMemo(() => query.rows && urgentFirst(query.rows), [query.rows]);
  return (
    <Page
      title="Approvals"
      lead="What your agents want to buy for more than they may spend alone. Nothing is held until you approve."
      actions={<ButtonLink to="/policies">Set the threshold</ButtonLink>}
    >
      <Tabs
        label="Approvals by status"
        tabs={Object.entries(filters).map(([value, label]) => ({
          label,
          to: '/approvals',
          ...(value !== 'pending' && { search: { status: value } }),
          ...(value === 'pending' && waiting && { count: waiting }),
        }))}
      />
      <Section flush>
        <Table
          label={`${filters[filter]} approvals`}
          columns={filter === 'pending' ? waitingColumns : decidedColumns}
          rowKey={({ id }) => id}
          {...tableOf({ ...query, rows })}
          empty={<NoApprovals filter={filter} />}
        />
      </Section>
    </Page>
  );
}

/** What waits stands first, that with the least time at the top; what is decided keeps its order. */
const urgentFirst = (rows: Approval[]) => [
  ...rows.filter(isPending).sort((a, b) => a.expiresAt.localeCompare(b.expiresAt)),
  ...rows.filter((row) => !isPending(row)),
];
const isPending = ({ status }: Approval) => status === 'pending';

const what: Column<Approval> = {
  id: 'what',
  header: 'Request',
  cell: ({ id, taskType, description, attempts, status }) => (
    <div className="min-w-44">
      <TextLink
        to="/approvals/$approvalId"
        params={{ approvalId: id }}
        dir="auto"
        className="line-clamp-2 [overflow-wrap:anywhere]"
      >
        {description?.trim() || words(taskType)}
      </TextLink>
      <span className="mt-0.5 block text-soft">
        {words(taskType)}
        {attempts > 1 && ` · ${counted(attempts, 'attempt')}`}
      </span>
      {status !== 'pending' && (
        <span className="mt-1 block sm:hidden">
          <State of={status} />
        </span>
      )}
    </div>
  ),
};
const agent: Column<Approval> = {
  id: 'agent',
  header: 'Asked by',
  wide: true,
  cell: ({ agentId }) => (
    <div className="min-w-28">
      <AgentLink agentId={agentId} />
    </div>
  ),
};
const budget: Column<Approval> = {
  id: 'budget',
  header: 'Up to',
  sort: ({ maxBudget, attempts }) => maxBudget * attempts,
  right: true,
  cell: ({ maxBudget, attempts }) => <Money cents={maxBudget * attempts} className="font-medium" />,
};

const waitingColumns: Column<Approval>[] = [
  what,
  agent,
  budget,
  {
    id: 'threshold',
    header: 'Threshold',
    right: true,
    wide: true,
    cell: ({ reason }) => <Money cents={reason.limit} className="text-soft" />,
  },
  {
    id: 'left',
    header: 'Time left',
    sort: ({ expiresAt }) => expiresAt,
    right: true,
    cell: ({ expiresAt }) => <TimeLeft until={expiresAt} />,
  },
];

const decidedColumns: Column<Approval>[] = [
  what,
  agent,
  budget,
  { id: 'status', header: 'Status', wide: true, cell: ({ status }) => <State of={status} /> },
  {
    id: 'when',
    header: 'Decided',
    wide: true,
    cell: ({ decidedAt, expiresAt, status }) =>
      status === 'pending' ? <TimeLeft until={expiresAt} /> : <Time at={decidedAt ?? expiresAt} />,
  },
];

function NoApprovals({ filter }: { filter: Filter }) {
  if (filter === 'pending') {
    return (
      <Empty title="Nothing waits for you" actions={<ButtonLink to="/policies">Open policies</ButtonLink>}>
        With an approval threshold in a policy, what an agent wants to buy for more stands here first.
      </Empty>
    );
  }
  if (filter === 'all') return <Empty title="No requests yet">What your agents ask for is listed here for good.</Empty>;
  return <Empty title={`Nothing ${filter}`}>Requests that were {filter} are listed here.</Empty>;
}
