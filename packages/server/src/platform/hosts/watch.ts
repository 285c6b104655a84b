import type { Seen } from './sql.ts';

/**
 * How long each other process has been silent. Only what this process saw counts. So neither a database outage nor a
 * changed clock makes anybody dead.
 */
export function createWatch(deadMs: number) {
  const seen = new Map<string, { beats: number; sinceMs: number }>();
  return {
    /** Forgets what was seen and starts to count again. */
    reset: () => seen.clear(),
    /** Those of the given that have been silent for too long, or for longer than `forMs`. */
    silent(others: Seen[], nowMs: number, forMs = deadMs): Seen[] {
      const ids = new Set(others.map(({ id }) => id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      return others.filter(({ id, beats }) => {
        const last = seen.get(id);
        if (last?.beats === beats) return nowMs - last.sinceMs > forMs;
        seen.set(id, { beats, sinceMs: nowMs });
        return false;
      });
    },
  };
}
