import type { Broken, ComparedRuns, Some } from '../runs/compare.ts';

/** The gate's words for tests. Their names are quotations, because some readers may not know them. */

export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

export const namesOf = (broken: Some<Broken>) => broken.first.map(({ id, now }) => `${id} (${now})`);

export function saidOfBroken({ broken, kept }: ComparedRuns): string {
  const [noun, verb] = broken.count === 1 ? ['test', 'passes'] : ['tests', 'pass'];
  const others = kept === 0 ? 'no other does' : `${kept} still ${kept === 1 ? 'does' : 'do'}`;
  return `${broken.count} ${noun} that passed over the buyer's untouched files no longer ${verb}; ${others}.`;
}
