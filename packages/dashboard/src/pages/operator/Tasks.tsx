import { timeOrders } from '@agora-market/contract';
import type { ItemOf, Query } from '@agora-market/sdk';
import { type ReactNode, useMemo } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { SoughtTable } from '../../ui/SoughtTable.tsx';
import type { Column } from '../../ui/Table.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { Money, Time } from '../../ui/Values.tsx';
import { DayFields, FailureChoice, StatusChoice, TypeChoice } from '../tasks/FilterFields.tsx';
import { filterOf } from '../tasks/filters.ts';
import { TaskState } from '../tasks/TaskState.tsx';
import { isId, type OperatorSearch, oneOf, useChange, useOperatorSearch } from './filters.ts';
import { NoRows } from './NoRows.tsx';
import { useOperator } from './operator.ts';
import { AgentRef, OwnerRef, TaskRef } from './References.tsx';
import { TaskDetail } from './TaskDetail.tsx';

type TaskRow = ItemOf<'operator.tasks'>;

const amountOf = ({ creditsCharged, price, maxBudget }: TaskRow) => creditsCharged ?? price ?? maxBudget;

const taskColumns: readonly Column<TaskRow>[] = [
  {
    id: 'task',
    header: 'Task',
    cell: ({ id, taskType }) => (
      <span className="grid justify-items-start">
        <TaskRef id={id} />
        <span className="text-soft">{words(taskType)}</span>
      </span>
    ),
  },
  { id: 'state', header: 'Status', cell: (task) => <TaskState {...task} /> },
  { id: 'owner', header: 'Owner', wide: true, cell: ({ ownerId }) => <OwnerRef id={ownerId} /> },
  {
    id: 'agent',
    header: 'Agent',
    wide: true,
    name: true,
    cell: ({ agentId, agentName }) => <AgentRef id={agentId} name={agentName} />,
  },
  { id: 'amount', header: 'Amount', right: true, wide: true, cell: (task) => <Money cents={amountOf(task)} /> },
  { id: 'at', header: 'Submitted', right: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Tasks of everybody: the list, or one of them. */
export function Tasks() {
  const { task } = useOperatorSearch();
  return task ? <TaskDetail taskId={task} /> : <List />;
}

/** What the address asks for, as the API takes it. */
function useFilter(search: OperatorSearch) {
  return useMemo(() => {
    const {
      project: _,
      tag: __,
      q,
      sort,
      ...filter
    } = filterOf({ ...search, q: undefined } as Parameters<typeof filterOf>[0]);
    const order = oneOf(timeOrders, sort);
    const ownerId = search.ownerId && isId(search.ownerId, 'own') ? search.ownerId : undefined;
    const sought = search.q?.trim();
    return {
      ...filter,
      ...(order && { sort: order }),
      ...(ownerId && { ownerId }),
      ...(sought && isId(sought, 'tsk', 'own', 'agt') && { q: sought }),
    };
  }, [search]);
}

function List() {
  const search = useOperatorSearch();
  const filter = useFilter(search);
  return (
    <>
      <Filters search={search} />
      <TaskTable
        title="Tasks"
        lead="Of all owners. What a task is about stands with its owner; a dispute shows it to you."
        filter={filter}
        empty={
          <NoRows tab="tasks" isFiltered={Object.keys(filter).length > 0}>
            Each task that an owner or an agent submits stands here, with its state, its agent and what it costs.
          </NoRows>
        }
      />
    </>
  );
}

interface TableProps {
  title: string;
  lead?: string;
  filter: Query<'operator.tasks'>;
  actions?: ReactNode;
  empty: ReactNode;
}

/** Tasks that match filters, page by page. */
export function TaskTable({ title, lead, filter, actions, empty }: TableProps) {
  const operator = useOperator();
  const query = useRows(
    pagesOf(['operator', 'tasks', filter], (cursor) => operator.operator.tasks({ ...filter, ...cursor })),
  );
  return (
    <Section title={title} lead={lead} actions={actions ?? <CopyTable />} flush>
      <SoughtTable label={title} columns={taskColumns} query={query} rowKey={({ id }) => id} empty={empty} />
    </Section>
  );
}

function Filters({ search }: { search: OperatorSearch }) {
  const change = useChange();
  const [q, setQ] = useTyped(search.q, (text) => change({ q: text }, search.q !== undefined));
  const isOdd = q.trim() !== '' && !isId(q.trim(), 'tsk', 'own', 'agt');
  const fields = { search, change };
  const chosen = ['q', 'status', 'failure', 'type', 'ownerId', 'agentId', 'from', 'to', 'sort'] as const;
  return (
    <search data-filters className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
      <TextField
        type="search"
        label="Id"
        placeholder="tsk_…, own_… or agt_…"
        className="sm:col-span-2"
        spellCheck={false}
        autoComplete="off"
        value={q}
        maxLength={200}
        error={isOdd ? 'Write a whole id. Names are found under Owners and Agents.' : undefined}
        onChange={(event) => setQ(event.target.value)}
      />
      <StatusChoice {...fields} />
      <FailureChoice {...fields} />
      <TypeChoice {...fields} />
      <DayFields {...fields} />
      <Choice
        label="Order"
        value={search.sort ?? ''}
        onChange={(event) => change({ sort: event.target.value || undefined })}
        options={[
          ['', 'Newest first'],
          ['oldest', 'Oldest first'],
        ]}
      />
      {chosen.some((name) => search[name] !== undefined) && (
        <p className="flex flex-wrap items-center gap-2 text-small sm:col-span-2 lg:col-span-4">
          {search.ownerId && (
            <span>
              Of owner <OwnerRef id={search.ownerId} />
            </span>
          )}
          {search.agentId && (
            <span>
              Of agent <AgentRef id={search.agentId} />
            </span>
          )}
          <ButtonLink small kind="quiet" to="/operator" search={{ tab: 'tasks' }}>
            Clear filters
          </ButtonLink>
        </p>
      )}
    </search>
  );
}
