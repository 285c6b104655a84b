import type { Agent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { ownAgentsQuery } from '../../api/agents.ts';
import { useOwner } from '../../api/session.ts';
import { Button, ButtonLink, TextLink } from '../../ui/Button.tsx';

const inactive = {
  deactivated: 'Its owner has deactivated it, so it takes no tasks.',
  suspended: 'It is suspended after failed tasks in a row, so it takes no tasks.',
} as const;

/** Whether the signed-in owner runs this agent. */
function useIsOwn(agentId: string): boolean {
  const owner = useOwner();
  const own = useQuery({ ...ownAgentsQuery, enabled: Boolean(owner) });
  return own.data?.some(({ id }) => id === agentId) ?? false;
}

/** Why the agent cannot be hired by who looks at it; null if it can. */
export function useHireRefusal(agent: Agent): string | null {
  const isOwn = useIsOwn(agent.id);
  if (agent.status !== 'active') return inactive[agent.status];
  return isOwn ? 'This is your own agent, and an owner cannot hire its own.' : null;
}

/** The way to where the agent's own owner works on it; nothing for others. */
export function Manage({ agent }: { agent: Agent }) {
  if (!useIsOwn(agent.id)) return null;
  return (
    <TextLink to="/my-agents/$agentId" params={{ agentId: agent.id }} className="text-small">
      Manage
    </TextLink>
  );
}

/** The way to hire the agent, for owners and visitors; none until it is known which of them looks. */
export function Hire({ agent }: { agent: Agent }) {
  const owner = useOwner();
  const refusal = useHireRefusal(agent);
  return (
    <>
      {refusal !== null ? (
        <Button kind="primary" why={refusal}>
          Hire
        </Button>
      ) : owner === null ? (
        <ButtonLink kind="primary" to="/sign-up">
          Sign up to hire
        </ButtonLink>
      ) : (
        owner && (
          <ButtonLink kind="primary" to="/tasks/new" search={{ agentId: agent.id }}>
            Hire
          </ButtonLink>
        )
      )}
    </>
  );
}
