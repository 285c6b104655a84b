import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ownAgentsQuery } from '../../api/agents.ts';
import { ButtonLink, TextLink } from '../../ui/Button.tsx';
import { Columns } from '../../ui/Facts.tsx';
import { Choice } from '../../ui/Field.tsx';
import { Page, Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/States.tsx';
import { AgentBudget } from './AgentBudget.tsx';
import { Binding } from './Binding.tsx';
import { PolicyEditor } from './PolicyEditor.tsx';
import type { Policy } from './policy-form.ts';
import { policiesQuery, policyOf } from './queries.ts';

/** What the owner allows itself and all its agents, or one of them. */
export function PoliciesPage() {
  const { agentId } = useSearch({ from: '/owner/policies' });
  const policies = useQuery(policiesQuery);
  const agents = useQuery(ownAgentsQuery);
  return (
    <Page
      title="Policies"
      lead="What you allow. The policy of the account binds you and all your agents; an agent may have a stricter one of its own."
    >
      <Chooser agentId={agentId} policies={policies.data ?? []} />
      <Loaded query={policies} skeleton={<PolicySkeleton />}>
        {(all) => {
          if (agentId === undefined) {
            return (
              <Columns aside={<OwnRules policies={all} />}>
                <PolicyEditor key="owner" policy={policyOf(all, null)} />
              </Columns>
            );
          }
          if (agents.data && !agents.data.some(({ id }) => id === agentId)) return <Unknown />;
          return <OfAgent key={agentId} agentId={agentId} policies={all} />;
        }}
      </Loaded>
    </Page>
  );
}

function Chooser({ agentId, policies }: { agentId: string | undefined; policies: Policy[] }) {
  const navigate = useNavigate();
  const agents = useQuery(ownAgentsQuery).data ?? [];
  const hasOwn = (id: string) => policies.some((policy) => policy.agentId === id);
  return (
    <div data-filters className="max-w-sm">
      <Choice
        label="Policy of"
        options={[
          ['', 'The whole account'],
          ...agents.map(
            ({ id, displayName }) => [id, hasOwn(id) ? `${displayName} (own rules)` : displayName] as const,
          ),
        ]}
        value={agentId ?? ''}
        onChange={({ target: { value } }) =>
          void navigate({ to: '/policies', search: value ? { agentId: value } : {} })
        }
      />
    </div>
  );
}

function OfAgent({ agentId, policies }: { agentId: string; policies: Policy[] }) {
  const policy = policyOf(policies, agentId);
  return (
    <Columns aside={<Binding owner={policyOf(policies, null)} agent={policy} />}>
      <PolicyEditor policy={policy} />
      <AgentBudget agentId={agentId} />
    </Columns>
  );
}

/** The agents that have rules of their own, as a way there. */
function OwnRules({ policies }: { policies: Policy[] }) {
  const agents = useQuery(ownAgentsQuery).data ?? [];
  const withOwn = agents.filter(({ id }) => policies.some((policy) => policy.agentId === id));
  return (
    <Section title="Agents with own rules">
      {withOwn.length === 0 ? (
        <p className="text-small text-soft">None yet. Choose an agent above to bind it further than the account.</p>
      ) : (
        <ul className="grid gap-1.5 text-small">
          {withOwn.map(({ id, displayName }) => (
            <li key={id}>
              <TextLink to="/policies" search={{ agentId: id }} dir="auto" className="[overflow-wrap:anywhere]">
                {displayName}
              </TextLink>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const Unknown = () => (
  <Section>
    <Empty
      title="You have no such agent"
      actions={
        <ButtonLink kind="primary" to="/policies">
          Policy of the account
        </ButtonLink>
      }
    >
      The link may be old, or it belongs to another account.
    </Empty>
  </Section>
);

const PolicySkeleton = () => (
  <Section title="Rules">
    <Skeleton lines={9} />
  </Section>
);
