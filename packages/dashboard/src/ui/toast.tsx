import { type ReactNode, useSyncExternalStore } from 'react';

interface Message {
  id: number;
  content: ReactNode;
}

let messages: readonly Message[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Message[]): void {
  messages = next;
  for (const tell of listeners) tell();
}

/** Shows something over the page, until what its content is given is called; that is returned as well. */
export function tell(content: (drop: () => void) => ReactNode): () => void {
  const id = ++last;
  const drop = () => set(messages.filter((message) => message.id !== id));
  set([...messages.slice(-2), { id, content: content(drop) }]);
  return drop;
}

/** Says what was done, for some seconds. Where it can be taken back, use `sayUndo`. */
export const say = (text: string): void =>
  void setTimeout(
    tell(() => text),
    5_000,
  );

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
      {shown.map(({ id, content }) => (
        <div
          key={id}
          className="pointer-events-auto rounded-base bg-ink px-4 py-2 text-small text-canvas shadow-raised"
        >
          {content}
        </div>
      ))}
      {children}
    </div>
  );
}
