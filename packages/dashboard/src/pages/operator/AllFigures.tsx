import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyTable } from '../../ui/CopyTable.tsx';
import { saveFile } from '../../ui/download.ts';
import { TextField } from '../../ui/Field.tsx';
import { count } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { useChange, useOperatorSearch } from './filters.ts';
import { useOperator } from './operator.ts';
import { type Sample, samplesOf } from './samples.ts';

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

/** Every figure that the server tells its monitoring, every 15 seconds. */
export function AllFigures() {
  const operator = useOperator();
  const change = useChange();
  const { q = '' } = useOperatorSearch();
  const [limit, setLimit] = useState(shownFirst);
  const query = useQuery({
    queryKey: ['operator', 'metrics'],
    queryFn: async () => operator.system.metrics(),
    refetchInterval: 15_000,
  });
  const samples = useMemo(() => (query.data === undefined ? undefined : samplesOf(query.data)), [query.data]);
  const rows = useMemo(() => {
    const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
    return samples?.filter(({ name, labels, help }) => {
      const text = `${name} ${labels} ${help}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }, [samples, q]);
  if (query.error && !query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <Section
      title="All figures"
      lead={rows ? `${count(rows.length)} match. Of the server that answers, and of the database.` : 'Loading'}
      actions={
        <>
          <CopyTable />
          <Button
            why={query.data === undefined ? 'They are loading.' : null}
            onClick={() => query.data !== undefined && saveFile('metrics.txt', 'text/plain', [query.data])}
          >
            <Download aria-hidden /> Prometheus text
          </Button>
        </>
      }
      flush
    >
      <div className="px-5 pb-4" data-filters>
        <TextField
          label="Filter"
          type="search"
          placeholder="ledger, jobs, http …"
          className="max-w-72"
          value={q}
          onChange={({ target }) => change({ q: target.value || undefined }, true)}
        />
      </div>
      <Table
        label="Figures"
        columns={columns}
        rows={rows?.slice(0, limit)}
        rowKey={({ name, labels }) => name + labels}
        empty={
          <Empty
            title="No figure matches this filter"
            actions={
              <Button kind="primary" onClick={() => change({ q: undefined })}>
                Show all figures
              </Button>
            }
          >
            Each word is sought in the name, the labels and the explanation of a figure.
          </Empty>
        }
      />
      {rows && rows.length > limit && (
        <div className="border-t border-line px-5 py-3 text-center">
          <Button kind="quiet" onClick={() => setLimit(limit + 400)}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}
