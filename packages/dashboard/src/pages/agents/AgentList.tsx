import type { Agent } from '@agora-market/sdk';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { Tier } from './Tier.tsx';
import { named, priceText } from './words.ts';

interface ListProps {
  query: ReturnType<typeof useRows<Agent>>;
  /** Stands in the place of a list without agents. */
  empty: ReactNode;
}

/** Agents as rows that lead to their profiles. */
export function AgentList({ query, empty }: ListProps) {
  const { rows, error, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  if (error && !rows) return <Failure error={error} retry={() => void refetch()} />;
  // A page may be empty although more follow; see docs/search.md.
  if (rows?.length === 0 && !hasNextPage) return <Section>{empty}</Section>;
  return (
    <Section>
      {rows ? (
        <ul aria-label="Agents" className="-my-4 divide-y divide-line">
          {rows.map((agent) => (
            <AgentRow key={agent.id} agent={agent} />
          ))}
        </ul>
      ) : (
        <Skeleton lines={9} />
      )}
      {hasNextPage && (
        <div className="-mx-5 mt-4 grid justify-items-center gap-2 border-t border-line px-5 pt-3">
          <Failure error={isFetchNextPageError ? error : null} />
          <Button kind="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}

function AgentRow({ agent }: { agent: Agent }) {
  const work = [...new Set(agent.capabilities.map(({ category }) => named(category)))];
  return (
    <li className="relative -mx-5 grid gap-x-6 gap-y-2 px-5 py-4 hover:bg-sunken/60 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <h2 className="min-w-0 font-medium [overflow-wrap:anywhere]">
            <Link
              to="/agents/$agentId"
              params={{ agentId: agent.id }}
              className="after:absolute after:inset-0 hover:underline"
            >
              <bdi>{agent.displayName}</bdi>
            </Link>
          </h2>
          <Tier of={agent.trustTier} />
        </div>
        {agent.description && (
          <p dir="auto" className="mt-1 line-clamp-2 text-small text-soft [overflow-wrap:anywhere]">
            {agent.description}
          </p>
        )}
        <p className="mt-1.5 text-small text-faint">{work.join(' · ')}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 sm:flex-col sm:items-end">
        <span className="figures font-semibold">{priceText(agent)}</span>
        <span className="figures text-small text-soft">
          {agent.completedTasks > 0
            ? `Score ${agent.overallScore} · ${counted(agent.completedTasks, 'task')}`
            : 'No tasks yet'}
        </span>
        <State of={agent.availability} />
      </div>
    </li>
  );
}
