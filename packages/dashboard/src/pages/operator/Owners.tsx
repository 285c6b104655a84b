import type { ItemOf } from '@agora-market/sdk';
import { useMemo } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { Time } from '../../ui/Values.tsx';
import { oneOf, useChange, useOperatorSearch } from './filters.ts';
import { NoRows } from './NoRows.tsx';
import { OwnerDetail } from './OwnerDetail.tsx';
import { useOperator } from './operator.ts';
import { OwnerRef } from './References.tsx';

type Owner = ItemOf<'operator.owners'>;

const columns: readonly Column<Owner>[] = [
  {
    id: 'owner',
    header: 'Owner',
    name: true,
    cell: ({ id, name, email }) => (
      <span className="grid justify-items-start">
        <OwnerRef id={id} name={name} />
        <span className="text-soft [overflow-wrap:anywhere]">{email}</span>
      </span>
    ),
  },
  { id: 'state', header: 'State', cell: ({ status }) => <State of={status} /> },
  { id: 'plan', header: 'Plan', wide: true, cell: ({ plan }) => words(plan) },
  {
    id: 'verified',
    header: 'Address',
    wide: true,
    cell: ({ emailVerified }) => (emailVerified ? 'Verified' : 'Not verified'),
  },
  { id: 'since', header: 'Since', right: true, wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const plans = ['free', 'pro', 'enterprise'] as const;
const states = ['active', 'suspended'] as const;

/** All owners: the list, or one of them. */
export function Owners() {
  const { owner } = useOperatorSearch();
  return owner ? <OwnerDetail ownerId={owner} /> : <List />;
}

function List() {
  const operator = useOperator();
  const search = useOperatorSearch();
  const filter = useMemo(() => {
    const q = search.q?.trim().slice(0, 200);
    const [plan, status] = [oneOf(plans, search.plan), oneOf(states, search.status)];
    return { ...(q && { q }), ...(plan && { plan }), ...(status && { status }) };
  }, [search]);
  const query = useRows(
    pagesOf(['operator', 'owners', filter], (cursor) => operator.operator.owners({ ...filter, ...cursor })),
  );
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Filters />
      <Section
        title="Owners"
        lead="The newest first. Open one to see its money and work, and to change it."
        actions={<CopyTable />}
        flush
      >
        <Table
          label="Owners"
          columns={columns}
          {...tableOf(query)}
          rowKey={({ id }) => id}
          empty={
            <NoRows tab="owners" isFiltered={isFiltered}>
              {isFiltered
                ? 'An owner is found by any part of the e-mail address or the name, or by its id.'
                : 'Whoever signs up stands here.'}
            </NoRows>
          }
        />
      </Section>
    </>
  );
}

function Filters() {
  const search = useOperatorSearch();
  const change = useChange();
  const [q, setQ] = useTyped(search.q, (text) => change({ q: text }, search.q !== undefined));
  return (
    <search data-filters className="flex flex-wrap items-end gap-3">
      <TextField
        type="search"
        label="Search"
        placeholder="E-mail address, name or own_…"
        className="min-w-0 flex-1 basis-64"
        value={q}
        maxLength={200}
        onChange={(event) => setQ(event.target.value)}
      />
      <Choice
        label="Plan"
        className="w-40"
        value={search.plan ?? ''}
        onChange={(event) => change({ plan: event.target.value || undefined })}
        options={[['', 'Any plan'], ...plans.map((one) => [one, words(one)] as const)]}
      />
      <Choice
        label="State"
        className="w-40"
        value={search.status ?? ''}
        onChange={(event) => change({ status: event.target.value || undefined })}
        options={[['', 'Any state'], ...states.map((one) => [one, words(one)] as const)]}
      />
    </search>
  );
}
