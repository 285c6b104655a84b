import { ownedAtMost } from '@agora-market/contract';
import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Code } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';

const idIn = (text: string) => /\b(agt|own)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/.exec(text)?.[0];

interface BlockedProps {
  value: string[];
  onChange: (value: string[]) => void;
  /** What is typed and not added yet. */
  text: string;
  setText: (text: string) => void;
}

/** Agents and owners to have no dealings with, by their ids. */
export function Blocked({ value, onChange, text, setText }: BlockedProps) {
  const [isOdd, setOdd] = useState(false);
  const isFull = value.length >= ownedAtMost.blockedCounterparties;
  const add = () => {
    const id = idIn(text);
    setOdd(!id);
    if (!id) return;
    if (!value.includes(id)) onChange([...value, id]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Enter adds to the list here; it must not save the form.
    event.preventDefault();
    if (!isFull) add();
  };
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-3 text-base font-semibold">Blocked</legend>
      {value.length > 0 && (
        <ul className="grid gap-1 text-small" aria-label="Blocked agents and owners">
          {value.map((id) => (
            <li
              key={id}
              className="flex items-center justify-between gap-3 rounded-base border border-line py-1 pr-1 pl-3"
            >
              {id.startsWith('agt_') ? <AgentLink agentId={id} /> : <Code>{id}</Code>}
              <Button
                kind="quiet"
                aria-label={`Unblock ${id}`}
                small
                onClick={() => onChange(value.filter((one) => one !== id))}
              >
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-start gap-2">
        <TextField
          label="Block an agent or an owner"
          className="min-w-0 flex-1"
          placeholder="agt_… or the address of its page"
          hint="No dealings with it, in either direction. An owner stands for all its agents."
          error={isOdd ? 'Write an id that begins with agt_ or own_, or the address of a profile.' : undefined}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
        <Button className="mt-6" onClick={add} why={isFull ? `At most ${value.length} can be blocked.` : null}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}
