import { type ReactNode, useSyncExternalStore } from 'react';
import { Button } from './Button.tsx';

interface Message {
  id: number;
  text: string;
  undo?: () => void;
}

let messages: readonly Message[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Message[]): void {
  messages = next;
  for (const tell of listeners) tell();
}

const drop = (id: number) => set(messages.filter((message) => message.id !== id));

/** Says what was done, for some seconds. With `undo` it can be taken back meanwhile. */
export function say(text: string, undo?: () => void): void {
  const id = ++last;
  set([...messages.slice(-2), { id, text, ...(undo && { undo }) }]);
  setTimeout(() => drop(id), undo ? 10_000 : 5_000);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Where `say` is heard; once in the whole page. Its children stand below what is said. */
export function Toasts({ children }: { children?: ReactNode }) {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <div
      role="status"
      className="screen-only pointer-events-none fixed inset-x-0 bottom-4 z-40 grid justify-items-center gap-2 px-4"
    >
      {shown.map(({ id, text, undo }) => (
        <div
          key={id}
          className="pointer-events-auto flex items-center gap-3 rounded-base bg-ink px-4 py-2 text-small text-canvas shadow-raised"
        >
          {text}
          {undo && (
            <Button
              className="min-h-7 border-transparent bg-canvas/15 px-2 text-canvas hover:bg-canvas/25"
              onClick={() => {
                drop(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
        </div>
      ))}
      {children}
    </div>
  );
}
