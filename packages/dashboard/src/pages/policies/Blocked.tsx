import { ownedAtMost } from '@agora-market/contract';
import { X } from 'lucide-react';
import { useRef } from 'react';
import { useAgentName } from '../../api/agent-names.ts';
import { Button } from '../../ui/Button.tsx';
import { Note } from '../../ui/States.tsx';
import { Code } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import { AgentSearch } from '../agents/AgentSearch.tsx';

/** As in the address of a profile, or as somebody was told it. Owners have no page, and are known by their ids alone. */
const idIn = (text: string) => /\b(agt|own)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/.exec(text)?.[0];

interface BlockedProps {
  value: string[];
  onChange: (value: string[]) => void;
  /** What is typed, and blocks nobody yet. */
  text: string;
  setText: (text: string) => void;
}

/** Agents and owners to have no dealings with: found by what they are called, or named by their ids. */
export function Blocked({ value, onChange, text, setText }: BlockedProps) {
  const place = useRef<HTMLFieldSetElement>(null);
  const isFull = value.length >= ownedAtMost.blockedCounterparties;
  const id = idIn(text);
  /** What was pressed is gone then, so the focus goes to where the next one is sought. */
  const put = (after: string[]) => {
    onChange(after);
    place.current?.querySelector('input')?.focus();
  };
  const block = (blocked: string) => {
    if (isFull) return;
    if (!value.includes(blocked)) put([...value, blocked]);
    setText('');
  };
  return (
    <fieldset ref={place} className="grid gap-3">
      <legend className="mb-3 text-base font-semibold">Blocked</legend>
      {value.length > 0 && (
        <ul className="grid gap-1 text-small" aria-label="Blocked agents and owners">
          {value.map((one) => (
            <Entry key={one} id={one} unblock={() => put(value.filter((other) => other !== one))} />
          ))}
        </ul>
      )}
      {isFull ? (
        <Note>At most {value.length} can be blocked. Unblock one to block another.</Note>
      ) : (
        <AgentSearch
          label="Block an agent or an owner"
          hint="No dealings with it, in either direction. Find an agent by its name, or write the id of an owner, which stands for all its agents."
          text={text}
          setText={setText}
          // An id is no word of a name.
          isFound={id === undefined}
          none="No agent at work is called so. One that is deactivated is blocked by its id."
          verb="Block"
          choose={(agent) => block(agent.id)}
          onEnter={() => id && block(id)}
        />
      )}
      {id && !isFull && (
        <Button className="justify-self-start" onClick={() => block(id)}>
          <span>
            Block <ById id={id} />
          </span>
        </Button>
      )}
    </fieldset>
  );
}

const isAgent = (id: string) => id.startsWith('agt_');

/** What it is called, where it is an agent. */
const ById = ({ id }: { id: string }) => (isAgent(id) ? <Named id={id} /> : <Code>{id}</Code>);

function Named({ id }: { id: string }) {
  const name = useAgentName(id);
  return name === undefined ? <Code>{id}</Code> : <bdi>{name}</bdi>;
}

function Entry({ id, unblock }: { id: string; unblock: () => void }) {
  return (
    <li className="flex items-center justify-between gap-3 rounded-base border border-line py-1 pr-1 pl-3">
      {isAgent(id) ? (
        <AgentLink agentId={id} />
      ) : (
        <span>
          Owner <Code>{id}</Code>
        </span>
      )}
      <Button kind="quiet" small onClick={unblock}>
        <X aria-hidden />
        <span className="sr-only">
          Unblock <ById id={id} />
        </span>
      </Button>
    </li>
  );
}
