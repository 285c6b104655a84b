import type { Dispute } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useAgentName } from '../../api/agent-names.ts';
import { agora } from '../../api/client.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { Code, Money, Time } from '../../ui/Values.tsx';
import { Case } from './Case.tsx';
import { disputeQuery, type Side, useSideOf } from './data.ts';
import { MoneySection } from './Money.tsx';
import { AgentName, DisputeState, Left } from './Parts.tsx';
import { Ruling } from './Ruling.tsx';
import { StatementForm } from './StatementForm.tsx';

const OperatorsDispute = lazy(() =>
  import('../operator/OperatorsDispute.tsx').then((module) => ({ default: module.OperatorsDispute })),
);

const route = getRouteApi('/owner/courts/$disputeId');

/** One dispute: all that it is decided by, what happens next, and how it ended. The operator rules on it here. */
export function DisputePage() {
  const { disputeId } = route.useParams();
  if (route.useSearch().as === 'operator')
    return (
      <Suspense fallback={<PageSkeleton />}>
        <OperatorsDispute disputeId={disputeId} />
      </Suspense>
    );
  return <PartysDispute disputeId={disputeId} />;
}

function PartysDispute({ disputeId }: { disputeId: string }) {
  const query = useQuery(disputeQuery(disputeId));
  const sides = useSideOf();
  const side = query.data && sides.sideOf(query.data);
  if (query.data && side) return <Shown dispute={query.data} side={side} />;
  if (query.error && !query.data) return <FailedPage error={query.error} reset={() => void query.refetch()} />;
  // A seller who is taken for the buyer would wait in vain.
  return sides.error ? <FailedPage error={sides.error} reset={sides.retry} /> : <PageSkeleton />;
}

const readWork = (id: string) => agora.courts.disputedWork(id);

function Shown({ dispute, side }: { dispute: Dispute; side: Side }) {
  const agent = useAgentName(dispute.agentId);
  const isResolved = dispute.status === 'resolved';
  return (
    <Page
      title={agent ? `Dispute over the work of ${agent}` : 'Dispute'}
      lead={<DisputeState of={dispute} />}
      back={<TextLink to="/courts">Courts</TextLink>}
      wide
    >
      <Case
        dispute={dispute}
        side={side}
        readWork={readWork}
        decision={isResolved ? <Ruling dispute={dispute} /> : <Next dispute={dispute} side={side} />}
        answer={isResolved ? null : <StatementForm dispute={dispute} side={side} />}
        facts={
          <>
            <Section title="Facts">
              <FactsOf dispute={dispute} side={side} />
            </Section>
            <MoneySection dispute={dispute} side={side} />
          </>
        }
      />
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
            <TextLink key="task" to="/jobs/$taskId" params={{ taskId }}>
              {`…${taskId.slice(-6)}`}
            </TextLink>
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
