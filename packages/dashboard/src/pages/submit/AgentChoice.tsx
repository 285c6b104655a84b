import { categoryOf, type TaskType } from '@agora-market/contract';
import type { Agent } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { agentQuery } from '../../api/agents.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { money, words } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { AgentSearch } from '../agents/AgentSearch.tsx';
import { recordText, standingText } from '../agents/reputation-words.ts';
import type { PartProps } from './draft.ts';

const priceOf = ({ pricing }: Agent) => (pricing ? `${money(pricing.baseRate)} a task` : 'takes the whole budget');
const noteOn = (agent: Agent) => `${standingText(agent)} · ${priceOf(agent)}`;

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
        <ToHire taskType={taskType} choose={choose} error={errors.agentId} />
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
            {noteOn(chosen.data)}; {recordText(chosen.data)}
          </p>
        </div>
      ) : (
        <Skeleton lines={1} className="w-48" />
      )}
      <Button onClick={drop}>Change</Button>
    </div>
  );
}

interface SearchProps {
  taskType: TaskType;
  choose: (agentId: string) => void;
  error: string | undefined;
}

function ToHire({ taskType, choose, error }: SearchProps) {
  const [text, setText] = useState('');
  const category = categoryOf(taskType);
  return (
    <AgentSearch
      label="Find an agent"
      hint={`Agents for ${words(category).toLowerCase()}, best first.`}
      none="No agent for this type of task is found."
      filters={{ category }}
      atOnce
      note={noteOn}
      choose={({ id }) => choose(id)}
      {...{ text, setText, error }}
    />
  );
}
