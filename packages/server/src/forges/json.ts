/**
 * How much JSON text of a forge is parsed. Anybody may run one, and who owns an intake signs what he likes: parsing and
 * checking millions of values would hold up everybody else.
 */
export const jsonLimits = {
  /** Of GitHub's replies, a hundred repositories have the most: about 13,000. */
  values: 30_000,
  /** A hundred repositories take about 600 KB. */
  chars: 1024 ** 2,
  /** Of files and of what people say, where few values have much text. */
  longChars: 8 * 1024 ** 2,
} as const;

/** What there is too much of in a text, in words; null where it may be parsed. */
export function excessOf(text: string, mostChars: number = jsonLimits.chars): string | null {
  if (text.length > mostChars) return `more than ${mostChars} characters`;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if ((char === ',' || char === '{' || char === '[') && ++values > jsonLimits.values)
      return `more than ${jsonLimits.values} values`;
  }
  return null;
}

/** Words have commas too, which are no values. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
