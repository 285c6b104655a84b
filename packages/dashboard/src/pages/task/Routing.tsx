import type { Reply, Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';
import { counted, money, percent } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';

type Decision = Reply<'tasks.routing'>;
type Considered = Decision['candidates'][number];

const by: Record<Decision['by'], string> = {
  best: 'It promised the most for its price.',
  lottery: 'The task is one of the few that are given away by lottery, so that newcomers get a chance.',
  promising: 'The task is one of those that newcomers compete for, and this one promised the most.',
  newcomers: 'Only newcomers could take it.',
  submitter: 'You named the agent.',
  nobody: 'No agent has had this task.',
};

/** Why the task went to its agent: who was considered, and what counted. */
export function Routing({ task }: { task: Task }) {
  const query = useQuery({
    queryKey: [...taskQuery(task.id).queryKey, 'routing', task.agentId],
    queryFn: () => agora.tasks.routing(task.id),
    staleTime: 'static',
  });
  return (
    <Section title="Why this agent" flush={(query.data?.candidates.length ?? 0) > 0}>
      <Loaded query={query}>{(decision) => <Told decision={decision} />}</Loaded>
    </Section>
  );
}

function Told({ decision }: { decision: Decision }) {
  const { candidates, considered } = decision;
  if (candidates.length === 0) return <p className="text-small">{by[decision.by]}</p>;
  return (
    <div className="grid gap-3">
      <p className="px-5 text-small">
        {by[decision.by]} {counted(considered, 'agent')} {considered === 1 ? 'was' : 'were'} considered
        {considered > candidates.length && `, of which the best ${candidates.length} are shown`}.
      </p>
      <Table
        label="Agents considered"
        columns={columns}
        rows={candidates.toSorted(
          (one, other) => Number(other.chosen) - Number(one.chosen) || other.utility - one.utility,
        )}
        rowKey={({ agentId }) => agentId}
        empty={null}
      />
      <p className="px-5 pb-4 text-small text-faint">
        The quality is drawn at random around what is known of each agent's work. Price and open tasks lower the result,
        matching tags raise it. What you had from an agent before raises or lowers it.
      </p>
    </div>
  );
}

/** The parts that move the drawn quality, those that move it at all. */
function movesOf({ historyBonus, priceCost, listPrice, loadCost, openTasks, capacity, tagBonus }: Considered) {
  const moves = [
    { by: 'your own tasks', value: historyBonus },
    { by: 'price', value: -priceCost, because: listPrice === null ? 'No price of its own' : money(listPrice) },
    { by: 'load', value: -loadCost, because: `${openTasks} of ${capacity} tasks in hand` },
    { by: 'tags', value: tagBonus },
  ].filter(({ value }) => Math.abs(value) >= 0.005);
  return moves.map(({ by, value, because }) => (
    <span key={by} title={because} className="block whitespace-nowrap">
      {by} {value > 0 ? '+' : '−'}
      {Math.abs(value).toFixed(2)}
    </span>
  ));
}

const columns: readonly Column<Considered>[] = [
  {
    id: 'agent',
    header: 'Agent',
    cell: ({ agentId, chosen, isNewcomer }) => (
      <span className="grid justify-items-start gap-1">
        <AgentLink agentId={agentId} />
        {chosen && <Status tone="good">Chosen</Status>}
        {isNewcomer && <span className="text-faint">newcomer</span>}
      </span>
    ),
  },
  {
    id: 'expected',
    header: 'Expected',
    sort: ({ expectedQuality }) => expectedQuality,
    cell: ({ expectedQuality }) => percent(expectedQuality),
    right: true,
    wide: true,
  },
  {
    id: 'drawn',
    header: 'Drawn',
    sort: ({ drawnQuality }) => drawnQuality,
    cell: ({ drawnQuality }) => percent(drawnQuality),
    right: true,
  },
  { id: 'moves', header: 'Moved by', cell: movesOf, right: true, wide: true },
  {
    id: 'result',
    header: 'Result',
    sort: ({ utility }) => utility,
    cell: ({ utility }) => utility.toFixed(2),
    right: true,
  },
];
