/** Numbers from 0 up to 1 that a seed fixes: Mulberry32, small and good enough to try things out. */
export function chance(...seeds: number[]): () => number {
  let state = seeds.reduce((sum, seed) => Math.imul(sum ^ (seed + 0x9e3779b9), 0x85ebca6b), 0x2545f491);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  // The first numbers of seeds that differ by one are alike.
  for (let i = 0; i < 8; i++) next();
  return next;
}

export type Chance = () => number;

export const below = (random: Chance, n: number): number => Math.floor(random() * n);

export const pick = <T>(random: Chance, list: readonly T[]): T => list[below(random, list.length)] as T;

/** Fisher and Yates. */
export function shuffled<T>(random: Chance, list: readonly T[]): T[] {
  const all = [...list];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = below(random, at + 1);
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

/** Box and Muller. */
export const normal = (random: Chance, mean: number, deviation: number): number =>
  mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
