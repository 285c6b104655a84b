import type { Seen } from './sql.ts';

/**
 * Since when nothing new was heard of each other process. Only what was seen from here counts, so that a database that
 * was away for a while, or a clock that was set, makes nobody dead.
 */
export function createWatch(deadMs: number) {
  const seen = new Map<string, { beats: number; sinceMs: number }>();
  return {
    /** Forgets what was seen: it begins to count anew. */
    reset: () => seen.clear(),
    /** Those of the given that have been silent for too long. */
    silent(others: Seen[], nowMs: number): Seen[] {
      const ids = new Set(others.map(({ id }) => id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      return others.filter(({ id, beats }) => {
        const last = seen.get(id);
        if (last?.beats === beats) return nowMs - last.sinceMs > deadMs;
        seen.set(id, { beats, sinceMs: nowMs });
        return false;
      });
    },
  };
}
