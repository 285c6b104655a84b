import { historyPeriods } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { counted, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { AllFigures } from './AllFigures.tsx';
import { oneOf, useChange, useOperatorSearch } from './filters.ts';
import { useOperator } from './operator.ts';

const Plots = lazy(() => import('./Plots.tsx').then(({ Plots }) => ({ default: Plots })));

/** How the service does: plots of what it keeps of its own figures, or all figures as they are now. */
export function Metrics() {
  const change = useChange();
  const { view, period } = useOperatorSearch();
  const isPlots = view !== 'figures';
  return (
    <>
      <div data-filters className="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label="Show"
          value={isPlots ? 'plots' : 'figures'}
          options={[
            ['plots', 'Over time'],
            ['figures', 'All figures'],
          ]}
          onChange={(value) => change({ view: value === 'plots' ? undefined : value, q: undefined })}
        />
        {isPlots && (
          <Segments
            label="Time"
            value={oneOf(historyPeriods, period) ?? 'day'}
            options={historyPeriods.map((each) => [each, words(each)] as const)}
            onChange={(value) => change({ period: value === 'day' ? undefined : value })}
          />
        )}
      </div>
      {isPlots ? <OverTime period={oneOf(historyPeriods, period) ?? 'day'} /> : <AllFigures />}
    </>
  );
}

const place = <div className="skeleton h-96" />;

function OverTime({ period }: { period: (typeof historyPeriods)[number] }) {
  const operator = useOperator();
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'history', period],
    queryFn: async () => operator.operator.history({ period }),
    refetchInterval: 60_000,
  });
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return place;
  if (data.servers === 0)
    return (
      <Section>
        <Empty title="Nothing was sampled yet">
          Each server samples its figures once a minute. Samples are kept for a day; one every 15 minutes for 30 days.
          The first plots are here in two minutes.
        </Empty>
      </Section>
    );
  return (
    <>
      <p className="text-small text-soft">
        {counted(data.servers, 'server process', 'server processes')} in this time. A gap is a time without samples.
      </p>
      <Suspense fallback={place}>
        <Plots history={data} />
      </Suspense>
    </>
  );
}
