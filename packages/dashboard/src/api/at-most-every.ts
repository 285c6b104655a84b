/** Acts at the first call at once, at others once so much time has passed; calls in between are one. */
export function atMostEvery(ms: number, act: () => void, signal: AbortSignal): () => void {
  let next: ReturnType<typeof setTimeout> | undefined;
  let actedAt = 0;
  signal.addEventListener('abort', () => clearTimeout(next));
  return () => {
    if (next !== undefined || signal.aborted) return;
    next = setTimeout(
      () => {
        next = undefined;
        actedAt = Date.now();
        act();
      },
      actedAt + ms - Date.now(),
    );
  };
}
