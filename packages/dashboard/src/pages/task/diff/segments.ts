import { firstMark, type Marks } from '../../../reading/marks.ts';

/** A stretch of a line that looks alike. */
export interface Segment {
  text: string;
  look: number | null;
  /** It is what somebody looks for. */
  isFound: boolean;
  /** It differs from the line that this one replaces, or is replaced by. */
  isChanged: boolean;
  /** Characters that would change the order of those around them: shown by their numbers. */
  isControl: boolean;
}

/** Above so many characters, the rest of a line is for the download. */
export const mostLineChars = 2_000;

/** They make a line read otherwise than it runs (CVE-2021-42574). */
const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** From where to where a line is another than the one beside it; null where they have little in common. */
export function changedPart(line: string, other: string): { from: number; to: number } | null {
  const shorter = Math.min(line.length, other.length, mostLineChars);
  let from = 0;
  while (from < shorter && line[from] === other[from]) from += 1;
  let same = 0;
  while (same < shorter - from && line.at(-1 - same) === other.at(-1 - same)) same += 1;
  const to = line.length - same;
  return (from + same) * 3 < line.trimStart().length || to === from ? null : { from, to };
}

/** What else is known of a line. */
interface About {
  marks: Marks | null;
  /** What is looked for. */
  words: string;
  changed?: { from: number; to: number } | null;
}

/** A line as stretches, from its place in the text. */
export function segmentsOf(text: string, start: number, end: number, { marks, words, changed }: About): Segment[] {
  const line = text.slice(start, Math.min(end, start + mostLineChars));
  const cuts = new Set([0, line.length]);
  const lookAt = marks ? looksOf(marks, start, line.length, cuts) : [];
  const found = wordsIn(line, words, cuts);
  const odd = [...line.matchAll(controls)].map(({ index }) => index);
  if (changed) cuts.add(Math.min(changed.from, line.length)).add(Math.min(changed.to, line.length));
  for (const place of odd) cuts.add(place).add(place + 1);
  const places = [...cuts].sort((one, other) => one - other);
  return places.slice(0, -1).map((place, nth) => {
    const until = places[nth + 1] as number;
    const part = line.slice(place, until);
    const isControl = odd.includes(place);
    return {
      text: isControl ? `U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` : part,
      look: lookAt.find(({ from, to }) => from <= place && until <= to)?.look ?? null,
      isFound: found.some((from) => from <= place && until <= from + words.length),
      isChanged: changed ? changed.from <= place && until <= changed.to : false,
      isControl,
    };
  });
}

interface Marked {
  from: number;
  to: number;
  look: number;
}

function looksOf(marks: Marks, start: number, length: number, cuts: Set<number>): Marked[] {
  const found: Marked[] = [];
  for (let at = firstMark(marks, start); at < marks.length; at += 3) {
    const from = Math.max(0, (marks[at] as number) - start);
    if (from >= length) break;
    const to = Math.min(length, (marks[at + 1] as number) - start);
    cuts.add(from).add(to);
    found.push({ from, to, look: marks[at + 2] as number });
  }
  return found;
}

function wordsIn(line: string, words: string, cuts: Set<number>): number[] {
  if (words === '') return [];
  const [lower, wanted] = [line.toLowerCase(), words.toLowerCase()];
  // Where small letters are longer, places would not fit.
  if (lower.length !== line.length) return [];
  const found: number[] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    found.push(at);
    cuts.add(at).add(at + wanted.length);
  }
  return found;
}
