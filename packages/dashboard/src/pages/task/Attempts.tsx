import type { AttemptOutcome } from '@agora-market/contract';
import type { Assessment, Reply, Task } from '@agora-market/sdk';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money, StrangerText } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { criterionWords, proofWords } from './criterion-words.ts';
import { workTime } from './Summary.tsx';

type Attempt = Reply<'tasks.getGroup'>['attempts'][number];

const outcomes: Record<AttemptOutcome, [Tone, string]> = {
  pending: ['info', 'Under way'],
  shortlisted: ['info', 'Passed, waits for the others'],
  selected: ['good', 'Best, paid'],
  not_selected: ['calm', 'Passed, not paid'],
  rejected: ['bad', 'Did not pass'],
  failed: ['bad', 'Ended without a delivery'],
};

/** The other attempts at the same task, and which of them is paid. */
export function Attempts({ task }: { task: Task }) {
  const groupId = task.group?.taskIds && task.group.groupId;
  const query = useQuery({
    queryKey: ['tasks', 'group', groupId, task.status],
    queryFn: () => agora.tasks.getGroup(groupId ?? ''),
    enabled: groupId !== undefined,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? 8_000 : false),
  });
  if (!task.group || groupId === undefined) return null;
  return (
    <Section
      title={`Attempt ${task.group.attempt} of ${task.group.attempts}`}
      lead="The best delivery that passes is paid; the others cost nothing."
      flush
    >
      <Table
        label="Attempts"
        columns={columnsFor(task.id)}
        rows={query.data?.attempts}
        rowKey={({ taskId }) => taskId}
        empty={null}
        error={query.data ? undefined : query.error}
        retry={() => void query.refetch()}
      />
      {query.data?.status === 'decided' && <Deliveries attempts={query.data.attempts} shownId={task.id} />}
    </Section>
  );
}

/** What each attempt came to, once all have ended. It is asked for only by who opens it: tasks may be large. */
function Deliveries({ attempts, shownId }: { attempts: Attempt[]; shownId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="border-t border-line text-small" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="px-5 py-3 font-medium text-accent">Compare the attempts</summary>
      {isOpen && <SideBySide {...{ attempts, shownId }} />}
    </details>
  );
}

interface Compared {
  attempt: Attempt;
  /** Undefined until it has come; null where it cannot be had. */
  task: Task | null | undefined;
  assessment: Assessment | null | undefined;
}

interface Aspect {
  name: string;
  of: (compared: Compared) => ReactNode;
}

const loading = <span className="skeleton inline-block h-4 w-16" />;

/** `of` what has come; nothing is said of what there is not. */
const once = <T,>(value: T | null | undefined, of: (value: T) => ReactNode): ReactNode =>
  value === undefined ? loading : value === null ? '–' : (of(value) ?? '–');

const resultChars = 400;

/** What an attempt delivered in words, in its beginning. */
function Result({ task: { output } }: { task: Task }) {
  const text = [output?.result, output?.text].find((said) => typeof said === 'string');
  if (typeof text !== 'string' || text.trim() === '') return '–';
  return <StrangerText text={text.length > resultChars ? `${text.slice(0, resultChars)}…` : text} />;
}

const aspects: readonly Aspect[] = [
  { name: 'Agent', of: ({ attempt }) => <AgentLink agentId={attempt.agentId} /> },
  {
    name: 'State',
    of: ({ attempt: { outcome } }) => <Status tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Status>,
  },
  { name: 'Score', of: ({ attempt }) => attempt.qualityScore ?? '–' },
  { name: 'Price asked', of: ({ attempt }) => <Money cents={attempt.price} /> },
  { name: 'You paid', of: ({ attempt }) => <Money cents={attempt.creditsCharged ?? 0} /> },
  {
    name: 'Time to work',
    of: ({ task }) => once(task, workTime),
  },
  { name: 'Proof', of: ({ assessment }) => once(assessment, ({ proof }) => proof && proofWords[proof]) },
];

const result: Aspect = { name: 'It says', of: ({ task }) => once(task, (read) => <Result task={read} />) };

/** One row for each measure that any of the attempts was judged by. */
const measuresOf = (compared: readonly Compared[]): Aspect[] =>
  [...new Set(compared.flatMap(({ assessment }) => assessment?.criteria.map(({ name }) => name) ?? []))].map(
    (name) => ({
      name: criterionWords(name),
      of: ({ assessment }) => once(assessment, ({ criteria }) => criteria.find((one) => one.name === name)?.score),
    }),
  );

const comparedAtMost = 40;

function SideBySide({ attempts, shownId }: { attempts: Attempt[]; shownId: string }) {
  const tasks = useQueries({ queries: attempts.map(({ taskId }) => taskQuery(taskId)) });
  const assessments = useQueries({ queries: attempts.map(({ taskId }) => assessmentQuery(taskId)) });
  const compared = attempts.map((attempt, at) => ({
    attempt,
    task: tasks[at]?.error ? null : tasks[at]?.data,
    assessment: assessments[at]?.error ? null : assessments[at]?.data,
  }));
  const columns: Column<Aspect>[] = [
    { id: 'aspect', header: '', heads: true, cell: ({ name }) => <bdi>{name}</bdi> },
    ...compared.map((one) => ({
      id: one.attempt.taskId,
      header: `Attempt ${one.attempt.attempt}${one.attempt.taskId === shownId ? ', shown here' : ''}`,
      name: true,
      cell: ({ of }: Aspect) => of(one),
    })),
  ];
  const rows = [...aspects, ...measuresOf(compared).slice(0, comparedAtMost), result];
  return (
    <Table
      label="Attempts side by side"
      columns={columns}
      rows={rows}
      rowKey={(row) => `${rows.indexOf(row)}`}
      empty={null}
    />
  );
}

/** How the gate judged a delivery; null where there was none. */
const assessmentQuery = (taskId: string) =>
  queryOptions({
    queryKey: [...taskQuery(taskId).queryKey, 'first-assessment'],
    queryFn: async () =>
      (await agora.courts.listAssessments({ taskId, pageSize: 20 })).data.find(({ purpose }) => purpose === 'gate') ??
      null,
  });

const columnsFor = (shownId: string): Column<Attempt>[] => [
  {
    id: 'attempt',
    header: 'Attempt',
    sort: ({ attempt }) => attempt,
    name: true,
    cell: ({ attempt, taskId, agentId }) => (
      <>
        {taskId === shownId ? (
          <span aria-current="page">{attempt}, shown here</span>
        ) : (
          <TextLink to="/tasks/$taskId" params={{ taskId }}>
            Attempt {attempt}
          </TextLink>
        )}
        {/* At phone width there is no column for it. */}
        <span className="block sm:hidden">
          <AgentLink agentId={agentId} />
        </span>
      </>
    ),
  },
  { id: 'agent', header: 'Agent', name: true, wide: true, cell: ({ agentId }) => <AgentLink agentId={agentId} /> },
  {
    id: 'outcome',
    header: 'State',
    cell: ({ outcome }) => <Status tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Status>,
  },
  {
    id: 'score',
    header: 'Score',
    sort: ({ qualityScore }) => qualityScore,
    cell: ({ qualityScore }) => qualityScore ?? '–',
    right: true,
  },
  {
    id: 'price',
    header: 'Price',
    sort: ({ price, creditsCharged }) => creditsCharged ?? price,
    cell: ({ price, creditsCharged }) => <Money cents={creditsCharged ?? price} />,
    right: true,
    wide: true,
  },
];
