import { maxBodyCommas, maxBodyDepth, maxBodyLongNumbers, maxBodyNames } from '@agora-market/contract';

/** What a walk over JSON text finds. */
export interface Scan {
  /** Why the text is not to be parsed, or null. */
  excess: string | null;
  /** Where the first number stands that JSON.parse changes, or null. Of text that it refuses this means nothing. */
  changed: Place | null;
}

/** Names as the text has them, and numbers of places in arrays. */
export type Place = readonly (string | number)[];

/** The path of a place in text that JSON.parse has taken. */
export const pathOf = (place: Place): string =>
  place.map((part) => (typeof part === 'string' ? JSON.parse(part) : part)).join('.');

/** How far a walk over text has come. */
interface Walk {
  /** A name for each object, a place for each array that it is in. */
  path: (string | number)[];
  commas: number;
  names: number;
  longNumbers: number;
  changed: Place | null;
}

/**
 * Looks at JSON text before it is parsed. JSON.parse takes any depth, but a megabyte of brackets costs it a tenth of a
 * second. Later code reads the value recursively: our serializers fail from about 4,000 levels on.
 */
export function scan(text: string): Scan {
  const walk: Walk = { path: [], commas: 0, names: 0, longNumbers: 0, changed: null };
  let stringBegin = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') {
      stringBegin = at;
      at = endOfString(text, at);
      continue;
    }
    if (char === ':') passName(walk, text.slice(stringBegin, at));
    else if (char === '-' || (char >= '0' && char <= '9')) at = passNumber(walk, text, at);
    else if (!passMark(walk, char)) continue;
    const excess = excessOf(walk);
    if (excess !== null) return { excess: `The body ${excess}`, changed: null };
  }
  return { excess: null, changed: walk.changed };
}

function passName(walk: Walk, name: string): void {
  walk.names++;
  walk.path[walk.path.length - 1] = name;
}

/** False for blanks. */
function passMark(walk: Walk, char: string): boolean {
  const { path } = walk;
  if (char === '{') path.push('');
  else if (char === '[') path.push(0);
  else if (char === '}' || char === ']') path.pop();
  else if (char === ',') {
    walk.commas++;
    const within = path[path.length - 1];
    if (typeof within === 'number') path[path.length - 1] = within + 1;
  } else return false;
  return true;
}

/** Gives the last character of the number that begins here. */
function passNumber(walk: Walk, text: string, begin: number): number {
  const mantissa = endOfDigits(text, begin);
  const next = text[mantissa + 1];
  const end = next === 'e' || next === 'E' ? endOfDigits(text, mantissa + 1) : mantissa;
  // A double holds what has fewer digits, and an exponent of fewer than three.
  if (end - begin < 15 && end - mantissa < 4) return end;
  const number = text.slice(begin, end + 1);
  if (/\d{16}/.test(number)) walk.longNumbers++;
  if (walk.changed === null && isChanged(number)) walk.changed = [...walk.path];
  return end;
}

function excessOf({ path, commas, names, longNumbers }: Walk): string | null {
  if (path.length > maxBodyDepth) return `is nested more than ${maxBodyDepth} levels deep.`;
  if (longNumbers > maxBodyLongNumbers)
    return `has more than ${maxBodyLongNumbers} numbers of 16 digits. Send them as text.`;
  if (names > maxBodyNames) return `has more than ${maxBodyNames} fields. Send fewer fields, or send the data as text.`;
  if (commas > maxBodyCommas)
    return `has more than ${maxBodyCommas} values. Send fewer values, or send the data as text.`;
  return null;
}

/** Where the string that begins here has its last quote. */
function endOfString(text: string, begin: number): number {
  // Of empty strings the most fit a body, and a search costs more than a look.
  if (text[begin + 1] === '"') return begin + 1;
  const quote = text.indexOf('"', begin + 1);
  if (quote === -1) return text.length;
  // A hundred times as fast as a walk, and enough for almost all strings.
  if (text[quote - 1] !== '\\') return quote;
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The last character of digits, points and signs in a row. */
function endOfDigits(text: string, begin: number): number {
  let at = begin;
  for (let code = 48; code > 42 && code < 58 && code !== 44; at++) code = text.charCodeAt(at + 1);
  return at - 1;
}

/** Whether JSON.parse would make another number of it: infinity, zero, or an integer with other digits. */
function isChanged(digits: string): boolean {
  const value = Number(digits);
  if (!Number.isFinite(value)) return true;
  if (value === 0) return /^[^eE]*[1-9]/.test(digits);
  return !Number.isSafeInteger(value) && /^-?\d+$/.test(digits) && String(value) !== digits;
}
