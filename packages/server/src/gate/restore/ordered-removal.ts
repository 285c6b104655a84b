import { diffLines } from 'diff';
import { removals, wordsOf } from '../runs/removed-by-order.ts';

/** Words of such orders that name nothing. */
const common = new Set(
  'all also and any are but class code down feature file files for format from function functions get into its longer make method module must not our out pass rid spec specs take test tests that the their them then these this those together with you your'.split(
    ' ',
  ),
);

/** More lines than a removed feature has; comparing costs the square of it. */
const maxEdits = 400;
const partsOf = (text: string) => text.match(/[\p{L}\p{N}_]+|\S/gu) ?? [];

/** Whether a text is another of which parts were left out. */
function isShortened(text: string, whole: string): boolean {
  const parts = partsOf(text);
  let at = 0;
  for (const part of partsOf(whole)) if (part === parts[at]) at += 1;
  return at === parts.length;
}

const declares =
  /^\s*(?:(?:test|it|describe|suite|context)\b\s*[.(]|(?:async )?def test|class \w|func Test|#\[test\]|@\w)/;
const imports = /^\s*(?:import\b|from\b|use\b|(?:const|let|var)\b.*\brequire\()/;

const count = (text: string, sign: string) => text.split(sign).length - 1;
const isBalanced = (text: string) =>
  ['()', '[]', '{}'].every(([open, close]) => count(text, open!) === count(text, close!));

/**
 * A delivered file of tests, if it is the buyer's without what an order removes; else the buyer's. Only whole tests may
 * be gone, whose first line has a word that the order names and that is nowhere in the delivered file, and names of
 * imports.
 */
export function withoutOrdered(original: string, delivered: string | null, description: string): string {
  if (delivered === null) return original;
  const left = wordsOf(delivered);
  const ordered = removals(description).flatMap((each) => [...wordsOf(each)]);
  const gone = new Set(ordered.filter((word) => word.length > 2 && !common.has(word) && !left.has(word)));
  const names = (text: string) => [...wordsOf(text)].some((word) => gone.has(word));
  const changes = diffLines(original, delivered, { maxEditLength: maxEdits });
  const isOrdered = changes?.every(({ added, removed, value }, at) => {
    if (added) {
      const before = changes[at - 1];
      return before?.removed === true && imports.test(before.value) && isShortened(value, before.value);
    }
    if (!removed || value.trim() === '') return true;
    if (!names(value)) return false;
    if (changes[at + 1]?.added || imports.test(value))
      return value
        .trim()
        .split('\n')
        .every((line) => imports.test(line));
    const first = value.trimStart().split('\n', 1)[0]!;
    return declares.test(first) && names(first) && isBalanced(value);
  });
  return isOrdered ? delivered : original;
}
