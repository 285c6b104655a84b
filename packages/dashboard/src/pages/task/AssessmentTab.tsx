import { gate, type Proof, statusClasses } from '@agora-market/contract';
import type { Assessment, Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleMinus, CircleX, type LucideIcon } from 'lucide-react';
import { ButtonLink } from '../../ui/Button.tsx';
import { duration, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Note } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import { type Read, readingOrder, strengthOf, type Verdict, whyFailed } from './assessment-words.ts';
import { assessmentsQuery } from './assessments.ts';
import { criterionWords, proofNames, proofWords } from './criterion-words.ts';
import { LongText } from './LongText.tsx';

/** How the delivery was judged, with the evidence for each criterion. */
export function AssessmentTab({ task }: { task: Task }) {
  const query = useQuery(assessmentsQuery(task));
  return (
    <Loaded query={query} skeleton={<Section>{null}</Section>}>
      {(assessments) =>
        assessments.length === 0 ? (
          <Section>
            <None task={task} />
          </Section>
        ) : (
          assessments.map((assessment) => <One key={assessment.id} assessment={assessment} />)
        )
      }
    </Loaded>
  );
}

const None = ({ task }: { task: Task }) =>
  statusClasses[task.status].phase === 'ended' ? (
    <Empty
      title="There was nothing to assess"
      actions={
        <ButtonLink kind="primary" to="/tasks/new" search={{ from: task.id }}>
          Submit it again
        </ButtonLink>
      }
    >
      The task ended before anything was delivered. A copy of it is yours to change and submit.
    </Empty>
  ) : (
    <Empty
      title="No assessment yet"
      actions={
        <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId: task.id }} search={{ tab: 'work' }}>
          Watch the work
        </ButtonLink>
      }
    >
      When the agent delivers, the quality gate runs your checks and the platform's own, and shows here what each found.
    </Empty>
  );

const purposes = {
  gate: 'Quality gate',
  dispute: 'Assessed again for a dispute',
  appeal: 'Assessed again for an appeal',
};

function One({ assessment }: { assessment: Assessment }) {
  const { score, passed, criteria, proof, judge, purpose, appeal, gateCpuMs, createdAt } = assessment;
  const why = whyFailed(assessment);
  const total = criteria.reduce((sum, { weight, score: own }) => sum + (own === null ? 0 : weight), 0);
  return (
    <Section
      title={purposes[purpose]}
      lead={
        <>
          <Time at={createdAt} />
          {gateCpuMs !== null && ` · ${duration(gateCpuMs)} of CPU time`}
        </>
      }
      actions={<Status tone={passed ? 'good' : 'bad'}>{passed ? 'Passed' : 'Did not pass'}</Status>}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <p className="flex items-baseline gap-2">
          <span className="figures text-figure font-semibold">{score}</span>
          <span className="text-small text-soft">of 100; work passes from {gate.passScore}</span>
        </p>
        {why && (
          <Note kind="warn">
            <span className="font-medium">Why it did not pass:</span> <bdi>{why}</bdi>
          </Note>
        )}
        <Strength proof={proof} />
        <ul aria-label="Criteria" className="divide-y divide-line rounded-base border border-line">
          {readingOrder(criteria).map((criterion, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
            <Criterion key={at} criterion={criterion} total={total} />
          ))}
        </ul>
        <Judge judge={judge} score={score} />
        {appeal && (
          <Note>
            {appeal.status === 'pending'
              ? 'The agent has appealed. The gate runs again; you are not charged, whatever it says.'
              : appeal.status === 'upheld'
                ? 'The appeal succeeded: the failure no longer counts against the agent. You are not charged again.'
                : 'The agent appealed, and the appeal was rejected.'}
          </Note>
        )}
      </div>
    </Section>
  );
}

const looks: Record<Verdict, readonly [LucideIcon, colour: string, word: string]> = {
  failed: [CircleX, 'text-bad', 'Failed'],
  passed: [CircleCheck, 'text-good', 'Passed'],
  'not run': [CircleMinus, 'text-faint', 'Not run'],
};

function Criterion({ criterion, total }: { criterion: Read; total: number }) {
  const { name, score, weight, verdict, said, printed, printedAs, tests = [], proof, durationMs } = criterion;
  const [Icon, colour, word] = looks[verdict];
  const weighs = score !== null && weight > 0 && total > 0 && `weight ${Math.round((weight / total) * 100)} %`;
  const notes = [proof && proofNames[proof], durationMs !== undefined && `took ${duration(durationMs)}`, weighs];
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1 px-4 py-3 text-small">
      <Icon role="img" aria-label={word} className={`mt-0.5 size-4 ${colour}`} />
      <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
        {criterionWords(name)}
      </span>
      <span className="figures text-right text-soft">{score ?? word}</span>
      <div className="col-start-2 col-end-4 grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
        {said && <StrangerText text={said} className="text-soft" />}
        {tests.length > 0 && (
          <ul aria-label="Tests that do not pass" className="grid gap-1">
            {tests.map((each) => (
              <li key={each} className="flex gap-2">
                <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
                <StrangerText text={each} />
              </li>
            ))}
          </ul>
        )}
        {printed && (
          <details open={verdict === 'failed' ? true : undefined}>
            <summary className="text-soft hover:text-ink">What it printed last</summary>
            <div className="mt-2">
              <LongText text={printed} name={`${name.replace(/\W+/g, '-')}.txt`} mono />
            </div>
          </details>
        )}
        {printedAs && (
          <p className="text-faint">
            It printed the same as <bdi>{printedAs}</bdi>.
          </p>
        )}
        {notes.some(Boolean) && <p className="figures text-faint">{notes.filter(Boolean).join(' · ')}</p>}
      </div>
    </li>
  );
}

const strengths = ['text-warn', 'text-good', 'text-good', 'text-good'] as const;

/** How far the pass can be believed: in words, and in its place among all kinds of proof. */
function Strength({ proof }: { proof: Proof | null }) {
  if (proof === null)
    return <p className="text-small text-soft">Nothing that passed proves that it did so by the work.</p>;
  const { rank, of } = strengthOf(proof);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
      <span aria-hidden className="flex gap-1">
        {Array.from({ length: of }, (_, at) => `${at}`).map((at) => (
          <span
            key={at}
            className={`h-1.5 w-6 rounded-full ${Number(at) < rank ? `bg-current ${strengths[rank - 1]}` : 'bg-line'}`}
          />
        ))}
      </span>
      <span className="font-medium">
        Proof {rank} of {of}
      </span>
      <span className="text-soft">{proofWords[proof]}</span>
    </div>
  );
}

function Judge({ judge, score }: { judge: Assessment['judge']; score: number }) {
  if (!judge)
    return score < gate.judgeFrom || score > gate.judgeTo ? (
      <p className="text-small text-faint">
        The score is clear without an opinion; a language model is asked only from {gate.judgeFrom} to {gate.judgeTo}.
      </p>
    ) : null;
  return (
    <div className="rounded-base border border-line px-4 py-3 text-small">
      <p className="font-medium">
        {judge.status === 'judged'
          ? `The judge gives ${judge.score} of 100`
          : `Judge: ${words(judge.status).toLowerCase()}`}
        {judge.model && <span className="font-normal text-faint"> · {judge.model}</span>}
      </p>
      {judge.reasons && <StrangerText text={judge.reasons} className="mt-1 text-soft" />}
    </div>
  );
}
