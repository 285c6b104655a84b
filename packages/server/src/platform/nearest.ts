/** Longer names are not compared, so that a search is always cheap. */
const maxChars = 40;

/**
 * The known name that a given one probably means: equal except for case and punctuation, one or two typing errors away,
 * or a long one with an addition. Null if none is near.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > maxChars) return null;
  const plain = plainly(given);
  const byDistance = known
    .map((name) => ({ name, off: distance(plain, plainly(name)), allowed: Math.max(1, Math.floor(name.length / 5)) }))
    .filter(({ off, allowed }) => off <= allowed)
    .sort((a, b) => a.off - b.off);
  return byDistance[0]?.name ?? known.find((name) => name.length > 5 && plain.startsWith(plainly(name))) ?? null;
}

const plainly = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Letters to change, add or leave out to make one of the other; swapping two neighbours counts as one (OSA). */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? (before[j - 2] as number) + 1 : Infinity;
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost, swap);
    }
    before = row;
    row = next;
  }
  return row[to.length] as number;
}
