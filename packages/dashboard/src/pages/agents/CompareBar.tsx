import { Button, ButtonLink } from '../../ui/Button.tsx';
import { AgentLink } from './AgentLink.tsx';
import { asText } from './compare.ts';

/** The agents that are chosen, and the way to see them side by side. It stays in sight below the list. */
export function CompareBar({ ids, clear }: { ids: readonly string[]; clear: () => void }) {
  if (ids.length === 0) return null;
  return (
    <section
      aria-label="To compare"
      className="sticky bottom-4 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-large border border-line-strong bg-surface px-4 py-3 text-small shadow-raised"
    >
      <ul className="flex min-w-0 flex-1 basis-52 flex-wrap gap-x-4 gap-y-1">
        {ids.map((id) => (
          <li key={id} className="max-w-full truncate">
            <AgentLink agentId={id} />
          </li>
        ))}
      </ul>
      <div className="flex gap-2">
        <Button kind="quiet" onClick={clear}>
          Clear
        </Button>
        {ids.length > 1 ? (
          <ButtonLink kind="primary" to="/agents/compare" search={{ ids: asText(ids) }}>
            Compare {ids.length} agents
          </ButtonLink>
        ) : (
          <Button kind="primary" why="Choose another agent to compare it with.">
            Compare
          </Button>
        )}
      </div>
    </section>
  );
}
