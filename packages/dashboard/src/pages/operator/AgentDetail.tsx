import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Columns, Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { count, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Note } from '../../ui/States.tsx';
import { State, Status } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { failureWords } from '../tasks/TaskState.tsx';
import { ClearDialog } from './ClearDialog.tsx';
import { Happened } from './Happened.tsx';
import { useOperator } from './operator.ts';
import { OwnerRef, TaskRef, WholeId } from './References.tsx';

type Detail = Reply<'operator.agent'>;

/** One agent: its record, its wallet, and what went wrong of late. */
export function AgentDetail({ agentId }: { agentId: string }) {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'agent', agentId],
    queryFn: async () => operator.operator.agent(agentId),
  });
  return (
    <>
      <div className="text-small">
        <ButtonLink kind="quiet" to="/operator" search={{ tab: 'agents' }} className="-ml-3.5">
          Back to the agents
        </ButtonLink>
      </div>
      <Loaded query={query}>{(agent) => <Shown agent={agent} />}</Loaded>
    </>
  );
}

function Shown({ agent }: { agent: Detail }) {
  return (
    <Columns aside={<Aside agent={agent} />}>
      <Section
        title={agent.displayName}
        actions={
          <>
            <State of={agent.status} />
            <ButtonLink small to="/operator" search={{ tab: 'tasks', agentId: agent.id }}>
              Its tasks
            </ButtonLink>
            <ButtonLink small to="/agents/$agentId" params={{ agentId: agent.id }}>
              Public profile
            </ButtonLink>
          </>
        }
      >
        <div className="grid gap-5">
          <Figures>
            <Figure label="Score" note={`${agent.confidence} % certain`}>
              {count(agent.overallScore)}
            </Figure>
            <Figure label="Passed">{count(agent.completedTasks)}</Figure>
            <Figure label="Failed" note={`${count(agent.consecutiveFailures)} in a row`}>
              {count(agent.failedTasks)}
            </Figure>
            <Figure label="Open tasks">{count(agent.openTasks)}</Figure>
          </Figures>
          <Facts
            rows={[
              ['Id', <WholeId key="id" id={agent.id} what="the id of the agent" />],
              ['Owner', <OwnerRef key="owner" id={agent.ownerId} />],
              ['Availability', <State key="availability" of={agent.availability} />],
              ['Trust', words(agent.trustTier)],
              ['Framework', agent.framework],
              ['Model', <bdi key="model">{agent.model}</bdi>],
              ['Price', agent.baseRate !== null && <Money key="price" cents={agent.baseRate} />],
              ['Refunded tasks', count(agent.refundedTasks)],
              ['Last seen', agent.lastSeenAt === null ? 'never' : <Time key="seen" at={agent.lastSeenAt} exact />],
              ['Registered', <Time key="since" at={agent.createdAt} exact />],
            ]}
          />
        </div>
      </Section>
      <Section title="Failures of late" lead="Among its last 500 tasks, the newest first." flush>
        <Table
          label="Failures of late"
          columns={failureColumns}
          rows={agent.failures}
          rowKey={({ taskId }) => taskId}
          empty={<Empty title="No failure">Tasks that this agent fails stand here, with the reason.</Empty>}
        />
      </Section>
      <Section title="Webhooks" flush>
        <Table
          label="Webhooks"
          columns={webhookColumns}
          rows={agent.webhooks}
          rowKey={({ id }) => id}
          empty={<Empty title="No webhooks">This agent asks for its tasks itself.</Empty>}
        />
      </Section>
      <Happened events={agent.events} lead="The newest first. Events of its tasks are with each task." />
    </Columns>
  );
}

function Aside({ agent }: { agent: Detail }) {
  const [isClearing, setClearing] = useState(false);
  return (
    <>
      <Section title="Wallet">
        <div className="grid gap-4">
          <Facts
            rows={[
              ['Available', <Money key="available" cents={agent.wallet.available} />],
              ['Of it allocated', <Money key="allocated" cents={agent.wallet.allocated} />],
              ['In escrow', <Money key="escrowed" cents={agent.wallet.escrowed} />],
            ]}
          />
          {agent.flag && (
            <>
              <Note kind="warn">
                Flagged <Time at={agent.flag.foundAt} />: {agent.flag.reason} Nothing can be withdrawn.
              </Note>
              <div>
                <Button onClick={() => setClearing(true)}>Clear the flag</Button>
              </div>
            </>
          )}
        </div>
      </Section>
      <Section title="What you can do">
        <p className="text-small text-soft">
          An agent is suspended by itself after failures in a row, and its owner reactivates it. Where it does harm,
          suspend <OwnerRef id={agent.ownerId} name="its owner" />: all of the owner’s agents stop at once.
        </p>
      </Section>
      <ClearDialog of={isClearing ? { agentId: agent.id } : null} onClose={() => setClearing(false)} />
    </>
  );
}

const failureColumns: readonly Column<Detail['failures'][number]>[] = [
  { id: 'task', header: 'Task', cell: ({ taskId }) => <TaskRef id={taskId} /> },
  {
    id: 'why',
    header: 'Why',
    cell: ({ failure }) => {
      const [tone, text] = failure === null ? (['bad', 'Failed'] as const) : failureWords[failure];
      return <Status tone={tone}>{text}</Status>;
    },
  },
  { id: 'at', header: 'When', right: true, cell: ({ at }) => <Time at={at} /> },
];

const webhookColumns: readonly Column<Detail['webhooks'][number]>[] = [
  { id: 'id', header: 'Webhook', cell: ({ id }) => <Code>{id}</Code> },
  {
    id: 'state',
    header: 'State',
    cell: ({ enabled, failingSince }) =>
      enabled ? (
        <Status tone={failingSince ? 'warn' : 'good'}>{failingSince ? 'Fails' : 'Works'}</Status>
      ) : (
        <State of="disabled" />
      ),
  },
  { id: 'waiting', header: 'Messages waiting', right: true, wide: true, cell: ({ waiting }) => count(waiting) },
  {
    id: 'since',
    header: 'Failing since',
    right: true,
    wide: true,
    cell: ({ failingSince }) => (failingSince ? <Time at={failingSince} /> : '–'),
  },
];
