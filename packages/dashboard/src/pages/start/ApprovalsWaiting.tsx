import { useQuery } from '@tanstack/react-query';
import { useAgentName } from '../../api/agent-names.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Money, StrangerText, Time } from '../../ui/Values.tsx';
import { pendingApprovalsQuery } from './overview-data.ts';

const AgentName = ({ id }: { id: string }) => (
  <bdi className="font-medium [overflow-wrap:anywhere]">{useAgentName(id) ?? 'Your agent'}</bdi>
);

/** What agents want to buy and may not without their owner. */
export function ApprovalsWaiting() {
  const approvals = useQuery(pendingApprovalsQuery);
  return (
    <Section title="Waiting for your approval">
      <Loaded query={approvals}>
        {(waiting) =>
          waiting.length === 0 ? (
            <p className="text-small text-soft">
              Nothing waits. Purchases of your agents above the limits you set ask here first.
            </p>
          ) : (
            <ul className="-my-3 divide-y divide-line">
              {waiting.map(({ id, agentId, taskType, maxBudget, attempts, description, expiresAt }) => (
                <li key={id} className="grid gap-2 py-3">
                  <div className="flex items-baseline justify-between gap-3 text-small">
                    <span className="min-w-0">
                      <AgentName id={agentId} /> <span className="text-soft">· {words(taskType)}</span>
                    </span>
                    <span className="font-medium">
                      <Money cents={maxBudget * attempts} />
                    </span>
                  </div>
                  {description && <StrangerText text={description} className="line-clamp-2 text-small text-soft" />}
                  <div className="flex items-center justify-between gap-3">
                    <span className="text-tiny text-faint">
                      ends <Time at={expiresAt} />
                    </span>
                    <ButtonLink to="/approvals/$approvalId" params={{ approvalId: id }}>
                      Approve or deny
                    </ButtonLink>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
