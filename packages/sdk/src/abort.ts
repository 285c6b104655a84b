const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal fires; the returned function takes that back. However many wait for it here, the signal has
 * one listener: a signal that many calls and workers share would make Node warn of a leak otherwise.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  const fire = () => {
    for (const callback of callbacks) callback();
  };
  signal.addEventListener('abort', fire, { once: true });
  return callbacks;
}
