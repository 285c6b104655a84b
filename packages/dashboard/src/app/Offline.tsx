import { useSyncExternalStore } from 'react';

const subscribe = (listener: () => void) => {
  for (const event of ['online', 'offline']) addEventListener(event, listener);
  return () => {
    for (const event of ['online', 'offline']) removeEventListener(event, listener);
  };
};

/** Says so as long as there is no network. It stands among the messages, so that it moves nothing. */
export function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (isOnline) return null;
  return (
    <p className="rounded-base border border-line-strong bg-warn-wash px-4 py-2 text-small shadow-raised">
      You are offline. What you see may be old.
    </p>
  );
}
