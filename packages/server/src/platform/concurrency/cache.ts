import type { Clock } from '../clock.ts';

/**
 * Remembers what was last read or written, so that a rule need not read it again. It is a hint and never the truth:
 * the step that follows checks in the database whatever may have changed, and who is refused by a hint reads afresh.
 */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  /** Keeps a value that weighs about so many bytes; those kept first go when there is no room. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
  /** Forgets what was kept too long ago. */
  trim(): void;
}

export function createCache<Value>(
  clock: Clock,
  { maxBytes, maxAgeMs }: { maxBytes: number; maxAgeMs: number },
): Cache<Value> {
  const kept = new Map<string, { value: Value; bytes: number; until: number }>();
  let total = 0;

  function remove(key: string) {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  /** The oldest stand first. */
  function trim(now = clock.now().getTime()) {
    for (const [key, { until }] of kept) {
      if (total <= maxBytes && until > now) break;
      remove(key);
    }
  }

  return {
    get: (key) => kept.get(key)?.value,
    set(key, value, bytes) {
      remove(key);
      if (bytes > maxBytes) return;
      const now = clock.now().getTime();
      kept.set(key, { value, bytes, until: now + maxAgeMs });
      total += bytes;
      trim(now);
    },
    delete: remove,
    trim: () => trim(),
  };
}
