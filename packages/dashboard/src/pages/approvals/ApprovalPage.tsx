import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAgentName } from '../../api/agent-names.ts';
import { approvalQuery } from '../../api/approvals.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { TextLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { money } from '../../ui/format.ts';
import { Page } from '../../ui/Layout.tsx';
import { State } from '../../ui/Status.tsx';
import { Decision } from './Decision.tsx';
import { MoneyAside } from './MoneyAside.tsx';
import { Outcome } from './Outcome.tsx';
import { TimeLeft } from './TimeLeft.tsx';
import type { ApprovalView } from './total.ts';
import { totalOf } from './total.ts';
import { Wanted } from './Wanted.tsx';

/** One request of an agent: what it wants, what it costs, and the decision. */
export function ApprovalPage() {
  const { approvalId } = useParams({ from: '/owner/approvals/$approvalId' });
  const query = useQuery(approvalQuery(approvalId));
  if (query.data) return <Shown key={approvalId} approval={query.data} />;
  return query.error ? <FailedPage error={query.error} reset={() => void query.refetch()} /> : <PageSkeleton />;
}

function Shown({ approval }: { approval: ApprovalView }) {
  const name = useAgentName(approval.agentId) ?? 'Your agent';
  const isPending = approval.status === 'pending';
  const [isOwn, setOwn] = useState(false);
  const [wasPending, setWasPending] = useState(false);
  useEffect(() => {
    if (isPending) setWasPending(true);
  }, [isPending]);
  return (
    <Page
      title={`${name} asks to spend up to ${money(totalOf(approval))}`}
      back={<TextLink to="/approvals">Approvals</TextLink>}
      lead={
        <span className="flex items-center gap-3 text-small">
          <State of={approval.status} />
          {isPending && <TimeLeft until={approval.expiresAt} after=" left" />}
        </span>
      }
      actions={isPending && <Decision approval={approval} onDecided={() => setOwn(true)} />}
    >
      {!isPending && <Outcome approval={approval} elsewhere={wasPending && !isOwn} />}
      <Columns aside={<MoneyAside approval={approval} />}>
        <Wanted approval={approval} />
      </Columns>
    </Page>
  );
}
