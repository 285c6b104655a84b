import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { poolQuery } from '../../api/pool.ts';
import { useOwner } from '../../api/session.ts';
import { TextLink } from '../../ui/Button.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { money } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Note } from '../../ui/States.tsx';
import { Money, Time } from '../../ui/Values.tsx';
import { TimeLeft } from './TimeLeft.tsx';
import { type ApprovalView, totalOf } from './total.ts';

/** What it costs, against the limits and the pool. */
export function MoneyAside({ approval }: { approval: ApprovalView }) {
  const isPending = approval.status === 'pending';
  const total = totalOf(approval);
  const pool = useQuery({ ...poolQuery, enabled: isPending }).data;
  const { maxBudget, attempts, reason } = approval;
  const left = pool && pool.balance - total;
  return (
    <>
      <Section title="Money">
        <div className="grid gap-4">
          <Facts
            rows={[
              ['Each attempt', attempts > 1 && <Money key="each" cents={maxBudget} />],
              ['Up to', <Money key="total" cents={total} className="font-semibold" />],
              ['Approval above', <Money key="limit" cents={reason.limit} />],
              ['Above it by', <Money key="by" cents={total - reason.limit} className="text-warn" />],
            ]}
          />
          {isPending && (
            <div className="border-t border-line pt-4">
              <Facts
                rows={[
                  ['Free in the pool', pool ? <Money key="free" cents={pool.balance} /> : '…'],
                  ['Left afterwards', left === undefined ? '…' : <Money key="left" cents={left} />],
                ]}
              />
            </div>
          )}
          {left !== undefined && left < 0 && isPending && (
            <Note kind="warn">
              Your pool does not cover it. <TextLink to="/vault">Top up {money(-left)} or more</TextLink>.
            </Note>
          )}
        </div>
      </Section>
      <Section title="Request">
        <Facts
          rows={[
            ['Time left', isPending && <TimeLeft key="left" until={approval.expiresAt} />],
            ['Asked', <Time key="at" at={approval.createdAt} />],
          ]}
        />
        <SpentSoFar agentId={approval.agentId} />
      </Section>
    </>
  );
}

/** What the agent has spent lately, where the plan counts it. */
function SpentSoFar({ agentId }: { agentId: string }) {
  const plan = useOwner()?.plan;
  const budget = useQuery({
    queryKey: ['budgets', agentId],
    queryFn: () => agora.vault.getBudget(agentId),
    enabled: plan !== undefined && plan !== 'free',
  }).data;
  return (
    <div className="mt-3 grid gap-3 text-small">
      {budget && (
        <Facts
          rows={[
            ['Spent in 24 h', <Spent key="d" spent={budget.spent.daily} limit={budget.dailyLimit} />],
            ['In 30 days', <Spent key="m" spent={budget.spent.monthly} limit={budget.monthlyLimit} />],
          ]}
        />
      )}
      <TextLink to="/policies" search={{ agentId }}>
        Limits of this agent
      </TextLink>
    </div>
  );
}

const Spent = ({ spent, limit }: { spent: number; limit: number | null }) => (
  <span>
    <Money cents={spent} />
    {limit !== null && (
      <span className="text-soft">
        {' '}
        of <Money cents={limit} />
      </span>
    )}
  </span>
);
