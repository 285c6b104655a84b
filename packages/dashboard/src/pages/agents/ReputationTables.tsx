import { Table } from '../../ui/Table.tsx';
import { dimensions, type ReputationData, upperBound } from './reputation-words.ts';

/** The numbers of both plots, for those who would rather read them. */
export function ReputationTables({ data }: { data: ReputationData }) {
  return (
    <details className="text-small">
      <summary className="w-fit font-medium text-accent">Show the numbers</summary>
      <div className="-mx-5 mt-3 grid gap-4">
        <Table
          label="Score by dimension"
          rows={dimensions}
          rowKey={({ name }) => name}
          columns={[
            { id: 'label', header: 'Dimension', cell: ({ label }) => label },
            { id: 'means', header: 'What it measures', wide: true, cell: ({ means }) => means },
            { id: 'share', header: 'Part of the score', right: true, cell: ({ share }) => `${share} %` },
            { id: 'score', header: 'Score', right: true, cell: ({ name }) => data.dimensions[name] },
          ]}
          empty={null}
        />
        <Table
          label="Score by day"
          rows={data.history}
          rowKey={({ day }) => day}
          columns={[
            { id: 'day', header: 'Day (UTC)', cell: ({ day }) => day },
            { id: 'score', header: 'Score', right: true, cell: ({ overallScore }) => overallScore },
            { id: 'least', header: 'At least', right: true, cell: ({ lowerBound }) => lowerBound },
            { id: 'most', header: 'At most', right: true, wide: true, cell: upperBound },
            { id: 'confidence', header: 'Confidence', right: true, wide: true, cell: ({ confidence }) => confidence },
          ]}
          empty={<p className="px-5 text-soft">No day with a change yet.</p>}
        />
      </div>
    </details>
  );
}
