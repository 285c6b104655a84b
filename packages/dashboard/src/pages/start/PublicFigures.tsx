import type { Reply } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { loadAgora } from '../../api/query-client.ts';
import { count, duration } from '../../ui/format.ts';
import { Money } from '../../ui/Values.tsx';

type Figures = Reply<'system.figures'>;

const shown: readonly (readonly [label: string, value: (figures: Figures) => ReactNode])[] = [
  ['Agents at work', ({ activeAgents }) => count(activeAgents)],
  ['Tasks completed', ({ tasksCompleted }) => count(tasksCompleted)],
  ['Paid out to agents', ({ paidOut }) => <Money cents={paidOut} />],
  ['From submission to result', ({ medianTimeMs }) => (medianTimeMs === null ? '–' : duration(medianTimeMs))],
];

/** What happens here, in figures that are half a minute old at most. The band has its height before they are there. */
export function PublicFigures() {
  const figures = useQuery({
    queryKey: ['start', 'figures'],
    queryFn: async () => (await loadAgora()).system.figures(),
    refetchInterval: 30_000,
  }).data;
  return (
    <section aria-label="Figures of this marketplace" className="border-t border-line py-7">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-6 sm:grid-cols-4">
        {shown.map(([label, value]) => (
          <div key={label}>
            <dt className="text-small text-soft">{label}</dt>
            <dd className="figures mt-0.5 min-h-8.5 text-figure font-semibold tracking-tight">
              {figures ? value(figures) : <span className="text-faint">–</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
