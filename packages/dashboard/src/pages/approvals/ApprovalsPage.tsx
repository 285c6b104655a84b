import type { Approval } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type ApprovalFilter, approvalsQuery, approvalsWaitingQuery } from '../../api/approvals.ts';
import { useRows } from '../../api/pages.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { count, counted, words } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { BulkBar } from '../tasks/bulk/BulkBar.tsx';
import { type Selection, useSelection } from '../tasks/bulk/use-selection.ts';
import { approvalActions, requestName } from './bulk-actions.tsx';
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
  const pending = useMemo(() => rows?.filter(isPending) ?? [], [rows]);
  const chosen = useSelection(pending, filter);
  // What is decided elsewhere meanwhile is not selected any more.
  const selection = { ...chosen, selected: chosen.selected.filter((row) => pending.includes(row)) };
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
          columns={filter === 'pending' ? [boxOf(selection), ...waitingColumns] : decidedColumns}
          rowKey={({ id }) => id}
          {...tableOf({ ...query, rows })}
          empty={<NoApprovals filter={filter} />}
        />
      </Section>
      <BulkBar
        selection={selection}
        actions={approvalActions}
        {...(selection.selected.length < pending.length && {
          all: { label: `Select all ${count(pending.length)}`, busy: false, choose: () => selection.set(pending) },
        })}
      />
    </Page>
  );
}

const boxOf = (selection: Selection<Approval>): Column<Approval> => ({
  id: 'box',
  header: '',
  cell: (row) => (
    <label className="-m-2.5 grid size-9 place-items-center">
      <input
        type="checkbox"
        aria-label={`Select ${requestName(row)}`}
        aria-keyshortcuts="x"
        checked={selection.has(row.id)}
        onChange={(event) => selection.toggle(row.id, event.target.checked)}
        className="size-4 accent-accent"
      />
    </label>
  ),
});

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
      <Empty
        title="Nothing waits for you"
        actions={
          <ButtonLink kind="primary" to="/policies">
            Open policies
          </ButtonLink>
        }
      >
        With an approval threshold in a policy, what an agent wants to buy for more stands here first.
      </Empty>
    );
  }
  if (filter === 'all') {
    return (
      <Empty
        title="No requests yet"
        actions={
          <ButtonLink kind="primary" to="/policies">
            Open policies
          </ButtonLink>
        }
      >
        What your agents want to buy above the threshold of a policy is listed here for good.
      </Empty>
    );
  }
  return (
    <Empty
      title={`Nothing ${filter}`}
      actions={
        <ButtonLink kind="primary" to="/approvals" search={{ status: 'all' }}>
          Show all requests
        </ButtonLink>
      }
    >
      Requests that were {filter} are listed here.
    </Empty>
  );
}
