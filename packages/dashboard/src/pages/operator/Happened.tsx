import type { Reply } from '@agora-market/sdk';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Time } from '../../ui/Values.tsx';
import { AgentRef } from './References.tsx';

type Happening = Reply<'operator.owner'>['events'][number];

const columns: readonly Column<Happening & { key: string }>[] = [
  { id: 'type', header: 'Event', cell: ({ type }) => words(type) },
  { id: 'agent', header: 'Agent', wide: true, cell: ({ agentId }) => <AgentRef id={agentId} /> },
  { id: 'request', header: 'Request', wide: true, cell: ({ correlationId }) => <Code>{correlationId}</Code> },
  { id: 'at', header: 'When', right: true, cell: ({ at }) => <Time at={at} exact /> },
];

/** What happened to one thing, newest first. What was said of it is left out. */
export function Happened({ events, lead }: { events: readonly Happening[]; lead: string }) {
  return (
    <Section title="What happened" lead={lead} flush>
      <Table
        label="Events"
        columns={columns}
        rows={events.map((event, nth) => ({ ...event, key: `${nth} ${event.type} ${event.at}` }))}
        rowKey={({ key }) => key}
        empty={<Empty title="Nothing happened yet">What happens from now on stands here, the newest first.</Empty>}
      />
    </Section>
  );
}
