/** Counts by key, for example what each owner has under way. Only keys that count something are kept. */
export interface Tally {
  of(key: string): number;
  /** Counts one more; the returned function, called once, takes it away. */
  add(key: string): () => void;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (key: string) => counts.get(key) ?? 0;
  const set = (key: string, count: number) => (count > 0 ? counts.set(key, count) : counts.delete(key));
  return {
    of,
    add(key) {
      set(key, of(key) + 1);
      return () => void set(key, of(key) - 1);
    },
  };
}
