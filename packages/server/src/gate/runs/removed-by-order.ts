import type { TestResult } from './test-result.ts';

const removes = /\b(?:remov|delet|drop|discard|retir|eliminat|abandon|get rid|no longer|take out)/i;

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

/**
 * Whether an order removes what a test was about: it says that something goes, and names it by a word of the test's title
 * that no test of the delivery has.
 */
export function removedByOrder(description: string, now: readonly TestResult[]): (test: TestResult) => boolean {
  if (!removes.test(description)) return () => false;
  const ordered = wordsOf(description);
  const left = new Set(now.flatMap(({ name }) => [...wordsOf(name)]));
  return ({ name }) => [...wordsOf(name)].some((word) => ordered.has(word) && !left.has(word));
}
