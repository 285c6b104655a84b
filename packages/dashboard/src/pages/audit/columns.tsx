import type { EventType } from '@agora-market/contract';
import type { ItemOf } from '@agora-market/sdk';
import { TextLink } from '../../ui/Button.tsx';
import { words } from '../../ui/format.ts';
import type { Column } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { eventWords, type Fact, factsOf } from './event-words.ts';

type Event = ItemOf<'embassy.audit'>;

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const auditColumns: Column<Event>[] = [
  { id: 'when', header: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { id: 'what', header: 'What happened', cell: (event) => <What event={event} /> },
  {
    id: 'agent',
    header: 'Agent',
    wide: true,
    cell: ({ metadata }) => {
      const agentId = text(metadata.agentId);
      return agentId ? (
        <div className="min-w-28">
          <AgentLink agentId={agentId} />
        </div>
      ) : (
        <span className="text-faint">Account</span>
      );
    },
  },
  {
    id: 'request',
    header: 'Correlation id',
    wide: true,
    cell: ({ metadata }) => {
      const correlationId = text(metadata.correlationId);
      return (
        correlationId && (
          <TextLink
            to="/audit"
            search={{ correlationId }}
            title={`Only what belongs to ${correlationId}`}
            className="block max-w-28 truncate font-mono font-normal"
          >
            {correlationId}
          </TextLink>
        )
      );
    },
  },
];

function What({ event: { eventType, data } }: { event: Event }) {
  const facts = factsOf(data);
  return (
    <div className="min-w-40">
      <p className="font-medium">{eventWords[eventType as EventType] ?? words(eventType)}</p>
      {facts.length > 0 && (
        <dl className="mt-0.5 flex flex-wrap gap-x-4 gap-y-0.5 text-soft">
          {facts.map((fact) => (
            <div key={fact.name} className="flex min-w-0 gap-1.5">
              <dt className="shrink-0 text-faint">{fact.name}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                <Value fact={fact} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Value({ fact }: { fact: Fact }) {
  if ('cents' in fact) return <Money cents={fact.cents} />;
  if ('text' in fact) return <bdi>{fact.text}</bdi>;
  if (fact.id.startsWith('agt_')) return <AgentLink agentId={fact.id} />;
  if (fact.id.startsWith('apr_')) {
    return (
      <TextLink to="/approvals/$approvalId" params={{ approvalId: fact.id }}>
        Open
      </TextLink>
    );
  }
  return <Code>{fact.id}</Code>;
}
