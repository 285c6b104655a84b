import type { TestResult } from './test-result.ts';

const removes =
  /\b(?:remov(?:e|es|ed|ing|al)|delet(?:e|es|ed|ing|ion)|drop(?:s|ped|ping)?|discard(?:s|ed|ing)?|retir(?:e|es|ed|ing)|eliminat(?:e|es|ed|ing)|abandon(?:s|ed|ing)?|get rid|no longer|take out)\b/i;

export const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

/**
 * Whether an order removes what a test was about: it says that something goes, and names it by a word of the test's title
 * that no test of the delivery has.
 */
export function removedByOrder(description: string, now: readonly TestResult[]): (test: TestResult) => boolean {
  // Where no test ran, nothing tells what is left.
  if (!removes.test(description) || now.length === 0) return () => false;
  const ordered = wordsOf(description);
  const left = new Set(now.flatMap(({ name }) => [...wordsOf(name)]));
  return ({ name }) => [...wordsOf(name)].some((word) => ordered.has(word) && !left.has(word));
}

/** The sentences of an order that remove something together with its tests. */
export const removals = (description: string) =>
  description.split(/(?<=[.;!?])\s+|\n/).filter((each) => removes.test(each) && /\b(?:tests?|specs?)\b/i.test(each));

/** Whether an order removes something together with its tests. */
export const removesTests = (description: string) => removals(description).length > 0;
