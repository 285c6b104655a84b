import { redactSecrets } from '../evidence/secret-patterns.ts';

/**
 * Prepares text of the parties as data in the judge's prompt. Invisible characters are named. Text that a tokenizer
 * would take for the frame of a conversation is broken up. Secrets are blanked.
 */

/**
 * Characters that are drawn as nothing, or that change how others are drawn: controls, format characters (zero width,
 * bidirectional, tags), variation selectors, private use, fillers and blanks of several scripts.
 */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what this names.
  /(?:[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u115f\u1160\u2800\u3164\uffa0]|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Co}|\p{Cn})+/gu;

/** Named one by one up to here; a longer run is a hidden text and only counted. */
const namedAtMost = 4;

function named(run: string): string {
  const points = [...run];
  if (points.length > namedAtMost) return `{${points.length} invisible characters}`;
  return points.map((point) => `{U+${point.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}}`).join('');
}

/** Everything that some reader takes for the start of a new line. */
const newlines = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/** `<|im_start|>`, `</s>`, `<start_of_turn>`, `<!--`, `<<SYS>>`, also with a full-width bar; not `a < b` or `x <= 3`. */
const tagStart = /<(?=[|｜/!?<\p{L}])/gu;
/** `[INST]`, `[/INST]`, `[SYSTEM_PROMPT]` and their like. */
const bracketToken = /\[(?=\/?[A-Z][A-Z_]{2,30}\])/g;

function asData(text: string): string {
  return redactSecrets(text.toWellFormed())
    .replace(newlines, '\n')
    .replace(invisible, named)
    .replace(tagStart, '&lt;')
    .replace(bracketToken, '&#91;');
}

const lineChars = 400;

/**
 * The text as lines that all begin with `| `. So no line of any text can be the line that ends the data. Lines too long
 * to be cut by the line are broken.
 */
function quoted(text: string): string[] {
  const lines: string[] = [];
  for (const line of asData(text).split('\n')) {
    for (let at = 0, end = 0; end === 0 || at < line.length; at = end) {
      end = at + lineChars;
      // A character of two units stays whole.
      if (end < line.length && !line.slice(at, end).isWellFormed()) end -= 1;
      lines.push(`| ${line.slice(at, end)}`);
    }
  }
  return lines;
}

export interface Excerpt {
  lines: string[];
  /** Characters that were left out of the middle, where both ends are shown. */
  leftOut: number;
}

const lengthOf = (line: string) => line.length + 1;

/** Reads this many times the shown length from either end, so a megabyte costs no more than that. */
const readPerShown = 2;

/** As much of both ends as fits into `maxChars`, the newlines and prefixes counted; two thirds of it the beginning. */
export function excerptOf(text: string, maxChars: number): Excerpt {
  const read = readPerShown * maxChars;
  const unread = Math.max(0, text.length - 2 * read);
  const lines = unread === 0 ? quoted(text) : [...quoted(text.slice(0, read)), ...quoted(text.slice(-read))];
  const total = lines.reduce((sum, line) => sum + lengthOf(line), unread);
  if (total <= maxChars) return { lines, leftOut: unread };
  const take = (from: readonly string[], room: number) => {
    const taken: string[] = [];
    let used = 0;
    for (const line of from) {
      used += lengthOf(line);
      if (used > room) return { taken, used: used - lengthOf(line) };
      taken.push(line);
    }
    return { taken, used };
  };
  const head = take(lines, Math.floor((maxChars * 2) / 3));
  const tail = take(lines.slice(head.taken.length).reverse(), maxChars - head.used);
  return { lines: [...head.taken, ...tail.taken.reverse()], leftOut: total - head.used - tail.used };
}
