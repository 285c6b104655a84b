const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal fires; returns a function that removes the callback. All callbacks share one listener.
 * Otherwise Node would warn of a leak when many calls and workers use the same signal.
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
