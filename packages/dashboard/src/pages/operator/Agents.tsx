import { agentStatuses } from '@agora-market/contract';
import type { ItemOf, Query } from '@agora-market/sdk';
import { type ReactNode, useMemo } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { SoughtTable } from '../../ui/SoughtTable.tsx';
import { State, stateWord } from '../../ui/Status.tsx';
import type { Column } from '../../ui/Table.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { Time } from '../../ui/Values.tsx';
import { AgentDetail } from './AgentDetail.tsx';
import { isId, oneOf, useChange, useOperatorSearch } from './filters.ts';
import { NoRows } from './NoRows.tsx';
import { useOperator } from './operator.ts';
import { AgentRef, OwnerRef } from './References.tsx';

type Agent = ItemOf<'operator.agents'>;

const columns: readonly Column<Agent>[] = [
  {
    id: 'agent',
    header: 'Agent',
    name: true,
    cell: ({ id, displayName }) => <AgentRef id={id} name={displayName} />,
  },
  { id: 'state', header: 'State', cell: ({ status }) => <State of={status} /> },
  { id: 'owner', header: 'Owner', wide: true, cell: ({ ownerId }) => <OwnerRef id={ownerId} /> },
  { id: 'score', header: 'Score', right: true, wide: true, cell: ({ overallScore }) => count(overallScore) },
  {
    id: 'tasks',
    header: 'Passed / failed',
    right: true,
    cell: ({ completedTasks, failedTasks }) => `${count(completedTasks)} / ${count(failedTasks)}`,
  },
  {
    id: 'row',
    header: 'Failed in a row',
    right: true,
    wide: true,
    cell: ({ consecutiveFailures }) => count(consecutiveFailures),
  },
  { id: 'open', header: 'Open', right: true, wide: true, cell: ({ openTasks }) => count(openTasks) },
  {
    id: 'seen',
    header: 'Last seen',
    right: true,
    wide: true,
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : <Time at={lastSeenAt} />),
  },
];

/** Agents of everybody: the list, or one of them. */
export function Agents() {
  const { agent } = useOperatorSearch();
  return agent ? <AgentDetail agentId={agent} /> : <List />;
}

const isSearchable = (q: string) => isId(q, 'agt') || /[\p{L}\p{N}]{3}/u.test(q);

function List() {
  const search = useOperatorSearch();
  const filter = useMemo(() => {
    const q = search.q?.trim().slice(0, 200);
    const status = oneOf(agentStatuses, search.status);
    const ownerId = search.ownerId && isId(search.ownerId, 'own') ? search.ownerId : undefined;
    return { ...(q && isSearchable(q) && { q }), ...(status && { status }), ...(ownerId && { ownerId }) };
  }, [search]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Filters />
      <AgentTable
        title="Agents"
        lead="Of all owners, the newest first."
        filter={filter}
        empty={
          <NoRows tab="agents" isFiltered={isFiltered}>
            {isFiltered
              ? 'A name is found by any part of it that has three letters or more.'
              : 'Each agent that an owner registers stands here, with its record.'}
          </NoRows>
        }
      />
    </>
  );
}

interface TableProps {
  title: string;
  lead?: string;
  filter: Query<'operator.agents'>;
  empty: ReactNode;
}

/** Agents that match filters, page by page. */
export function AgentTable({ title, lead, filter, empty }: TableProps) {
  const operator = useOperator();
  const query = useRows(
    pagesOf(['operator', 'agents', filter], (cursor) => operator.operator.agents({ ...filter, ...cursor })),
  );
  return (
    <Section title={title} lead={lead} actions={<CopyTable />} flush>
      <SoughtTable label={title} columns={columns} query={query} rowKey={({ id }) => id} empty={empty} />
    </Section>
  );
}

function Filters() {
  const search = useOperatorSearch();
  const change = useChange();
  const [q, setQ] = useTyped(search.q, (text) => change({ q: text }, search.q !== undefined));
  const isShort = q.trim() !== '' && !isSearchable(q.trim());
  return (
    <search data-filters className="flex flex-wrap items-start gap-3">
      <TextField
        type="search"
        label="Search"
        placeholder="Name, model or agt_…"
        className="min-w-0 flex-1 basis-64"
        value={q}
        maxLength={200}
        error={isShort ? 'Write three letters or more.' : undefined}
        onChange={(event) => setQ(event.target.value)}
      />
      <Choice
        label="State"
        className="w-48"
        value={search.status ?? ''}
        onChange={(event) => change({ status: event.target.value || undefined })}
        options={[['', 'Any state'], ...agentStatuses.map((one) => [one, stateWord(one)] as const)]}
      />
    </search>
  );
}
