import type { Dispute } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useAgentName } from '../../api/agent-names.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Columns, Facts, Page, Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { Assessments } from './Assessments.tsx';
import { disputeQuery, type Side, useSideOf } from './data.ts';
import { MoneySection } from './Money.tsx';
import { AgentName, DisputeState, Left } from './Parts.tsx';
import { Proofs } from './Proofs.tsx';
import { Ruling } from './Ruling.tsx';
import { StatementForm } from './StatementForm.tsx';
import { Thread } from './Thread.tsx';
import { WorkSection } from './Work.tsx';

/** The story of one dispute: what each side said, what happens next, and how it ended. */
export function DisputePage() {
  const { disputeId } = useParams({ from: '/owner/courts/$disputeId' });
  const query = useQuery(disputeQuery(disputeId));
  const sides = useSideOf();
  const side = query.data && sides.sideOf(query.data);
  if (query.data && side) return <Shown dispute={query.data} side={side} />;
  if (query.error && !query.data) return <FailedPage error={query.error} reset={() => void query.refetch()} />;
  // A seller who is taken for the buyer would wait in vain.
  return sides.error ? <FailedPage error={sides.error} reset={sides.retry} /> : <PageSkeleton />;
}

function Shown({ dispute, side }: { dispute: Dispute; side: Side }) {
  const agent = useAgentName(dispute.agentId);
  return (
    <Page
      title={agent ? `Dispute over the work of ${agent}` : 'Dispute'}
      lead={<DisputeState of={dispute} />}
      back={<TextLink to="/courts">Courts</TextLink>}
    >
      <Columns
        aside={
          <>
            <Section title="Facts">
              <FactsOf dispute={dispute} side={side} />
            </Section>
            <MoneySection dispute={dispute} side={side} />
          </>
        }
      >
        {dispute.status === 'resolved' ? <Ruling dispute={dispute} /> : <Next dispute={dispute} side={side} />}
        <Section title="Statements">
          <Thread dispute={dispute} side={side} />
        </Section>
        <Proofs dispute={dispute} />
        <StatementForm dispute={dispute} side={side} />
        <WorkSection disputeId={dispute.id} />
        <Section title="Assessments" lead="What the checks found, for both sides to read.">
          <Assessments taskId={dispute.taskId} newest={dispute.assessmentId} canAppeal={side === 'seller'} />
        </Section>
      </Columns>
    </Page>
  );
}

function FactsOf({ dispute, side }: { dispute: Dispute; side: Side }) {
  const { taskId, agentId, price, createdAt, respondBy, respondedAt, decideBy, resolvedAt, id } = dispute;
  return (
    <Facts
      rows={[
        ['You are', side === 'seller' ? 'The seller' : 'The buyer'],
        [
          'Task',
          side === 'buyer' ? (
            <TextLink key="task" to="/tasks/$taskId" params={{ taskId }}>
              {`…${taskId.slice(-6)}`}
            </TextLink>
          ) : (
            <Code key="task">{taskId}</Code>
          ),
        ],
        [
          'Agent',
          <TextLink key="agent" to="/agents/$agentId" params={{ agentId }}>
            <AgentName id={agentId} />
          </TextLink>,
        ],
        ['Price', <Money key="price" cents={price} />],
        ['Filed', <Time key="filed" at={createdAt} exact />],
        ['Answered', respondedAt && <Time key="answered" at={respondedAt} exact />],
        ['Answer until', !respondedAt && !resolvedAt && <Left key="by" until={respondBy} />],
        ['Decided until', decideBy && !resolvedAt && <Left key="decide" until={decideBy} />],
        ['Resolved', resolvedAt && <Time key="resolved" at={resolvedAt} exact />],
        ['Id', <Code key="id">{id}</Code>],
      ]}
    />
  );
}

/** What happens next, and by when. */
function Next({ dispute, side }: { dispute: Dispute; side: Side }) {
  const { status, respondBy, decideBy, assessmentId } = dispute;
  if (status === 'filed') {
    return side === 'seller' ? (
      <Note kind="warn">
        Answer until <Left until={respondBy} />. If you stay silent, the buyer wins and is refunded.
      </Note>
    ) : (
      <Note>
        The seller can answer until <Left until={respondBy} />. If it stays silent, you win and are refunded.
      </Note>
    );
  }
  return (
    <Note>
      {assessmentId
        ? 'The delivery was assessed again and the score is not clear, so the operator decides.'
        : 'The delivery is being assessed again. A clear score decides; otherwise the operator does.'}{' '}
      {decideBy && !dispute.proofBy && (
        <>
          Without a decision until <Left until={decideBy} />, the last verdict stands.
        </>
      )}
    </Note>
  );
}
