import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Figure, Figures, Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { useOperator } from './operator.ts';
import { type Sample, samplesOf, sumOf } from './samples.ts';

const shownFirst = 100;

const rare = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 6 });
const figure = (value: number) => (Number.isInteger(value) ? count(value) : rare.format(value));

const columns: readonly Column<Sample>[] = [
  {
    id: 'name',
    header: 'Figure',
    cell: ({ name, labels, help }) => (
      <div title={help}>
        <span className="font-mono text-tiny [overflow-wrap:anywhere]">{name}</span>
        {labels && <span className="block font-mono text-tiny text-faint [overflow-wrap:anywhere]">{labels}</span>}
      </div>
    ),
  },
  { id: 'help', header: 'What it is', wide: true, cell: ({ help }) => <span className="text-soft">{help}</span> },
  { id: 'value', header: 'Value', right: true, cell: ({ value }) => figure(value) },
];

/** Names of the figures that tell most, and the words for them. */
const important = [
  ['agora_open_tasks', 'Open tasks'],
  ['agora_open_disputes', 'Open disputes'],
  ['agora_queued_jobs', 'Jobs waiting'],
  ['agora_reconciliation_findings', 'Open findings'],
] as const;

/** Every figure that the server tells its monitoring, every 15 seconds. */
export function Metrics() {
  const operator = useOperator();
  const navigate = useNavigate({ from: '/operator' });
  const { q = '' } = useSearch({ from: '/owner/operator' });
  const [limit, setLimit] = useState(shownFirst);
  const query = useQuery({
    queryKey: ['operator', 'metrics'],
    queryFn: async () => samplesOf(await operator.system.metrics()),
    refetchInterval: 15_000,
  });
  const rows = useMemo(() => {
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
    return query.data?.filter(({ name, labels, help }) => {
      const text = `${name} ${labels} ${help}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }, [query.data, q]);
  if (query.error && !query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <Section>
        <Figures>
          {important.map(([name, label]) => (
            <Figure key={name} label={label}>
              {query.data ? (sumOf(query.data, name) ?? '—') : <span className="skeleton inline-block h-7 w-12" />}
            </Figure>
          ))}
        </Figures>
      </Section>
      <Section title="All figures" lead={rows ? `${count(rows.length)} match.` : 'Loading'} flush>
        <div className="px-5 pb-4" data-filters>
          <TextField
            label="Filter"
            type="search"
            placeholder="ledger, jobs, http …"
            className="max-w-72"
            value={q}
            onChange={({ target }) =>
              void navigate({ search: { tab: 'metrics', ...(target.value && { q: target.value }) }, replace: true })
            }
          />
        </div>
        <Table
          label="Figures"
          columns={columns}
          rows={rows?.slice(0, limit)}
          rowKey={({ name, labels }) => name + labels}
          empty={<Empty title="No figure matches this filter" />}
        />
        {rows && rows.length > limit && (
          <div className="border-t border-line px-5 py-3 text-center">
            <Button kind="quiet" onClick={() => setLimit(limit + 400)}>
              Show more
            </Button>
          </div>
        )}
      </Section>
    </>
  );
}
