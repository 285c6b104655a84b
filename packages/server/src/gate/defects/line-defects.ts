import { posix } from 'node:path';

/**
 * Defects of one line, as people make them and as a trial of each showed that tests notice them: off by one, another
 * comparison, another constant, a negation.
 */

interface Rule {
  from: RegExp;
  to: (found: string) => string;
}

const swapped = (...pairs: [string, string][]) => {
  const others = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  return (found: string) => others.get(found)!;
};

const rules: Rule[] = [
  { from: /(?<=[+-] )1\b(?!\.)/g, to: () => '2' },
  { from: /(?<![\w.$#%:'"-])\d{1,4}(?![\w.'"])/g, to: (digits) => String(Number(digits) + 1) },
  { from: /(?<= )(?:<=|>=|<|>)(?= )/g, to: swapped(['<', '<='], ['>', '>=']) },
  { from: /(?<= )(?:===|!==|==|!=)(?= )/g, to: swapped(['===', '!=='], ['==', '!=']) },
  { from: /(?<=\w\)? )[+-](?= \w)/g, to: swapped(['+', '-']) },
  { from: /(?<= )(?:and|or|&&|\|\|)(?= )/g, to: swapped(['and', 'or'], ['&&', '||']) },
  { from: /\b(?:true|false|True|False)\b/g, to: swapped(['true', 'false'], ['True', 'False']) },
  { from: /(?<= )-(?:eq|ne|lt|le|gt|ge)(?= )/g, to: swapped(['-eq', '-ne'], ['-lt', '-le'], ['-gt', '-ge']) },
  { from: /\b(?:min|max|Min|Max)(?=\()/g, to: swapped(['min', 'max'], ['Min', 'Max']) },
];

type Family = 'hash' | 'slash';

const families: Record<Family, RegExp> = {
  hash: /\.(?:py|sh|bash|rb)$/,
  slash: /\.(?:[cm]?[jt]sx?|go|rs|c|h|cc|cpp|hpp|java|kt|cs|php|swift)$/,
};

/** Lines that only say something, or that no program runs. */
const silent: Record<Family, RegExp> = {
  hash: /^\s*(?:#|"""|'''|@|import |from )/,
  slash: /^\s*(?:\/\/|\/?\*|#|@|import |package |use |'use|(?:debug_)?assert)/,
};

/** How a language writes what is not run; null for a file that is no program. */
export const familyOf = (path: string): Family | null =>
  (['hash', 'slash'] as const).find((family) => families[family].test(path)) ?? null;

/** A line that changes nothing. */
export const remark = (family: Family, word: string) => `${family === 'hash' ? '#' : '//'} ${word}`;

/** The line with one more blank where one stands before a place, which changes nothing either. */
export const wider = (line: string, at: number) =>
  / \S/.test(line.slice(at - 1, at + 1)) && /\S/.test(line.slice(0, at))
    ? `${line.slice(0, at)} ${line.slice(at)}`
    : line;

const isQuoted = (line: string, at: number) => (line.slice(0, at).match(/(?<!\\)["'`]/g) ?? []).length % 2 === 1;
const isRemark = (line: string, at: number) => /\/\/|#/.test(line.slice(0, at));

/** Longer lines are data or were made by a program. */
const maxLineChars = 200;

export interface LineDefect {
  /** From 0. */
  line: number;
  /** Where in the line it begins. */
  at: number;
  /** The line with the defect. */
  text: string;
}

/** Every line of a program with one thing changed. */
export function* lineDefects(path: string, content: string): Generator<LineDefect> {
  const family = familyOf(path);
  if (family === null) return;
  const extension = posix.extname(path);
  let isDocstring = false;
  for (const [line, text] of content.split('\n').entries()) {
    // Tests of Rust stand at the end of the work.
    if (extension === '.rs' && text.includes('#[cfg(test)]')) return;
    const wasDocstring = isDocstring;
    const quotes = extension === '.py' ? (text.match(/"""|'''/g) ?? []).length : 0;
    if (quotes % 2 === 1) isDocstring = !isDocstring;
    if (wasDocstring || isDocstring || silent[family].test(text) || text.length > maxLineChars) continue;
    for (const { from, to } of rules) {
      for (const { 0: found, index } of text.matchAll(from)) {
        if (isQuoted(text, index) || isRemark(text, index)) continue;
        yield { line, at: index, text: text.slice(0, index) + to(found) + text.slice(index + found.length) };
      }
    }
  }
}

export function withLine(content: string, { line, text }: Pick<LineDefect, 'line' | 'text'>): string {
  const lines = content.split('\n');
  lines[line] = text;
  return lines.join('\n');
}
