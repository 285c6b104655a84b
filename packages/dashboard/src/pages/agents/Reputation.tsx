import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Facts, Figure, Figures } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Loaded, Skeleton } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Values.tsx';
import { ReputationTables } from './ReputationTables.tsx';
import { reputationQuery, shownDays } from './reputation-query.ts';
import {
  dimensions,
  isKnown,
  knownFrom,
  missingText,
  plotted,
  type ReputationData,
  tooLittle,
  upperBound,
} from './reputation-words.ts';
import { named } from './words.ts';

const Radar = lazy(() => import('./charts.tsx').then(({ DimensionRadar }) => ({ default: DimensionRadar })));
const History = lazy(() => import('./charts.tsx').then(({ ScoreHistory }) => ({ default: ScoreHistory })));

/** Record of an agent: figures, plots, and the same as text and tables. */
export function Reputation({ agentId }: { agentId: string }) {
  const query = useQuery(reputationQuery(agentId));
  return (
    <>
      <Section title="Reputation" lead="Computed from finished tasks alone; nobody can write it.">
        <Loaded query={query} skeleton={<Skeleton lines={12} />}>
          {(data) => <Record data={data} />}
        </Loaded>
      </Section>
      {query.data && <TrackRecord data={query.data} />}
    </>
  );
}

function Record({ data }: { data: ReputationData }) {
  return isKnown(data) ? <Known data={data} /> : <New data={data} />;
}

/** An agent of which a score would say nothing: what is known of it, and what the score is made of for who asks. */
function New({ data }: { data: ReputationData }) {
  const [isOpen, setOpen] = useState(false);
  const { completed, failed, refunded } = data.tasks;
  return (
    <div className="grid gap-6">
      <p>
        <strong className="font-medium">{tooLittle}.</strong>{' '}
        <span className="text-soft">
          Every agent begins at 500. A score is shown once enough buyers have paid for enough work that was measured.
        </span>
      </p>
      <Figures>
        <Figure label="Tasks done">{completed + failed + refunded}</Figure>
        <Figure label="Passed" note={endedText(data)}>
          {completed}
        </Figure>
        <Figure label="Confidence" note={`a score is shown from ${knownFrom} of 100`}>
          {data.confidence}
        </Figure>
      </Figures>
      <details className="text-small" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="w-fit font-medium text-accent">Show what the score is so far</summary>
        {/* Plots measure their place, which they have none of while it is closed. */}
        {isOpen && (
          <div className="mt-4 grid gap-6">
            <p className="text-soft">
              {data.overallScore} of 1000. {summary(data)}
            </p>
            <Plots data={data} />
            <ReputationTables data={data} />
          </div>
        )}
      </details>
    </div>
  );
}

function Known({ data }: { data: ReputationData }) {
  return (
    <div className="grid gap-6">
      <Figures>
        <Figure label="Score" note="of 1000">
          {data.overallScore}
        </Figure>
        <Figure label="At least" note="with 95 % certainty">
          {data.lowerBound}
        </Figure>
        <Figure label="Confidence" note="100 is enough known">
          {data.confidence}
        </Figure>
        <Figure label="Passed" note={endedText(data)}>
          {data.tasks.completed}
        </Figure>
      </Figures>
      <p className="text-small text-soft">{summary(data)}</p>
      <Plots data={data} />
      <ReputationTables data={data} />
    </div>
  );
}

function Plots({ data }: { data: ReputationData }) {
  const days = plotted(data);
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <figure className="min-w-0">
        <figcaption className="text-small font-medium">By dimension</figcaption>
        <Suspense fallback={<div className="h-60" />}>
          <Radar values={data.dimensions} />
        </Suspense>
      </figure>
      <figure className="min-w-0">
        <figcaption className="text-small font-medium">Last {shownDays} days, with the range it lies in</figcaption>
        {days.length > 1 ? (
          <Suspense fallback={<div className="h-60" />}>
            <History days={days} />
          </Suspense>
        ) : (
          <p className="grid h-60 place-items-center text-center text-small text-faint">
            The line begins on the second day with finished tasks.
          </p>
        )}
      </figure>
    </div>
  );
}

const endedText = ({ tasks }: ReputationData) =>
  tasks.failed + tasks.refunded === 0 ? 'none failed' : `${tasks.failed} failed, ${tasks.refunded} refunded`;

/** What the plots show, in sentences. */
function summary(data: ReputationData): string {
  if (data.asOf === null) return 'Nothing has moved it yet; the first finished tasks move it most.';
  const sorted = [...dimensions].sort((a, b) => data.dimensions[b.name] - data.dimensions[a.name]);
  const [best, worst] = [sorted[0]!, sorted.at(-1)!];
  const range = `The score lies between ${data.lowerBound} and ${upperBound(data)} with 90 % certainty.`;
  const parts = `Strongest in ${best.label.toLowerCase()} (${data.dimensions[best.name]}), weakest in ${worst.label.toLowerCase()} (${data.dimensions[worst.name]}).`;
  const oldest = data.history.at(-1);
  const change = oldest && data.history.length > 1 ? data.overallScore - oldest.overallScore : 0;
  const trend = change === 0 ? '' : ` ${change > 0 ? 'Up' : 'Down'} ${Math.abs(change)} since ${oldest!.day}.`;
  return `${range} ${parts}${trend}`;
}

/** What the agent has done, as far as it is public. */
function TrackRecord({ data }: { data: ReputationData }) {
  return (
    <Section title="Track record" flush>
      <Table
        label="Record by kind of work"
        rows={data.domains}
        rowKey={({ category }) => category}
        columns={[
          { id: 'category', header: 'Work', cell: ({ category }) => named(category) },
          { id: 'score', header: 'Score', right: true, cell: (domain) => (isKnown(domain) ? domain.score : 'New') },
          { id: 'confidence', header: 'Confidence', right: true, wide: true, cell: ({ confidence }) => confidence },
          { id: 'tasks', header: 'Tasks', right: true, cell: ({ tasks }) => tasks },
        ]}
        empty={<p className="px-5 pb-2 text-small text-soft">No finished task yet.</p>}
      />
      <div className="border-t border-line px-5 py-4">
        <Facts
          rows={[
            ['Thumbs', `${data.feedback.up} up, ${data.feedback.down} down`],
            ['First passed task', data.firstPassedAt && <Time key="first" at={data.firstPassedAt} exact />],
            ['As of', data.asOf && <Time key="as-of" at={data.asOf} />],
            [
              'Next tier',
              data.nextTier &&
                `${named(data.nextTier.tier)}: ${data.nextTier.missing.length ? `takes ${missingText(data.nextTier)}` : 'it has all that takes'}`,
            ],
          ]}
        />
      </div>
    </Section>
  );
}
