import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { evidenceWords } from '../../api/evidence-words.ts';
import { date } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { named } from './words.ts';

type Sample = Reply<'courts.sampleAssessments'>['data'][number];

/** How the agent's newest work was judged, passed or not. What it was is for the parties alone. */
export function Samples({ agentId }: { agentId: string }) {
  const query = useQuery({
    queryKey: ['agents', 'samples', agentId],
    queryFn: async () => (await agora.courts.sampleAssessments(agentId)).data,
  });
  return (
    <Section
      title="Newest assessments"
      flush
      lead="As the quality gate judged them, passed or not. What was asked and delivered is for buyer and seller alone."
    >
      <Table
        label="Newest assessments"
        rows={query.data}
        rowKey={(sample) => String(query.data?.indexOf(sample))}
        error={query.data ? undefined : query.error}
        retry={() => void query.refetch()}
        columns={columns}
        empty={<p className="px-5 pb-2 text-small text-soft">No work of this agent has been judged yet.</p>}
      />
    </Section>
  );
}

const Work = ({ taskType, day }: Sample) => (
  <>
    {named(taskType)}
    <span className="block text-faint">{date(`${day}T12:00`)}</span>
  </>
);

/** What was run, with the score of each. */
function Evidence({ criteria, judged }: Sample) {
  const run = criteria.flatMap(({ kind, score }) => (score === null ? [] : `${evidenceWords[kind]} ${score}`));
  return <span className="text-soft">{[...run, ...(judged ? ['a language model'] : [])].join(' · ')}</span>;
}

const columns: readonly Column<Sample>[] = [
  { id: 'work', header: 'Work', cell: Work },
  { id: 'evidence', header: 'Measured by', wide: true, cell: Evidence },
  { id: 'score', header: 'Score', sort: ({ score }) => score, right: true, cell: ({ score }) => score },
  {
    id: 'verdict',
    header: 'Verdict',
    cell: ({ passed }) => <Status tone={passed ? 'good' : 'bad'}>{passed ? 'Passed' : 'Did not pass'}</Status>,
  },
];
