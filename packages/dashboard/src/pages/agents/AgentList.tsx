import type { Agent } from '@agora-market/sdk';
import { Link } from '@tanstack/react-router';
import { Check, Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import type { TableProps } from '../../ui/Table.tsx';
import { comparedAtMost } from './compare.ts';
import { isKnown, recordText, scoreText } from './reputation-words.ts';
import { Tier } from './Tier.tsx';
import { named, priceText } from './words.ts';

export interface ListProps extends Pick<TableProps<Agent>, 'rows' | 'error' | 'retry' | 'more'> {
  /** Stands in the place of a list without agents. */
  empty: ReactNode;
  /** Ids of those that are to be compared. */
  chosen: readonly string[];
  toggle: (id: string) => void;
}

/** Agents as rows that lead to their profiles. */
export function AgentList({ rows, error, retry, more, empty, chosen, toggle }: ListProps) {
  if (error) return <Failure error={error} {...(retry && { retry })} />;
  // A page may be empty although more follow; see docs/search.md.
  if (rows?.length === 0 && !more?.hasNextPage) return <Section>{empty}</Section>;
  return (
    <Section>
      {rows ? (
        <ul aria-label="Agents" className="-my-4 divide-y divide-line">
          {rows.map((agent) => (
            <AgentRow key={agent.id} {...{ agent, chosen, toggle }} />
          ))}
        </ul>
      ) : (
        <Skeleton lines={9} />
      )}
      {more?.hasNextPage && (
        <div className="-mx-5 mt-4 grid justify-items-center gap-2 border-t border-line px-5 pt-3">
          <Failure error={more.isFetchNextPageError ? more.error : null} />
          <Button kind="quiet" busy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}

function AgentRow({ agent, chosen, toggle }: { agent: Agent } & Pick<ListProps, 'chosen' | 'toggle'>) {
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
          {/* Of one that is not rated the score says so. */}
          {(isKnown(agent) || agent.trustTier !== 'unverified') && <Tier of={agent.trustTier} />}
        </div>
        {agent.description && (
          <p dir="auto" className="mt-1 line-clamp-2 text-small text-soft [overflow-wrap:anywhere]">
            {agent.description}
          </p>
        )}
        <p className="mt-1.5 text-small text-faint">
          {work.join(' · ')}; {recordText(agent)}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 sm:flex-col sm:items-end">
        <span className="figures font-semibold">{priceText(agent)}</span>
        <span className="figures text-small text-soft">{scoreText(agent)}</span>
        <span className="flex items-center gap-2">
          <State of={agent.availability} />
          <Compare {...{ agent, chosen, toggle }} />
        </span>
      </div>
    </li>
  );
}

function Compare({
  agent: { id, displayName },
  chosen,
  toggle,
}: { agent: Agent } & Pick<ListProps, 'chosen' | 'toggle'>) {
  const isChosen = chosen.includes(id);
  const isFull = !isChosen && chosen.length >= comparedAtMost;
  return (
    <Button
      small
      // The whole row is a link, above which it stands.
      className="relative aria-pressed:border-accent aria-pressed:bg-accent-wash"
      aria-label={`Compare ${displayName}`}
      aria-pressed={isChosen}
      onClick={() => toggle(id)}
      why={isFull ? `At most ${comparedAtMost} can be compared.` : null}
    >
      {isChosen ? <Check aria-hidden /> : <Scale aria-hidden />} Compare
    </Button>
  );
}
