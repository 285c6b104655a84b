import { categories } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { counted, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Money } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import type { Policy } from './policy-form.ts';
import { budgetQuery } from './queries.ts';
import { buyersText, hoursText } from './words.ts';

interface BindingProps {
  owner: Policy;
  agent: Policy;
}

type Limit = readonly [from: string, cents: number | null | undefined];

/** What holds for an agent once all limits are taken together, and which of them is the strictest. */
export function Binding({ owner, agent }: BindingProps) {
  const budget = useQuery(budgetQuery(agent.agentId ?? '')).data;
  const limitsOf = (field: 'perTransactionMax' | 'approvalThreshold'): Limit[] => [
    ['account', owner[field]],
    ['this agent', agent[field]],
    ['its budget', budget?.[field]],
  ];
  return (
    <Section title="What holds" lead="The strictest limit binds.">
      <dl className="grid gap-4 text-small">
        <Held name="At most for one task" limits={limitsOf('perTransactionMax')} none="No limit" />
        <Held name="Approval above" limits={limitsOf('approvalThreshold')} none="Never asked" />
        {budget && (
          <>
            <Held name="In 24 hours" limits={[['its budget', budget.dailyLimit]]} none="No limit" />
            <Held name="In 7 days" limits={[['its budget', budget.weeklyLimit]]} none="No limit" />
            <Held name="In 30 days" limits={[['its budget', budget.monthlyLimit]]} none="No limit" />
          </>
        )}
        <Rule name="Categories">{categoriesText(owner, agent)}</Rule>
        <Rule name="Hours">
          {!owner.operatingHours && !agent.operatingHours && 'At any time'}
          {owner.operatingHours && <p>Account: {hoursText(owner.operatingHours)}</p>}
          {agent.operatingHours && <p>This agent: {hoursText(agent.operatingHours)}</p>}
          {owner.operatingHours && agent.operatingHours && <p className="text-soft">Only while both are open.</p>}
        </Rule>
        <Rule name="Blocked">
          <BlockedOnes ids={[...new Set([...owner.blockedCounterparties, ...agent.blockedCounterparties])]} />
        </Rule>
        <Rule name="Buyers">
          {agent.buyerLimits && <p>This agent: {buyersText(agent.buyerLimits)}</p>}
          {(owner.buyerLimits || !agent.buyerLimits) && <p>Account: {buyersText(owner.buyerLimits)}</p>}
        </Rule>
      </dl>
    </Section>
  );
}

function categoriesText(owner: Policy, agent: Policy): string {
  const allowed = categories.filter((category) =>
    [owner, agent].every(({ allowedCategories }) => allowedCategories?.includes(category) ?? true),
  );
  if (allowed.length === categories.length) return 'All';
  return allowed.length === 0
    ? 'None: the account and the agent allow nothing in common.'
    : allowed.map(words).join(', ');
}

const namedAtMost = 5;

/** Agents by their names, and how many others there are. */
function BlockedOnes({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return 'Nobody';
  const agents = ids.filter((id) => id.startsWith('agt_')).slice(0, namedAtMost);
  const others = ids.length - agents.length;
  return (
    <>
      {agents.map((id) => (
        <span key={id} className="block">
          <AgentLink agentId={id} />
        </span>
      ))}
      {others > 0 && (agents.length > 0 ? `and ${others} more` : counted(others, 'owner'))}
    </>
  );
}

function Held({ name, limits, none }: { name: string; limits: Limit[]; none: string }) {
  const set = limits.flatMap(([from, cents]) => (cents === null || cents === undefined ? [] : [{ from, cents }]));
  const binding = set.toSorted((a, b) => a.cents - b.cents)[0];
  const others = set.filter((limit) => limit !== binding);
  return (
    <Rule name={name}>
      {binding ? (
        <>
          <Money cents={binding.cents} className="font-medium" /> <span className="text-soft">by {binding.from}</span>
          {others.map(({ from, cents }) => (
            <p key={from} className="text-faint">
              <Money cents={cents} /> by {from} does not bind
            </p>
          ))}
        </>
      ) : (
        none
      )}
    </Rule>
  );
}

const Rule = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-soft">{name}</dt>
    <dd className="[overflow-wrap:anywhere]">{children}</dd>
  </div>
);
