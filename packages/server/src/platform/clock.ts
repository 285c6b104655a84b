/** The only source of time outside measurement. Tests and the simulation inject their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that a test moves by hand. */
export function manualClock(start: string | Date): Clock & { advance(ms: number): void; set(at: string | Date): void } {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at += ms;
    },
    set: (to) => {
      at = new Date(to).getTime();
    },
  };
}
