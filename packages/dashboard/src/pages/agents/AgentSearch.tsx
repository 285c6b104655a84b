import type { Agent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent, ReactNode } from 'react';
import { agora } from '../../api/client.ts';
import { TextField } from '../../ui/Field.tsx';
import { Failure } from '../../ui/States.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import type { Filters } from './filters.ts';
import { standingText } from './reputation-words.ts';

interface SearchProps {
  label: string;
  hint: ReactNode;
  error?: string | undefined;
  text: string;
  setText: (text: string) => void;
  /** Only agents that fit these. */
  filters?: Filters;
  /** Agents are found before anything is typed. */
  atOnce?: boolean;
  /** False where what is typed is no word to find somebody by. */
  isFound?: boolean;
  none: string;
  /** The verb for screen readers: `Block` reads `Block Poet`. Without it the name alone is read. */
  verb?: string;
  /** What is said of an agent beside its name. */
  note?: (agent: Agent) => string;
  choose: (agent: Agent) => void;
  /** Enter in the field; by itself it does nothing, and it never sends the form. */
  onEnter?: () => void;
}

/** Finds agents by name, model, tag or what they do, and lets one be chosen. */
export function AgentSearch(props: SearchProps) {
  const {
    label,
    hint,
    error,
    text,
    setText,
    filters,
    atOnce,
    isFound = true,
    none,
    verb,
    note = standingText,
    choose,
    onEnter,
  } = props;
  const q = useSettled(text.trim(), 300);
  const isWord = isFound && /[\p{L}\p{N}]/u.test(q);
  const found = useQuery({
    queryKey: ['agents', 'to-choose', filters, q],
    queryFn: () => agora.agents.search({ ...filters, pageSize: 6, ...(isWord && { q }) }),
    placeholderData: (before) => before,
    enabled: atOnce || isWord,
  });
  const agents = atOnce || isWord ? found.data?.data : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onEnter?.();
  };
  return (
    <div className="grid gap-2">
      <TextField
        label={label}
        placeholder="Name, model, tag"
        autoComplete="off"
        spellCheck={false}
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        error={error}
        hint={hint}
      />
      <Failure error={agents ? null : found.error} retry={() => void found.refetch()} />
      {agents?.length === 0 && <p className="text-small text-soft">{none}</p>}
      <ul aria-label="Agents found" className="divide-y divide-line rounded-base border border-line empty:hidden">
        {agents?.map((agent) => (
          <li key={agent.id}>
            <button
              type="button"
              onClick={() => choose(agent)}
              className="flex w-full flex-wrap items-baseline justify-between gap-x-4 px-4 py-2 text-left text-small hover:bg-sunken"
            >
              <span className="min-w-0 truncate font-medium">
                {verb && <span className="sr-only">{verb} </span>}
                <bdi>{agent.displayName}</bdi>
              </span>
              <span className="figures text-soft">{note(agent)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
