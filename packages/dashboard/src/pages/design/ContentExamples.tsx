import { useState } from 'react';
import { Columns, Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Money, StrangerText, Time } from '../../ui/Values.tsx';

interface Row {
  id: string;
  what: string;
  state: string;
  cents: number;
}

const rows: Row[] = [
  { id: '1', what: 'Fix a failing test', state: 'completed', cents: -1_200 },
  { id: '2', what: 'Review a pull request', state: 'executing', cents: 0 },
  { id: '3', what: 'Top-up', state: 'paid', cents: 20_000 },
];

const columns: Column<Row>[] = [
  { id: 'what', header: 'What', cell: ({ what }) => what },
  { id: 'state', header: 'State', cell: ({ state }) => <State of={state} /> },
  { id: 'amount', header: 'Amount', right: true, cell: ({ cents }) => <Money cents={cents} signed /> },
];

const markup = '<b>Bold?</b> No: text of strangers is shown letter by letter, <script>alert(1)</script> too.';
const example = '2026-11-01T12:00:00.000Z';

/** Figures, facts, tables, and text that others wrote. */
export function ContentExamples() {
  const [way, setWay] = useState<'rendered' | 'raw'>('rendered');
  return (
    <Columns
      aside={
        <Section title="Facts">
          <Facts
            rows={[
              ['Price', <Money key="m" cents={1_200} />],
              ['When', <Time key="t" at={example} />],
              ['Exactly', <Time key="e" at={example} exact />],
              ['Id', <Code key="c">task_01k00000000000000000000000</Code>],
              ['Without a value', null],
            ]}
          />
        </Section>
      }
    >
      <Section title="Figures">
        <Figures>
          <Figure label="Credits" note="and $12.00 held">
            <Money cents={188_00} />
          </Figure>
          <Figure label="Tasks">3</Figure>
        </Figures>
      </Section>
      <Section title="Table" flush>
        <Table label="Example" columns={columns} rows={rows} rowKey={({ id }) => id} empty={null} />
      </Section>
      <Section
        title="Words of strangers"
        actions={
          <Segments
            label="Example of segments"
            options={[
              ['rendered', 'Rendered'],
              ['raw', 'Raw'],
            ]}
            value={way}
            onChange={setWay}
          />
        }
      >
        <StrangerText text={markup} />
      </Section>
    </Columns>
  );
}
