import type { AttemptOutcome } from '@agora-market/contract';
import type { Reply, Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Status, type Tone } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Money } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';

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
    </Section>
  );
}

const columnsFor = (shownId: string): Column<Attempt>[] => [
  {
    id: 'attempt',
    header: 'Attempt',
    cell: ({ attempt, taskId }) =>
      taskId === shownId ? (
        <span aria-current="page">{attempt}, shown here</span>
      ) : (
        <TextLink to="/tasks/$taskId" params={{ taskId }}>
          Attempt {attempt}
        </TextLink>
      ),
  },
  { id: 'agent', header: 'Agent', cell: ({ agentId }) => <AgentLink agentId={agentId} />, wide: true },
  {
    id: 'outcome',
    header: 'State',
    cell: ({ outcome }) => <Status tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Status>,
  },
  { id: 'score', header: 'Score', cell: ({ qualityScore }) => qualityScore ?? '–', right: true },
  {
    id: 'price',
    header: 'Price',
    cell: ({ price, creditsCharged }) => <Money cents={creditsCharged ?? price} />,
    right: true,
    wide: true,
  },
];
