import type { OwnAgent } from '@agora-market/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { pageFacts } from '../../api/page-facts.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { countdown, dateTime, duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money, StrangerText, useNow } from '../../ui/Values.tsx';
import { overviewQuery } from '../start/overview-data.ts';
import { type Lot, openLots } from './open-lots.ts';

/** Agents whose escrow is looked up at once; an owner of more sees each agent's in the list of wallets. */
const agentsAtOnce = 25;

/**
 * Latest movements of an agent's escrow, newest first: far more than a hold lasts. With the balance of the escrow, they
 * are asked for again when it changes.
 */
const escrowQuery = (agentId: string, escrowed?: number) => ({
  queryKey: ['vault', 'escrow', agentId, escrowed],
  queryFn: async () =>
    (await agora.vault.agentWalletTransactions(agentId, { account: 'wallet_escrowed', pageSize: 100 })).data,
});

type Row = Lot & { agent: OwnAgent };

const columns: readonly Column<Row>[] = [
  {
    id: 'task',
    header: 'Task',
    cell: ({ taskId }) => (
      <TextLink to="/tasks/$taskId" params={{ taskId }} className="whitespace-nowrap">
        {`…${taskId.slice(-6)}`}
      </TextLink>
    ),
  },
  {
    id: 'agent',
    header: 'Agent',
    sort: ({ agent }) => agent.displayName,
    name: true,
    cell: ({ agent }) => <StrangerText text={agent.displayName} />,
  },
  { id: 'free', header: 'Comes free', sort: ({ freeAt }) => freeAt, cell: ({ freeAt }) => <Free at={freeAt} /> },
  {
    id: 'amount',
    header: 'Amount',
    sort: ({ cents }) => cents,
    right: true,
    cell: ({ cents }) => <Money cents={cents} />,
  },
];

const isHeld = (at: number, now: number) => at - now < -60_000;

/** When an amount comes free, counted down while it is near; or what holds it. */
function whenFree(at: number, now: number): string {
  if (isHeld(at, now)) return 'held by a dispute';
  if (at <= now) return 'any moment';
  return at - now < 3_600_000 ? `in ${countdown(at - now)}` : dateTime(at);
}

const Free = ({ at }: { at: number }) => (
  <span className="figures inline-block whitespace-nowrap first-letter:uppercase">{whenFree(at, useNow())}</span>
);

/** The next earnings of an agent to come free, and when. */
export function NextFree({ agentId, escrowed }: { agentId: string; escrowed: number }) {
  const movements = useQuery({ ...escrowQuery(agentId, escrowed), enabled: escrowed > 0 }).data;
  const now = useNow();
  const lots = movements && openLots(movements);
  const next = lots?.find(({ freeAt }) => !isHeld(freeAt, now)) ?? lots?.[0];
  if (escrowed === 0) return <>free {duration(pageFacts.earningsHoldMs)} after each task</>;
  return (
    <>
      {next && next.cents < escrowed && (
        <>
          <Money cents={next.cents} />{' '}
        </>
      )}
      {next && !isHeld(next.freeAt, now) && 'free '}
      {next ? whenFree(next.freeAt, now) : '…'}
    </>
  );
}

/** Every amount on hold, the next to come free first. */
export function EscrowSection() {
  const figures = useQuery(overviewQuery);
  const total = figures.data?.wallets.escrowed;
  const ownAgents = useQuery({ ...ownAgentsQuery, enabled: total !== 0 });
  const agents = ownAgents.data;
  const some = agents?.slice(0, agentsAtOnce) ?? [];
  const movements = useQueries({ queries: total ? some.map(({ id }) => escrowQuery(id)) : [] });
  const failed = [figures, ownAgents, ...movements].find(({ error, data }) => error && !data);
  const isLoaded = total === 0 || (total !== undefined && agents && movements.every(({ data }) => data));
  const rows = some.flatMap((agent, place) => openLots(movements[place]?.data ?? []).map((lot) => ({ ...lot, agent })));
  rows.sort((a, b) => a.freeAt - b.freeAt);
  return (
    <Section
      title="Earnings on hold"
      lead={`Earnings come free ${duration(pageFacts.earningsHoldMs)} after the task; a dispute filed before holds them until it is resolved.`}
      flush
    >
      <Table
        label="Earnings on hold"
        columns={columns}
        rows={isLoaded ? rows : undefined}
        rowKey={({ taskId, agent }) => agent.id + taskId}
        error={failed?.error}
        retry={() => void failed?.refetch()}
        empty={
          <Empty
            title="Nothing is on hold"
            actions={
              <ButtonLink kind="primary" to="/my-agents">
                See your agents
              </ButtonLink>
            }
          >
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
