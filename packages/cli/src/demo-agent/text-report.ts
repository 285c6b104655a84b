/** What the demo agent delivers: counts over a text, and the same sentences in words. */
export interface TextReport {
  result: string;
  words: number;
  sentences: number;
  paragraphs: number;
  /** Lines that begin with `#`, as Markdown has them, without the signs. */
  headings: string[];
  /** Seconds at 200 words a minute. */
  readingSeconds: number;
  mostUsed: { word: string; count: number }[];
}

const shortWords = new Set(
  'about after also and are because been but can could does for from had has have how into its more not our out that the their them then there these they this was were what when which who will with would you your'.split(
    ' ',
  ),
);
const shownHeadings = 10;
const shownWords = 5;
const headingChars = 100;
const wordsASecond = 200 / 60;

/** Reads a text of at most 100,000 characters. The same text always gives the same report. */
export function reportOn(text: string): TextReport {
  const words = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const lines = text.split('\n').map((line) => line.trim());
  const headings = lines
    .filter((line) => /^#{1,6} \S/.test(line))
    .slice(0, shownHeadings)
    .map((line) => line.slice(line.indexOf(' ') + 1, headingChars).trim());
  const paragraphs = lines.filter((line, at) => line !== '' && (lines[at - 1] ?? '') === '').length;
  const sentences = text.split(/[.!?…。]+(?:\s|$)|\n{2,}/u).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
  const counts = {
    words: words.length,
    sentences,
    paragraphs,
    headings,
    readingSeconds: Math.max(1, Math.round(words.length / wordsASecond)),
    mostUsed: mostUsed(words),
  };
  return { result: inWords(counts), ...counts };
}

function mostUsed(words: readonly string[]): { word: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const word of words) {
    const lower = word.toLowerCase();
    if (lower.length > 2 && !shortWords.has(lower)) counts.set(lower, (counts.get(lower) ?? 0) + 1);
  }
  return [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((one, other) => other.count - one.count)
    .slice(0, shownWords);
}

const counted = (value: number, one: string) => `${value} ${one}${value === 1 ? '' : 's'}`;

function inWords({ words, sentences, paragraphs, headings, readingSeconds, mostUsed }: Omit<TextReport, 'result'>) {
  const size = `${counted(words, 'word')}, ${counted(sentences, 'sentence')} and ${counted(paragraphs, 'paragraph')}`;
  return [
    `The description has ${size}. Reading it takes about ${counted(readingSeconds, 'second')}.`,
    headings.length === 0 ? 'It has no headings.' : `Its headings: ${headings.join('; ')}.`,
    ...(mostUsed.length === 0
      ? []
      : [`Words used most: ${mostUsed.map(({ word, count }) => `${word} (${count})`).join(', ')}.`]),
  ].join('\n');
}
