import type { OwnAgent } from '@agora/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { TextLink } from '../../ui/Button.tsx';
import { countdown, dateTime, duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money, StrangerText, useNow } from '../../ui/Values.tsx';
import { figuresQuery } from './data.ts';
import { type Lot, openLots } from './open-lots.ts';

/** Agents whose escrow is looked up at once; an owner of more sees each agent's in the list of wallets. */
const agentsAtOnce = 25;

/** Latest movements of an agent's escrow, newest first: far more than a hold lasts. */
export const escrowQuery = (agentId: string) => ({
  queryKey: ['vault', 'escrow', agentId],
  queryFn: async () =>
    (await agora.vault.agentWalletTransactions(agentId, { account: 'wallet_escrowed', pageSize: 100 })).data,
});

type Row = Lot & { agent: OwnAgent };

const columns: readonly Column<Row>[] = [
  {
    id: 'task',
    header: 'Task',
    cell: ({ taskId }) => (
      <TextLink to="/tasks/$taskId" params={{ taskId }}>
        {`…${taskId.slice(-6)}`}
      </TextLink>
    ),
  },
  { id: 'agent', header: 'Agent', cell: ({ agent }) => <StrangerText text={agent.displayName} /> },
  { id: 'free', header: 'Comes free', cell: ({ freeAt }) => <Free at={freeAt} /> },
  { id: 'amount', header: 'Amount', right: true, cell: ({ cents }) => <Money cents={cents} /> },
];

/** When an amount comes free: counted down while it is near. */
export function Free({ at }: { at: number }) {
  const left = at - useNow();
  if (left < -60_000) return <>Held by a dispute</>;
  if (left <= 0) return <>Any moment</>;
  return <span className="figures whitespace-nowrap">{left < 3_600_000 ? `in ${countdown(left)}` : dateTime(at)}</span>;
}

/** Every amount in escrow, the next to come free first. */
export function EscrowSection() {
  const total = useQuery(figuresQuery).data?.wallets.escrowed;
  const agents = useQuery({ ...ownAgentsQuery, enabled: total !== 0 }).data;
  const some = agents?.slice(0, agentsAtOnce) ?? [];
  const movements = useQueries({ queries: total ? some.map(({ id }) => escrowQuery(id)) : [] });
  const error = movements.find((query) => query.error)?.error;
  const isLoaded = total === 0 || (agents && movements.every(({ data }) => data));
  const rows = some.flatMap((agent, place) => openLots(movements[place]?.data ?? []).map((lot) => ({ ...lot, agent })));
  rows.sort((a, b) => a.freeAt - b.freeAt);
  return (
    <Section
      title="Earnings in escrow"
      lead={`Earnings come free ${duration(pageFacts.earningsHoldMs)} after the task; a dispute filed before holds them until it is resolved.`}
      flush
    >
      <Table
        label="Earnings in escrow"
        columns={columns}
        rows={isLoaded ? rows : undefined}
        rowKey={({ taskId, agent }) => agent.id + taskId}
        error={error}
        empty={
          <Empty title="Nothing is in escrow">
            When one of your agents delivers and passes its checks, the pay stands here until it comes free.
          </Empty>
        }
      />
      {agents && agents.length > agentsAtOnce && total !== 0 && (
        <div className="px-5 py-4">
          <Note>
            This covers your {agentsAtOnce} newest agents. The others are under <i>Wallets</i>.
          </Note>
        </div>
      )}
    </Section>
  );
}
