import type { Seen } from './sql.ts';

/** Looks, and not time: a process that was held up itself must not take the others for silent. */
const quietAfter = 3;

/**
 * How long each other process has been silent. Only what this process saw counts. So neither a database outage nor a
 * changed clock makes anybody dead.
 */
export function createWatch(deadMs: number) {
  const seen = new Map<string, { beats: number; sinceMs: number; looks: number }>();
  return {
    /** Forgets what was seen and starts to count again. */
    reset: () => seen.clear(),
    /** Whether nothing was heard of it in the last looks, so that nothing new is begun there. */
    isQuiet: (id: string): boolean => (seen.get(id)?.looks ?? 0) >= quietAfter,
    /** Looks once more: those of the given that have been silent for too long. */
    silent(others: Seen[], nowMs: number): Seen[] {
      const ids = new Set(others.map(({ id }) => id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      return others.filter(({ id, beats }) => {
        const last = seen.get(id);
        if (last?.beats === beats) {
          last.looks += 1;
          return nowMs - last.sinceMs > deadMs;
        }
        seen.set(id, { beats, sinceMs: nowMs, looks: 0 });
        return false;
      });
    },
  };
}
