import type { Dispute } from '@agora-market/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { bytes, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Skeleton } from '../../ui/States.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import { kindOfText } from '../task/content/kind.ts';
import { Shown } from '../task/content/Shown.tsx';
import { Output } from '../task/Output.tsx';
import { AssessmentList } from './Assessments.tsx';
import type { Side, Work } from './data.ts';
import { History } from './History.tsx';
import { Proofs } from './Proofs.tsx';
import { Thread } from './Thread.tsx';

const Diff = lazy(() => import('../task/diff/Diff.tsx').then((module) => ({ default: module.Diff })));

interface CaseProps {
  dispute: Dispute;
  /** Whose statements are the reader's own; null for the operator. */
  side: Side | null;
  readWork: (disputeId: string) => PromiseLike<Work>;
  /** What the reader decides or says; stays beside the case where there is room. */
  decision: ReactNode;
  /** Stands after the statements. */
  answer?: ReactNode;
  facts: ReactNode;
}

/** All that a dispute is decided by, on one page: for both parties, and for the operator who rules beside it. */
export function Case({ dispute, side, readWork, decision, answer, facts }: CaseProps) {
  const query = useQuery({
    // The operator reads more than the parties, by a client of its own.
    queryKey: [side === null ? 'operator' : 'courts', 'work', dispute.id, dispute.assessmentId],
    queryFn: async () => readWork(dispute.id),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const work = query.data;
  // What comes late would push away what is being read.
  if (query.isPending) return <Skeleton lines={12} />;
  const parts = partsOf(dispute, work, { side, answer });
  const jump = <Jump disputeId={dispute.id} parts={parts} isOperators={side === null} />;
  return (
    <>
      <div className="lg:hidden">{jump}</div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          {!work && <Failure error={query.error} retry={() => void query.refetch()} />}
          {parts.map(({ id, label, content }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
            <div
              key={id}
              id={id}
              role="group"
              aria-label={label}
              tabIndex={-1}
              className="grid scroll-mt-18 grid-cols-[minmax(0,1fr)] gap-6 outline-none"
            >
              {content}
            </div>
          ))}
        </div>
        <div
          id="decision"
          tabIndex={-1}
          className={cx(
            // On a phone a party sees first what it is to do until when; the operator reads before it rules.
            side !== null && 'max-lg:order-first',
            'grid scroll-mt-18 grid-cols-[minmax(0,1fr)] gap-6 outline-none lg:sticky lg:top-18 lg:max-h-[calc(100dvh-5.5rem)] lg:overflow-y-auto',
          )}
        >
          <div className="max-lg:hidden">{jump}</div>
          {decision}
          {facts}
        </div>
      </div>
    </>
  );
}

interface Part {
  id: string;
  label: string;
  content: ReactNode;
}

/** The parts of a case in the order in which it is read; those that it has not are left out. */
function partsOf(
  dispute: Dispute,
  work: Work | undefined,
  { side, answer }: Pick<CaseProps, 'side' | 'answer'>,
): Part[] {
  const isProved = dispute.proofs.length > 0;
  const ofWork: (Part | false)[] = work
    ? [
        { id: 'asked', label: 'What was asked', content: <Asked work={work} /> },
        { id: 'delivery', label: 'Delivery', content: <Delivery work={work} /> },
        work.patch !== null && { id: 'change', label: 'Change', content: <Change work={work} /> },
        { id: 'assessments', label: 'Assessments', content: <Assessed work={work} /> },
      ]
    : [];
  const all: (Part | false | undefined)[] = [
    ...ofWork,
    {
      id: 'statements',
      label: 'Statements',
      content: (
        <Section title="Statements">
          <Thread dispute={dispute} side={side} />
        </Section>
      ),
    },
    isProved && { id: 'proofs', label: 'Proofs', content: <Proofs dispute={dispute} /> },
    answer !== undefined && answer !== null && { id: 'answer', label: 'Your answer', content: answer },
    work && { id: 'history', label: 'History', content: <History history={work.history} /> },
  ];
  return all.filter((part): part is Part => Boolean(part));
}

interface JumpProps {
  disputeId: string;
  parts: readonly Part[];
  isOperators: boolean;
}

/** Links to the parts of the page. */
function Jump({ disputeId, parts, isOperators }: JumpProps) {
  const places = isOperators ? [...parts, { id: 'decision', label: 'Ruling' }] : parts;
  return (
    <nav aria-label="Parts of the case" className="screen-only">
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-small">
        {places.map(({ id, label }) => (
          <li key={id}>
            <Link
              to="/courts/$disputeId"
              params={{ disputeId }}
              search={isOperators ? { as: 'operator' } : {}}
              hash={id}
              className="inline-block py-1 text-accent hover:underline"
              // The keyboard goes on from there.
              onClick={() => document.getElementById(id)?.focus({ preventScroll: true })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Asked({ work: { taskId, taskType, description, messages } }: { work: Work }) {
  return (
    <Section title="What was asked" lead={words(taskType)}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {description === null ? (
          <p className="text-small text-soft">The description was erased.</p>
        ) : (
          <Shown text={description} kind={kindOfText(description)} name={`${taskId}.txt`} />
        )}
        {messages.length > 0 && (
          <div className="grid gap-3 text-small">
            <h3 className="font-medium">Messages</h3>
            {messages.map(({ id, author, kind, text, createdAt }) => (
              <div key={id} className="border-l-2 border-line-strong pl-3">
                <p className="text-soft">
                  {words(author)}, {words(kind).toLowerCase()}, <Time at={createdAt} />
                </p>
                <StrangerText text={text} />
              </div>
            ))}
          </div>
        )}
      </div>
    </Section>
  );
}

const Delivery = ({ work: { taskId, output } }: { work: Work }) =>
  output === null ? (
    <Section title="Output">
      <Empty title="There is no output">The delivery was files alone, or its output is not yours to read.</Empty>
    </Section>
  ) : (
    <Output task={{ id: taskId, output }} />
  );

/** Above so many bytes a change is drawn when somebody wants to see it, so that the statements stay near. */
const drawnAtOnce = 20_000;

function Change({ work: { taskId, patch } }: { work: Work }) {
  const { sizeBytes, text } = patch ?? { sizeBytes: 0, text: null };
  const [isOpen, setOpen] = useState(sizeBytes <= drawnAtOnce);
  const content = useMemo(() => (text === null ? null : new Blob([text])), [text]);
  return (
    <Section title="Change" lead={`What the delivery changes in the files, ${bytes(sizeBytes)}.`}>
      {content === null ? (
        <p className="text-small text-soft">The change is too long for this page, or was not kept.</p>
      ) : isOpen ? (
        <Suspense fallback={<Skeleton lines={8} />}>
          <Diff content={content} name={taskId} />
        </Suspense>
      ) : (
        <Button onClick={() => setOpen(true)}>Show the change</Button>
      )}
    </Section>
  );
}

const Assessed = ({ work: { assessments } }: { work: Work }) => (
  <Section title="Assessments" lead="What the checks found, newest first.">
    <AssessmentList assessments={assessments} canAppeal={false} isFirstOpen />
  </Section>
);
