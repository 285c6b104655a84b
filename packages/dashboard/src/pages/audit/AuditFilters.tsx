import { eventTypes } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ownAgentsQuery } from '../../api/agents.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { eventWords } from './event-words.ts';
import type { AuditSearch } from './filters.ts';

const types = eventTypes
  .flatMap((type) => (eventWords[type] === undefined ? [] : [[type, eventWords[type]] as const]))
  .sort(([, a], [, b]) => a.localeCompare(b));

/** The filters, kept in the address. */
export function AuditFilters({ search, isBackwards }: { search: AuditSearch; isBackwards: boolean }) {
  const navigate = useNavigate({ from: '/audit' });
  const agents = useQuery(ownAgentsQuery).data ?? [];
  const set = (change: AuditSearch) =>
    void navigate({
      search: (before) => {
        const next: AuditSearch = { ...before, ...change };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
      },
      replace: true,
    });
  return (
    <div data-filters className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-5">
      <Choice
        label="Event"
        options={[['', 'All events'], ...types]}
        value={search.type ?? ''}
        onChange={(event) => set({ type: event.target.value })}
      />
      <Choice
        label="Agent"
        options={[['', 'All'], ...agents.map(({ id, displayName }) => [id, displayName] as const)]}
        value={search.agentId ?? ''}
        onChange={(event) => set({ agentId: event.target.value })}
      />
      <TextField
        label="From"
        type="date"
        value={search.from ?? ''}
        error={isBackwards ? 'Must not be after the last day.' : undefined}
        onChange={(event) => set({ from: event.target.value })}
      />
      <TextField label="To" type="date" value={search.to ?? ''} onChange={(event) => set({ to: event.target.value })} />
      <Correlation value={search.correlationId ?? ''} onChange={(correlationId) => set({ correlationId })} />
      {Object.keys(search).length > 0 && (
        <div>
          <ButtonLink to="/audit" kind="quiet" className="-ml-3">
            Clear filters
          </ButtonLink>
        </div>
      )}
    </div>
  );
}

/** Applies on Enter or on leaving: a half-typed id matches nothing. */
function Correlation({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <TextField
      label="Correlation id"
      placeholder="All of one request"
      maxLength={200}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
