import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { wrapAnsi } from 'fast-wrap-ansi';
import pc from 'picocolors';

/** The width of every terminal; no printed line is wider. */
const columns = 80;

const started = performance.now();
/** Where the text of a line begins, behind the seconds. */
const margin = 8;

export const dollars = (cents: number): string => `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;

export const heading = (text: string): void => console.log(`\n${pc.bold(pc.cyan(text))}`);

/** One line of the story, with the seconds since the start. */
export function step(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(5);
  const [first = '', ...rest] = wrap(text, columns - margin);
  console.log([`${pc.dim(`${seconds}s`)}  ${first}`, ...rest.map(indented)].join('\n'));
}

export const aside = (text: string): void => {
  for (const line of wrap(text, columns - margin - 2)) console.log(pc.dim(indented(`  ${line}`)));
};

/** Wraps text; continued lines are indented by this much. */
export const plain = (text: string, inset = 2): void => {
  for (const line of text.split('\n')) console.log(wrap(line, columns, inset).join('\n'));
};

export const good = (text: string): string => pc.green(text);
export const bad = (text: string): string => pc.red(text);

/** Cells hold what fits; the last column takes the rest of the line, broken between words. */
export function table(head: string[], rows: string[][]): void {
  const made = new Table({
    head: head.map((each) => pc.bold(each)),
    colWidths: widths([head, ...rows]),
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  made.push(...rows);
  console.log(made.toString());
}

/** Each column is as wide as its widest line plus a blank on either side; the last one gets the rest. */
function widths(rows: string[][]): number[] {
  const wanted = rows[0]!.map((_, at) => Math.max(...rows.map((row) => widest(row[at] ?? ''))) + 2);
  const borders = wanted.length + 1;
  const left = columns - borders - wanted.slice(0, -1).reduce((sum, width) => sum + width, 0);
  return [...wanted.slice(0, -1), Math.min(wanted.at(-1)!, left)];
}

const shown = (text: string): number => stripVTControlCharacters(text).length;
const widest = (text: string): number => Math.max(...text.split('\n').map(shown));
const indented = (line: string): string => ' '.repeat(margin) + line;

/** Lines of so many characters at most, broken between words; those after the first stand `inset` columns further in. */
function wrap(text: string, width: number, inset = 2): string[] {
  if (shown(text) <= width) return [text];
  const lead = /^ */.exec(text)![0];
  const lines = wrapAnsi(text.trimStart(), width - lead.length - inset, { hard: true }).split('\n');
  return lines.map((line, at) => lead + (at === 0 ? '' : ' '.repeat(inset)) + line);
}
