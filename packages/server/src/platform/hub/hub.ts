/** Is woken whenever the step writer has logged events. */
export const loggedTopic = 'events';

/**
 * Wakes long polls and event streams that wait for a change. It carries no data: a woken caller reads the database. So
 * a lost or repeated wake-up never shows anything wrong.
 */
export interface Hub {
  notify(topics: Iterable<string>): void;
  /** Calls `listener` at each change of the topic until the returned function is called. */
  subscribe(topic: string, listener: () => void): () => void;
  /**
   * Calls `listener` with each topic that begins so, and with null where some may have been missed, until the returned
   * function is called.
   */
  overhear(prefix: string, listener: (topic: string | null) => void): () => void;
  /** How many listen. */
  waiting(): number;
}

/** A hub of this process alone. */
export interface LocalHub extends Hub {
  /** Wakes everybody, for something may have been missed. */
  notifyAll(): void;
}

export function createHub(): LocalHub {
  const listeners = new Map<string, Set<() => void>>();
  const overhearing = new Set<{ prefix: string; listener: (topic: string | null) => void }>();
  return {
    notify(topics) {
      for (const topic of topics) {
        for (const listener of listeners.get(topic) ?? []) listener();
        for (const { prefix, listener } of overhearing) if (topic.startsWith(prefix)) listener(topic);
      }
    },
    notifyAll() {
      for (const each of listeners.values()) for (const listener of each) listener();
      for (const { listener } of overhearing) listener(null);
    },
    waiting: () => [...listeners.values()].reduce((sum, each) => sum + each.size, overhearing.size),
    overhear(prefix, listener) {
      const each = { prefix, listener };
      overhearing.add(each);
      return () => void overhearing.delete(each);
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(topic);
      };
    },
  };
}
