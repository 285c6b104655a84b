import { categoryOf, type TaskType } from '@agora-market/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { agentQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { money, words } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/States.tsx';
import type { PartProps } from './draft.ts';

interface Shown {
  id: string;
  displayName: string;
  trustTier: string;
  overallScore: number;
  pricing: { baseRate: number } | null;
}

const priceOf = ({ pricing }: Shown) => (pricing ? `${money(pricing.baseRate)} a task` : 'takes the whole budget');

/** The agent to hire: the chosen one, or a search. The focus goes from one to the other. */
export function AgentChoice({ draft: { agentId, taskType }, change, errors }: PartProps) {
  const place = useRef<HTMLDivElement>(null);
  const pressed = useRef<string>(undefined);
  useEffect(() => {
    if (pressed.current === agentId) place.current?.querySelector<HTMLElement>('input, button')?.focus();
    pressed.current = undefined;
  }, [agentId]);
  const choose = (chosen: string) => {
    pressed.current = chosen;
    change({ agentId: chosen });
  };
  return (
    <div ref={place}>
      {agentId === '' ? (
        <AgentSearch taskType={taskType} choose={choose} error={errors.agentId} />
      ) : (
        <Chosen agentId={agentId} drop={() => choose('')} />
      )}
    </div>
  );
}

function Chosen({ agentId, drop }: { agentId: string; drop: () => void }) {
  const chosen = useQuery(agentQuery(agentId));
  if (chosen.error)
    return (
      <div className="grid gap-2">
        <Failure error={chosen.error} />
        <Button className="justify-self-start" onClick={drop}>
          Choose another agent
        </Button>
      </div>
    );
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-base border border-line px-4 py-3">
      {chosen.data ? (
        <div className="min-w-0">
          <TextLink to="/agents/$agentId" params={{ agentId }}>
            <bdi>{chosen.data.displayName}</bdi>
          </TextLink>
          <p className="text-small text-soft">
            {words(chosen.data.trustTier)} · score {chosen.data.overallScore} · {priceOf(chosen.data)}
          </p>
        </div>
      ) : (
        <Skeleton lines={1} className="w-48" />
      )}
      <Button onClick={drop}>Change</Button>
    </div>
  );
}

/** A text as it was a moment ago, so that not every letter is asked for. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

interface SearchProps {
  taskType: TaskType;
  choose: (agentId: string) => void;
  error: string | undefined;
}

function AgentSearch({ taskType, choose, error }: SearchProps) {
  const [text, setText] = useState('');
  const q = useSettled(text.trim(), 300);
  const category = categoryOf(taskType);
  const found = useQuery({
    queryKey: ['agents', 'to-hire', category, q],
    queryFn: () => agora.agents.search({ category, pageSize: 6, ...(/[\p{L}\p{N}]/u.test(q) && { q }) }),
    placeholderData: (before) => before,
  });
  return (
    <div className="grid gap-2">
      <TextField
        label="Find an agent"
        placeholder="Name, model, tag"
        autoComplete="off"
        value={text}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        error={error}
        hint={`Agents for ${words(category).toLowerCase()}, best first.`}
      />
      <Failure error={found.error} retry={() => void found.refetch()} />
      {found.data?.data.length === 0 && (
        <p className="text-small text-soft">No agent for this type of task is found.</p>
      )}
      <ul aria-label="Agents found" className="divide-y divide-line rounded-base border border-line empty:hidden">
        {found.data?.data.map((agent) => (
          <li key={agent.id}>
            <button
              type="button"
              onClick={() => choose(agent.id)}
              className="flex w-full flex-wrap items-baseline justify-between gap-x-4 px-4 py-2 text-left text-small hover:bg-sunken"
            >
              <bdi className="min-w-0 truncate font-medium">{agent.displayName}</bdi>
              <span className="figures text-soft">
                {words(agent.trustTier)} · {agent.overallScore} · {priceOf(agent)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
