import { diffLines } from 'diff';
import type { TestResult } from './test-result.ts';

const removes = /\b(?:remov|delet|drop|discard|retir|eliminat|abandon|get rid|no longer|take out)/i;

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

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

/** Whether an order removes something together with its tests. */
export const removesTests = (description: string) =>
  removes.test(description) && /\b(?:tests?|specs?)\b/i.test(description);

const maxEdits = 5_000;
const partsOf = (text: string) => text.match(/[\p{L}\p{N}_]+|\S/gu) ?? [];

/** Whether a text is another of which parts were left out. */
function isShortened(text: string, whole: string): boolean {
  const parts = partsOf(text);
  let at = 0;
  for (const part of partsOf(whole)) if (part === parts[at]) at += 1;
  return at === parts.length;
}

/**
 * A delivered file of tests, if it is the buyer's without what an order removes; else the buyer's. Each place at which
 * they differ has lost a word that the order has and that is nowhere in the delivered file, and has gained nothing.
 */
export function withoutOrdered(original: string, delivered: string | null, description: string): string {
  if (delivered === null) return original;
  const left = wordsOf(delivered);
  const gone = [...wordsOf(description)].filter((word) => !left.has(word));
  const changes = diffLines(original, delivered, { maxEditLength: maxEdits }) ?? null;
  const isOrdered = changes?.every((change, at) => {
    if (change.added) return isShortened(change.value, changes[at - 1]?.removed ? changes[at - 1]!.value : '');
    if (!change.removed || change.value.trim() === '') return true;
    const words = wordsOf(change.value);
    return gone.some((word) => words.has(word));
  });
  return isOrdered ? delivered : original;
}
