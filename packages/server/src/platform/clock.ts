/** The only source of time outside measurement. Tests and the simulation inject their own. */
export interface Clock {
  now(): Date;
  /** Calls `act` when this many milliseconds have passed, unless the function it returns is called before. */
  after(ms: number, act: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A clock that a test moves by hand. Waits on it end only when the test moves it past their time, so none ends early
 * because the machine is busy.
 */
export function manualClock(start: string | Date): Clock & { advance(ms: number): void; set(at: string | Date): void } {
  let at = new Date(start).getTime();
  const waiting = new Set<{ dueMs: number; act: () => void }>();
  const moveTo = (ms: number) => {
    at = ms;
    const due = [...waiting].filter(({ dueMs }) => dueMs <= at).sort((a, b) => a.dueMs - b.dueMs);
    for (const wait of due) if (waiting.delete(wait)) wait.act();
  };
  return {
    now: () => new Date(at),
    after(ms, act) {
      const wait = { dueMs: at + ms, act };
      waiting.add(wait);
      return () => void waiting.delete(wait);
    },
    advance: (ms) => moveTo(at + ms),
    set: (to) => moveTo(new Date(to).getTime()),
  };
}
