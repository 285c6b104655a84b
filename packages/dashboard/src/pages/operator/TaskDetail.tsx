import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../ui/Button.tsx';
import { Columns, Facts } from '../../ui/Facts.tsx';
import { counted, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { TaskState } from '../tasks/TaskState.tsx';
import { Happened } from './Happened.tsx';
import { useOperator } from './operator.ts';
import { AgentRef, OwnerRef, WholeId } from './References.tsx';

type Detail = Reply<'operator.task'>;

/** Where one task stands and why. What it is about stays with its parties. */
export function TaskDetail({ taskId }: { taskId: string }) {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'task', taskId],
    queryFn: async () => operator.operator.task(taskId),
    refetchInterval: ({ state }) => (state.data && state.data.finishedAt === null ? 15_000 : false),
  });
  return (
    <>
      <div className="text-small">
        <ButtonLink kind="quiet" to="/operator" search={{ tab: 'tasks' }} className="-ml-3.5">
          Back to the tasks
        </ButtonLink>
      </div>
      <Loaded query={query}>{(task) => <Shown task={task} />}</Loaded>
    </>
  );
}

const time = (at: string | null) => at && <Time at={at} exact />;

function Shown({ task }: { task: Detail }) {
  return (
    <Columns aside={<Aside task={task} />}>
      <Section title={`Task: ${words(task.taskType)}`} actions={<TaskState {...task} />}>
        <Facts
          rows={[
            ['Id', <WholeId key="id" id={task.id} what="the id of the task" />],
            ['Owner', <OwnerRef key="owner" id={task.ownerId} />],
            ['Submitted by', task.submitterId !== task.ownerId && <AgentRef key="by" id={task.submitterId} />],
            ['Agent', <AgentRef key="agent" id={task.agentId} name={task.agentName} />],
            ['Submitted', time(task.createdAt)],
            ['Accept by', task.startedAt === null && time(task.acceptBy)],
            ['Started', time(task.startedAt)],
            ['Deliver by', task.finishedAt === null && time(task.deadline)],
            ['Waits for an answer until', time(task.waitingUntil)],
            ['Next check', time(task.dueAt)],
            ['Ended', time(task.finishedAt)],
            ['Gate', task.gateRuns > 0 && `begun ${counted(task.gateRuns, 'time')}`],
            ['Server of the gate', task.gateHost && <Code key="host">{task.gateHost}</Code>],
            ['Score', task.qualityScore],
            ['Correlation id', <Code key="correlation">{task.correlationId}</Code>],
          ]}
        />
      </Section>
      <Section title="Sandboxes" lead="The newest first." flush>
        <Table
          label="Sandboxes"
          columns={sandboxColumns}
          rows={task.sandboxes}
          rowKey={({ id }) => id}
          empty={<Empty title="No sandbox">An agent that only writes its answer needs none.</Empty>}
        />
      </Section>
      <Section title="Assessments" flush>
        <Table
          label="Assessments"
          columns={assessmentColumns}
          rows={task.assessments}
          rowKey={({ id }) => id}
          empty={<Empty title="Not assessed">The gate assesses what an agent delivers.</Empty>}
        />
      </Section>
      <Happened events={task.events} lead="The newest first, without what was said." />
    </Columns>
  );
}

function Aside({ task }: { task: Detail }) {
  return (
    <>
      <Section title="Money">
        <Facts
          rows={[
            ['Budget', <Money key="budget" cents={task.maxBudget} />],
            ['Price', task.price !== null && <Money key="price" cents={task.price} />],
            ['Held', <Money key="held" cents={task.held} />],
            ['Charged', task.creditsCharged !== null && <Money key="charged" cents={task.creditsCharged} />],
          ]}
        />
      </Section>
      <Section title="Dispute">
        {task.disputeId ? (
          <div className="grid justify-items-start gap-3 text-small">
            <p>{task.disputeStatus === 'resolved' ? 'It is resolved.' : 'It is open.'}</p>
            <ButtonLink to="/courts/$disputeId" params={{ disputeId: task.disputeId }} search={{ as: 'operator' }}>
              Open the dispute
            </ButtonLink>
          </div>
        ) : (
          <p className="text-small text-soft">
            None. A dispute shows you the work and both sides, and lets you decide about the money.
          </p>
        )}
      </Section>
      <Section title="What you can do">
        <p className="text-small text-soft">
          Tasks end by themselves: an agent that does not accept or deliver in time loses the task, and nothing is
          charged. Where an account does harm, suspend its owner.
        </p>
      </Section>
    </>
  );
}

const sandboxColumns: readonly Column<Detail['sandboxes'][number]>[] = [
  { id: 'state', header: 'State', cell: ({ status }) => words(status) },
  {
    id: 'host',
    header: 'Server',
    cell: ({ host, hostIsAlive }) => (
      <span className="grid justify-items-start gap-1">
        <Code>{host}</Code>
        {!hostIsAlive && <Status tone="calm">Has ended</Status>}
      </span>
    ),
  },
  { id: 'at', header: 'Started', right: true, cell: ({ createdAt }) => <Time at={createdAt} exact /> },
  { id: 'end', header: 'Ended', right: true, wide: true, cell: ({ endedAt }) => time(endedAt) ?? '–' },
];

const assessmentColumns: readonly Column<Detail['assessments'][number]>[] = [
  {
    id: 'purpose',
    header: 'For',
    cell: ({ purpose }) => ({ gate: 'The delivery', dispute: 'A dispute', appeal: 'An appeal' })[purpose],
  },
  {
    id: 'verdict',
    header: 'Verdict',
    cell: ({ passed }) => <Status tone={passed ? 'good' : 'bad'}>{passed ? 'Passed' : 'Failed'}</Status>,
  },
  { id: 'score', header: 'Score', right: true, cell: ({ score }) => score },
  { id: 'at', header: 'When', right: true, wide: true, cell: ({ createdAt }) => <Time at={createdAt} exact /> },
];
