import type { Clock } from '../clock.ts';

/**
 * Remembers what was last read or written, so that a rule need not read it again. It is only a hint: the next step
 * checks in the database, and a caller refused by a hint is checked with a fresh read.
 */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  /** Keeps a value that weighs about so many bytes; those kept first go when there is no room. */
  set(key: string, value: Value, bytes: number): void;
  delete(key: string): void;
  /** Forgets old entries. */
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
