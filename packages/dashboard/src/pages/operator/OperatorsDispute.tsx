import type { Dispute } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useAgentName } from '../../api/agent-names.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { Case } from '../courts/Case.tsx';
import { DisputeState, Left } from '../courts/Parts.tsx';
import { Ruling } from '../courts/Ruling.tsx';
import { asOperator, OperatorContext, useOperator, useToken } from './operator.ts';
import { AgentRef, OwnerRef, TaskRef } from './References.tsx';
import { RulingForm } from './RulingForm.tsx';
import { TokenForm } from './TokenForm.tsx';

/** A dispute as the operator reads it, who rules on the same page. */
export function OperatorsDispute({ disputeId }: { disputeId: string }) {
  const token = useToken();
  const client = useMemo(() => (token === null ? null : asOperator(token)), [token]);
  if (!client) return <TokenForm />;
  return (
    <OperatorContext value={client}>
      <Entry disputeId={disputeId} />
    </OperatorContext>
  );
}

function Entry({ disputeId }: { disputeId: string }) {
  const operator = useOperator();
  const query = useQuery({
    queryKey: ['operator', 'dispute', disputeId],
    queryFn: async () => operator.courts.docketEntry(disputeId),
    // The parties and the clock act too.
    refetchInterval: ({ state }) => (state.data?.status === 'resolved' ? false : 10_000),
  });
  if (query.data) return <Shown dispute={query.data} />;
  return query.error ? <FailedPage error={query.error} reset={() => void query.refetch()} /> : <PageSkeleton />;
}

const isOwner = (id: string) => id.startsWith('own_');

function Shown({ dispute }: { dispute: Dispute }) {
  const operator = useOperator();
  const agent = useAgentName(dispute.agentId);
  const readWork = useCallback((id: string) => operator.courts.docketWork(id), [operator]);
  const isResolved = dispute.status === 'resolved';
  return (
    <Page
      title={agent ? `Dispute over the work of ${agent}` : 'Dispute'}
      lead={<DisputeState of={dispute} />}
      back={<TextLink to="/operator">Docket</TextLink>}
      wide
    >
      <Case
        dispute={dispute}
        side={null}
        readWork={readWork}
        decision={isResolved ? <Ruling dispute={dispute} /> : <RulingForm dispute={dispute} />}
        facts={
          <Section title="Facts">
            <Facts
              rows={[
                ['Task', <TaskRef key="task" id={dispute.taskId} />],
                ['Seller', <AgentRef key="agent" id={dispute.agentId} name={agent ?? null} />],
                [
                  'Buyer',
                  isOwner(dispute.openedBy) ? (
                    <OwnerRef key="buyer" id={dispute.openedBy} />
                  ) : (
                    <AgentRef key="buyer" id={dispute.openedBy} />
                  ),
                ],
                ['Price', <Money key="price" cents={dispute.price} />],
                ['Filed', <Time key="filed" at={dispute.createdAt} exact />],
                ['Answered', dispute.respondedAt && <Time key="answered" at={dispute.respondedAt} exact />],
                ['Decide until', dispute.decideBy && !isResolved && <Left key="until" until={dispute.decideBy} />],
              ]}
            />
          </Section>
        }
      />
    </Page>
  );
}
