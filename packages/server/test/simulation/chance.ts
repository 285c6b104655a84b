/** Chance that is the same everywhere and every time: a seed fixes all that is drawn from it. */
export interface Chance {
  below(n: number): number;
  of<T>(list: readonly T[]): T;
  yes(share: number): boolean;
  /** The same things in another order. */
  shuffled<T>(list: readonly T[]): T[];
}

/** Mulberry32: small, and good enough to try things out. */
export function chance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    of: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    yes: (share) => next() < share,
    shuffled: (list) =>
      list
        .map((each) => ({ each, order: below(1_000_000) }))
        .sort((a, b) => a.order - b.order)
        .map(({ each }) => each),
  };
}

/**
 * A number from 0 up to 1 that depends on what it is about and on nothing else, for decisions that several tasks of one
 * process may come to in any order.
 */
export function fate(...about: (number | string)[]): number {
  let hash = 2166136261;
  for (const character of about.join(' ')) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
  return chance(hash).below(1_000_000) / 1_000_000;
}

interface Drawing {
  random: Chance;
}

export const some = <T>({ random }: Drawing, list: readonly T[]): T | undefined =>
  list.length > 0 ? random.of(list) : undefined;

/** Mostly one of the newest, which is where things still happen. */
export const recent = <T>(world: Drawing, list: readonly T[]): T | undefined =>
  some(world, world.random.yes(0.9) ? list.slice(-6) : list);
