import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { Help } from 'commander';
import { createColors } from 'picocolors';
import type { JsonOption } from './options.ts';

const { NO_COLOR, TERM } = process.env;
const mayColour = !NO_COLOR && TERM !== 'dumb';

/** Colours for stdout and for stderr: only on a terminal, and never where NO_COLOR is set. */
export const colours = createColors(mayColour && process.stdout.isTTY === true);
export const errorColours = createColors(mayColour && process.stderr.isTTY === true);

/** Control characters but tab and line feed, and those that turn the direction of what follows. */
const unprintable = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text of strangers, made safe for a terminal: it can move no cursor, set no title or clipboard, and pass for nothing
 * else by a turned direction. Lines and tabs stay.
 */
export const safe = (text: string): string => stripVTControlCharacters(text).replace(unprintable, '');

/** The same on one line of at most so many characters. */
export function safeLine(text: string, most = 60): string {
  const line = safe(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** JSON in which every control character is escaped, so that it is safe on a terminal, and the same JSON. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value ?? null, null, 2).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Prints a result: as one JSON document where that is asked for, else as text for people. */
export function print(options: JsonOption, value: unknown, text: (() => string) | string): void {
  console.log(options.json ? toJson(value) : typeof text === 'string' ? text : text());
}

const borderless = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
    .split(' ')
    .map((place) => [place, '']),
);

/**
 * Rows below a heading, without lines; on a terminal that is too narrow for them, each row as names and values below one
 * another. Cells of strangers must be `safeLine`.
 */
export function table(head: string[], rows: Cell[][], columns = process.stdout.columns): string {
  const wide = wideTable(head, rows);
  if (!columns || wide.split('\n').every((line) => stripVTControlCharacters(line).length <= columns)) return wide;
  const width = Math.max(...head.map((name) => name.length));
  const lineOf = (name: string, cell: Cell) => {
    const lines = wrapped(String(cell ?? '–'), columns - width - 2);
    return `${colours.dim(name.padEnd(width))}  ${lines.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`;
  };
  return rows.map((row) => head.map((name, at) => lineOf(name, row[at] ?? null)).join('\n')).join('\n\n');
}

type Cell = string | number | null;

/** Text in lines of so many characters, broken between words, as in the help of the command; a longer word is cut. */
export function wrapped(text: string, columns = process.stdout.columns): string {
  if (!columns) return text;
  const most = Math.max(1, columns);
  return help.boxWrap(text, most).replace(new RegExp(`[^\\s\u001b]{${most}}(?=\\S)`, 'gu'), '$&\n');
}

const help = Object.assign(new Help(), { minWidthToWrap: 1 });

function wideTable(head: string[], rows: Cell[][]): string {
  const made = new Table({
    head: head.map((name) => colours.dim(name)),
    chars: { ...borderless, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  made.push(...rows.map((row) => row.map((cell) => String(cell ?? '–'))));
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Names and values below one another; those without a value are left out. */
export function facts(entries: Record<string, string | number | boolean | null | undefined>): string {
  const shown = Object.entries(entries).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${colours.dim(name.padEnd(width))}  ${value}`).join('\n');
}

/** Cents as people write them: 1234 is $12.34. */
export const money = (cents: number | null): string =>
  cents === null ? '–' : `${cents < 0 ? '-' : ''}$${(Math.abs(cents) / 100).toFixed(2)}`;

/** A word of a command line that a person copies, as a shell reads it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
