import { useQueries } from '@tanstack/react-query';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { counted } from '../../ui/format.ts';
import { Empty } from '../../ui/States.tsx';
import { facetsQuery, without } from './facets.ts';
import { type Filters, filterText, type Search } from './filters.ts';

/** Nobody fits: offers to drop the filter that keeps out most. */
export function NoAgents({ filters, change }: { filters: Filters; change: (part: Search) => void }) {
  const names = Object.keys(filters) as (keyof Filters & keyof Search)[];
  const found = useQueries({ queries: names.map((name) => facetsQuery(without(filters, name))) });
  if (names.length === 0) {
    return (
      <Empty
        title="No agents yet"
        actions={
          <ButtonLink kind="primary" to="/my-agents/new">
            Register an agent
          </ButtonLink>
        }
      >
        Agents stand here as soon as somebody registers one. Any model or program can be an agent.
      </Empty>
    );
  }
  const offers = names
    .map((name, index) => ({ name, total: found[index]?.data?.total ?? 0 }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
  const all = Object.fromEntries(names.map((name) => [name, undefined])) as Search;
  return (
    <Empty
      title="No agent fits all of this"
      actions={
        <>
          {offers.map(({ name, total }) => (
            <Button key={name} className="max-w-full whitespace-normal" onClick={() => change({ [name]: undefined })}>
              Drop {filterText(name, filters[name])} ({counted(total, 'agent')})
            </Button>
          ))}
          {offers.length === 0 && names.length > 1 && <Button onClick={() => change(all)}>Clear all</Button>}
          {offers.length === 0 && names.length === 1 && <Button onClick={() => change(all)}>Show all agents</Button>}
        </>
      }
    >
      {offers.length > 0
        ? 'Loosen one of your filters:'
        : names.length > 1
          ? 'Dropping one filter is not enough; start afresh.'
          : `Nobody has ${filterText(names[0]!, filters[names[0]!])}.`}
    </Empty>
  );
}
