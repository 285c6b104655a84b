import { failureText } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { agora } from '../../api/client.ts';
import { isOpen } from '../../api/tasks.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Columns, Facts } from '../../ui/Facts.tsx';
import { words } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Note } from '../../ui/States.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { Assessments } from '../courts/Assessments.tsx';
import { FailureText } from '../task/content/FailureText.tsx';
import { kindOfText } from '../task/content/kind.ts';
import { Shown } from '../task/content/Shown.tsx';
import { eventsQuery } from '../task/live.ts';
import { Output } from '../task/Output.tsx';
import { Rating } from '../tasks/kinds.tsx';
import { TaskState } from '../tasks/TaskState.tsx';
import { advice } from './advice.ts';
import { type Job, jobQuery } from './jobs.ts';

const RunView = lazy(() => import('../task/RunView.tsx').then(({ RunView }) => ({ default: RunView })));

const route = getRouteApi('/owner/jobs/$taskId');

/** One task of an own agent: how it ended and why, what was asked and delivered, and what the buyer said of it. */
export function JobPage() {
  const { taskId } = route.useParams();
  const query = useQuery(jobQuery(taskId));
  if (query.data) return <Shows job={query.data} />;
  if (query.error) return <FailedPage error={query.error} reset={() => void query.refetch()} />;
  return query.isLoading ? <PageSkeleton /> : <NotMine />;
}

const NotMine = () => (
  <Page title="No job of yours" back={<TextLink to="/jobs">Jobs</TextLink>}>
    <Empty title="None of your agents has this task" actions={<ButtonLink to="/jobs">See your jobs</ButtonLink>}>
      It may have gone to another agent, which happens when one declines it or does not begin in time.
    </Empty>
  </Page>
);

function Shows({ job }: { job: Job }) {
  const { id, title, status, failure, input, feedback, assessmentId } = job;
  const why = failureText(job);
  return (
    <Page title={title} lead={<TaskState {...job} />} back={<TextLink to="/jobs">Jobs</TextLink>}>
      <Columns
        aside={
          <Section title="Facts">
            <FactsOf job={job} />
          </Section>
        }
      >
        {failure !== null && (
          <Section title="Why it failed, and what to do">
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              {why && <FailureText text={why} />}
              <p className="text-small text-soft">{advice[failure]}</p>
            </div>
          </Section>
        )}
        {feedback && (
          <Section title="What the buyer says" lead={<Time at={feedback.createdAt} />}>
            <Rating feedback={feedback} isWhole />
          </Section>
        )}
        {isOpen(job) && (
          <Note>
            {status === 'executing' || status === 'quality_check'
              ? 'Your agent is at work. What it delivers and how that is judged will stand here.'
              : 'It waits for your agent. Only your agent can start it.'}
          </Note>
        )}
        {typeof input.description === 'string' && (
          <Section
            title="What was asked"
            lead="As your agent sees it. Files and code of the buyer are in its sandbox alone."
          >
            <Shown text={input.description} kind={kindOfText(input.description)} name={`${id}.txt`} />
          </Section>
        )}
        <Output task={job} />
        <RunOf job={job} />
        {assessmentId !== null && (
          <Section title="Assessments" lead="What the checks found of the delivery.">
            <Assessments taskId={id} canAppeal newest={assessmentId} />
          </Section>
        )}
      </Columns>
    </Page>
  );
}

/** The run as the agent may read it, read as often as the job, and at its end. */
function RunOf({ job }: { job: Job }) {
  const { refetch } = useQuery({ ...eventsQuery(job.id), refetchInterval: isOpen(job) ? 10_000 : false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each status come events
  useEffect(() => void refetch(), [job.status, refetch]);
  return (
    <Suspense fallback={<div className="skeleton h-64" />}>
      <RunView task={job} />
    </Suspense>
  );
}

function FactsOf({ job }: { job: Job }) {
  const { id, agentId, agentName, taskType, price, earned, createdAt, startedAt, finishedAt, deadline } = job;
  return (
    <Facts
      rows={[
        [
          'Agent',
          agentId && (
            <TextLink key="agent" to="/my-agents/$agentId" params={{ agentId }}>
              <bdi>{agentName ?? agentId}</bdi>
            </TextLink>
          ),
        ],
        ['Type', words(taskType)],
        ['Price', price !== null && <Money key="price" cents={price} />],
        ['Earned', earned !== null && <Money key="earned" cents={earned} />],
        ['Submitted', <Time key="submitted" at={createdAt} exact />],
        ['Begun', startedAt && <Time key="started" at={startedAt} exact />],
        ['Ended', finishedAt && <Time key="ended" at={finishedAt} exact />],
        ['Deliver by', isOpen(job) && deadline && <Time key="deadline" at={deadline} exact />],
        ['Dispute', <DisputeOf key="dispute" taskId={id} />],
        ['Id', <Code key="id">{id}</Code>],
      ]}
    />
  );
}

/** Among the newest disputes of the owner: whether one is about this task. */
function DisputeOf({ taskId }: { taskId: string }) {
  const query = useQuery({
    queryKey: ['courts', 'newest'],
    queryFn: async () => (await agora.courts.listDisputes({ pageSize: 100 })).data,
    staleTime: 30_000,
  });
  const found = query.data?.find((dispute) => dispute.taskId === taskId);
  if (query.error && !query.data) return <TextLink to="/courts">See the courts</TextLink>;
  if (!found) return <span className="text-faint">{query.isPending ? '…' : 'None lately'}</span>;
  return (
    <TextLink to="/courts/$disputeId" params={{ disputeId: found.id }}>
      Open the dispute
    </TextLink>
  );
}
