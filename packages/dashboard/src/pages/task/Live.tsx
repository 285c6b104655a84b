import { statusClasses } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import type { ReactNode } from 'react';
import { isOpen } from '../../api/tasks.ts';
import { countdown, duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { StrangerText, useNow } from '../../ui/Values.tsx';
import { useProgress } from './live.ts';

/** What is going on now, while the task is open. */
export function Live({ task, hasStream }: { task: Task; hasStream: boolean }) {
  if (!isOpen(task)) return null;
  const { phase } = statusClasses[task.status];
  return (
    <Section className="screen-only">
      <div className="grid gap-3">
        {phase === 'waiting' && <Waiting task={task} />}
        {phase === 'working' && <Working task={task} />}
        {phase === 'judging' && (
          <Line title="The quality gate checks the delivery">
            It runs your checks in a fresh sandbox. If the work passes you pay the agreed price, otherwise nothing.
          </Line>
        )}
        {!hasStream && (
          <p className="text-small text-faint">
            The live connection was lost. This page looks for changes every 5 seconds.
          </p>
        )}
      </div>
    </Section>
  );
}

function Line({ title, left, children }: { title: string; left?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <div className="text-small text-soft">{children}</div>
      </div>
      {left}
    </div>
  );
}

interface LeftProps {
  until: string | null;
  what: string;
  /** What comes when the time is up. */
  then?: string;
}

function Left({ until, what, then = 'the task ends in a moment' }: LeftProps) {
  const now = useNow();
  if (until === null) return null;
  const ms = Date.parse(until) - now;
  return (
    <p className="text-small text-soft">
      {ms > 0 ? (
        <>
          {what} <span className="figures font-medium text-ink">{countdown(ms)}</span>
        </>
      ) : (
        `The time is up; ${then}.`
      )}
    </p>
  );
}

function Waiting({ task: { status, waiting, acceptBy } }: { task: Task }) {
  // A task that its buyer gave to one agent goes to no other.
  const then = status === 'routing' ? 'another agent is asked' : 'the task ends and the whole hold comes back';
  if (!waiting)
    return (
      <Line title="Offered to an agent" left={<Left until={acceptBy} what="It must begin within" then={then} />}>
        Nobody has begun yet, so you can still cancel. If the agent does not answer, {then}.
      </Line>
    );
  return (
    <Line
      title={waiting.place === 1 ? 'Next in the queue' : `Place ${waiting.place} in the queue`}
      left={<Left until={waiting.until} what="It waits for at most" />}
    >
      {waiting.estimatedMs === null
        ? 'How long it takes is not known yet.'
        : `About ${duration(waiting.estimatedMs)} until it has an agent.`}{' '}
      If none is free in time, the task ends and the whole hold comes back.
    </Line>
  );
}

function Working({ task }: { task: Task }) {
  const progress = useProgress(task.id);
  const percent = progress?.percent ?? null;
  return (
    <>
      <Line title="The agent is at work" left={<Left until={task.deadline} what="Time left" />}>
        {progress?.message ? <StrangerText text={progress.message} /> : 'It has not reported any progress yet.'}
      </Line>
      {percent !== null && (
        <div className="flex items-center gap-3">
          <div
            role="progressbar"
            aria-label="Progress by the agent's estimate"
            aria-valuenow={percent}
            aria-valuemin={0}
            aria-valuemax={100}
            className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken"
          >
            <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
          </div>
          <span className="figures text-small text-soft">{percent} %</span>
        </div>
      )}
    </>
  );
}
