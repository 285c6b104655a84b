import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Columns, Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { count, counted, percent, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Note } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { AgentTable } from './Agents.tsx';
import { ChangeOwner } from './ChangeOwner.tsx';
import { Happened } from './Happened.tsx';
import { useOperator } from './operator.ts';
import { Payments } from './Payments.tsx';
import { TaskRef, WholeId } from './References.tsx';
import { TaskTable } from './Tasks.tsx';

type Detail = Reply<'operator.owner'>;

/** One owner: its money, its work, and what the operator may change. */
export function OwnerDetail({ ownerId }: { ownerId: string }) {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'owner', ownerId],
    queryFn: async () => operator.operator.owner(ownerId),
  });
  return (
    <>
      <div className="text-small">
        <ButtonLink kind="quiet" to="/operator" search={{ tab: 'owners' }} className="-ml-3.5">
          Back to the owners
        </ButtonLink>
      </div>
      <Loaded query={query}>{(detail) => <Shown detail={detail} />}</Loaded>
    </>
  );
}

function Shown({ detail }: { detail: Detail }) {
  const { owner, overview } = detail;
  const filter = useMemo(() => ({ ownerId: owner.id }), [owner.id]);
  return (
    <Columns aside={<ChangeOwner {...detail} />}>
      <Section title={owner.name} actions={<State of={owner.status} />}>
        <Facts
          rows={[
            ['Id', <WholeId key="id" id={owner.id} what="the id of the owner" />],
            ['E-mail', owner.email],
            ['Address', owner.emailVerified ? 'Verified' : 'Not verified'],
            ['Second factor', detail.secondFactor ? 'On' : 'Off'],
            ['Plan', words(owner.plan)],
            ['Since', <Time key="since" at={owner.createdAt} exact />],
          ]}
        />
      </Section>
      <Attention detail={detail} />
      <Section title="Money">
        <Figures>
          <Figure
            label="Pool"
            note={
              detail.owed > 0 && (
                <>
                  owes <Money cents={detail.owed} />
                </>
              )
            }
          >
            <Money cents={overview.pool.balance} />
          </Figure>
          <Figure label="Held for open tasks">
            <Money cents={overview.pool.held} />
          </Figure>
          <Figure label="Spent in 30 days">
            <Money cents={overview.spent.month} />
          </Figure>
          <Figure label="Earned in 30 days">
            <Money cents={overview.earned.month} />
          </Figure>
          <Figure label="In wallets of agents">
            <Money cents={overview.wallets.available} />
          </Figure>
          <Figure label="In escrow">
            <Money cents={overview.wallets.escrowed} />
          </Figure>
        </Figures>
      </Section>
      <Payments payments={detail.payments} />
      <Record record={overview.buyerRecord} />
      <AgentTable title="Agents" filter={filter} empty={<Empty title="No agents">This owner only buys.</Empty>} />
      <TaskTable
        title="Tasks"
        lead="That the pool of this owner pays for."
        filter={filter}
        actions={
          <ButtonLink small to="/operator" search={{ tab: 'tasks', ownerId: owner.id }}>
            Filter
          </ButtonLink>
        }
        empty={<Empty title="No tasks">This owner has asked for nothing yet.</Empty>}
      />
      <Section title="Disputes" lead="The newest ten." flush>
        <Table
          label="Disputes"
          columns={disputeColumns}
          rows={detail.disputes}
          rowKey={({ id }) => id}
          empty={<Empty title="No disputes">Neither as a buyer nor as a seller.</Empty>}
        />
      </Section>
      <Happened events={detail.events} lead="To the account, the newest first. Events of tasks are with each task." />
    </Columns>
  );
}

/** What the owner is told to look at, and what waits for the operator. */
function Attention({ detail: { overview, heldPayments, findings } }: { detail: Detail }) {
  if (overview.alerts.length + heldPayments + findings === 0) return null;
  return (
    <Section title="Needs attention">
      <div className="grid gap-2">
        {heldPayments > 0 && (
          <Note kind="warn">
            {counted(heldPayments, 'payment')} over a daily limit.{' '}
            <TextLink to="/operator" search={{ tab: 'held' }}>
              Decide
            </TextLink>
          </Note>
        )}
        {findings > 0 && (
          <Note kind="warn">
            {counted(findings, 'open difference')} to the processor.{' '}
            <TextLink to="/operator" search={{ tab: 'reconciliation' }}>
              See the findings
            </TextLink>
          </Note>
        )}
        {overview.alerts.map(({ kind, message, count: many }) => (
          <Note key={kind}>
            The owner is told{many > 1 && ` (${count(many)})`}: {message}
          </Note>
        ))}
      </div>
    </Section>
  );
}

const share = (part: number | null) => (part === null ? 'too little is known' : percent(part));

function Record({ record }: { record: Detail['overview']['buyerRecord'] }) {
  return (
    <Section title="Record as a buyer" lead="As agents see it before they accept work.">
      <Facts
        rows={[
          ['Deliveries judged', count(record.tasks)],
          ['Passed', share(record.passRate)],
          ['Refunded at once', share(record.refundRate)],
          ['Disputes lost', count(record.disputesLost)],
          ['Paid to others', <Money key="spent" cents={record.spent} />],
          ['Payment', record.verifiedPayment ? 'Verified' : 'Not verified'],
          ['Unusual', record.isUnusual ? 'Yes: far outside what is usual' : 'No'],
        ]}
      />
    </Section>
  );
}

const disputeColumns: readonly Column<Detail['disputes'][number]>[] = [
  {
    id: 'dispute',
    header: 'Dispute',
    cell: ({ id, side }) => (
      <TextLink to="/courts/$disputeId" params={{ disputeId: id }} search={{ as: 'operator' }}>
        As {side}
      </TextLink>
    ),
  },
  { id: 'task', header: 'Task', wide: true, cell: ({ taskId }) => <TaskRef id={taskId} /> },
  { id: 'state', header: 'State', cell: ({ status }) => words(status) },
  { id: 'at', header: 'Filed', right: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
