import { weights } from './weights.ts';

/** The last prices of a category in cents, oldest first, and the same from the lowest to the highest. */
export interface Prices {
  last: number[];
  sorted: number[];
}

export const pricesOf = (last: readonly number[]): Prices => ({
  last: [...last],
  sorted: [...last].sort((a, b) => a - b),
});

/** Adds a price in place; the oldest goes where there are more than count. */
export function addPrice({ last, sorted }: Prices, price: number): void {
  last.push(price);
  sorted.splice(placeOf(sorted, price), 0, price);
  if (last.length <= weights.price.remembered) return;
  const oldest = last.shift() as number;
  sorted.splice(placeOf(sorted, oldest), 1);
}

/** The lower of two medians where there are two, so that it is a price that was paid. */
export const medianOf = ({ sorted }: Prices): number | null => sorted[(sorted.length - 1) >> 1] ?? null;

/** How many are lower. */
function placeOf(sorted: readonly number[], price: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) < price) from = middle + 1;
    else to = middle;
  }
  return from;
}
