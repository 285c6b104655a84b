import type { TaskOrder } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { agentNameQuery } from '../../api/agent-names.ts';
import { ownAgentsQuery } from '../../api/agents.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Choice, MoneyField, TextField } from '../../ui/Field.tsx';
import { useTyped } from '../../ui/use-typed.ts';
import { DayFields, FailureChoice, StatusChoice, TypeChoice } from './FilterFields.tsx';
import type { TaskSearch } from './filters.ts';
import type { ListKind } from './kinds.tsx';
import { Views } from './Views.tsx';

interface FiltersProps {
  kind: ListKind;
  search: TaskSearch;
  /** `replace`: no new step for the back button, as for each letter that is typed. */
  change: (part: TaskSearch, replace?: boolean) => void;
  /** Sets all of them. */
  open: (search: TaskSearch) => void;
  /** Stands beside them. */
  children?: ReactNode;
}

/** The orders of a list, in words. */
const orderWords: Record<TaskOrder, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  highest: 'Highest amount first',
  lowest: 'Lowest amount first',
};

/** The filters behind the button. */
const further = ['failure', 'agentId', 'project', 'tag', 'feedback', 'from', 'to', 'min', 'max', 'sort'] as const;

/** What is chosen stands in the address, so that links, reload and the way back keep it. */
export function Filters({ kind, search, change, open, children }: FiltersProps) {
  const isJobs = kind.to === '/jobs';
  const active = further.filter((name) => search[name] !== undefined && !(isJobs && name === 'agentId')).length;
  const [isOpen, setOpen] = useState(active > 0);
  const [q, setQ] = useTyped(search.q, (text) => change({ q: text }, search.q !== undefined));
  const fields = { search, change };
  return (
    <search data-filters className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        {isJobs ? (
          <OwnAgent agentId={search.agentId} choose={(agentId) => change({ agentId })} />
        ) : (
          <TextField
            type="search"
            label="Search"
            placeholder="Words, agent, tag or task id"
            className="min-w-0 flex-1 basis-64"
            value={q}
            maxLength={200}
            onChange={(event) => setQ(event.target.value)}
          />
        )}
        <StatusChoice {...fields} className="w-48 max-sm:w-[calc(50%-0.375rem)]" />
        <TypeChoice {...fields} className="w-44 max-sm:w-[calc(50%-0.375rem)]" />
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden /> {active > 0 ? `More filters (${active})` : 'More filters'}
        </Button>
        <Views kind={kind} search={search} open={open} />
        {children}
        {Object.keys(search).length > 0 && (
          <ButtonLink to={kind.to} kind="quiet">
            Clear filters
          </ButtonLink>
        )}
      </div>
      {isOpen && <Further kind={kind} search={search} change={change} />}
    </search>
  );
}

/** What an agent may not read of an input is no filter of its owner's, so there are no words; agents there are few. */
function OwnAgent({ agentId, choose }: { agentId: string | undefined; choose: (id: string | undefined) => void }) {
  const agents = useQuery(ownAgentsQuery).data ?? [];
  return (
    <Choice
      label="Agent"
      className="min-w-0 flex-1 basis-56"
      value={agentId ?? ''}
      onChange={(event) => choose(event.target.value || undefined)}
      options={[['', 'All agents'], ...agents.map(({ id, displayName }) => [id, displayName] as const)]}
    />
  );
}

function Further({ kind, search, change }: Pick<FiltersProps, 'kind' | 'search' | 'change'>) {
  const isJobs = kind.to === '/jobs';
  const [project, setProject] = useTyped(search.project, (text) => change({ project: text }, true));
  const [tag, setTag] = useTyped(search.tag, (text) => change({ tag: text }, true));
  const [min, setMin] = useTyped(search.min, (text) => change({ min: text }, true));
  const [max, setMax] = useTyped(search.max, (text) => change({ max: text }, true));
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
      <FailureChoice search={search} change={change} />
      {!isJobs && (
        <>
          <TextField
            label="Project"
            maxLength={100}
            value={project}
            onChange={(event) => setProject(event.target.value)}
          />
          <TextField label="Tag" maxLength={50} value={tag} onChange={(event) => setTag(event.target.value)} />
        </>
      )}
      <Choice
        label="Rating"
        value={search.feedback ?? ''}
        onChange={(event) => change({ feedback: event.target.value || undefined })}
        options={[
          ['', 'Any or none'],
          ['given', 'Rated'],
          ['up', 'Thumbs up'],
          ['down', 'Thumbs down'],
        ]}
      />
      <Choice
        label="Order"
        value={search.sort ?? ''}
        onChange={(event) => change({ sort: event.target.value || undefined })}
        options={kind.orders.map((order) => [order === 'newest' ? '' : order, orderWords[order]])}
      />
      <DayFields search={search} change={change} />
      <MoneyField label="Amount at least" value={min} onChange={setMin} placeholder="Any" />
      <MoneyField label="Amount at most" value={max} onChange={setMax} placeholder="Any" />
      {!isJobs && search.agentId !== undefined && (
        <p className="flex items-center gap-2 text-small">
          <span>
            Agent: <AgentName agentId={search.agentId} />
          </span>
          <Button small kind="quiet" onClick={() => change({ agentId: undefined })}>
            Any agent
          </Button>
        </p>
      )}
    </div>
  );
}

function AgentName({ agentId }: { agentId: string }) {
  const { data } = useQuery(agentNameQuery(agentId));
  return <bdi>{data ?? agentId}</bdi>;
}
