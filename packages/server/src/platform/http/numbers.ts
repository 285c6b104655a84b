/**
 * Text with a number that a double may not hold: 16 digits in a row, or an exponent of three. Looks at every digit
 * once. A wrong suspicion (digits in a string) only costs the search below.
 */
const suspect = /(?<!\d)\d{16}|\d[eE][+-]?\d{3}/;

/**
 * What advances the search. It takes only the first quote of a string, because the sender controls the string's length.
 */
const token = /["{}[\],]|-?\d[\d.eE+-]*/g;
const colon = /\s*:/y;

/** Whether JSON.parse would make another number of it: infinity, zero, or an integer with other digits. */
function isChanged(digits: string): boolean {
  const value = Number(digits);
  if (!Number.isFinite(value)) return true;
  if (value === 0) return /[1-9]/.test(digits.replace(/[eE].*/, ''));
  return /^-?\d+$/.test(digits) && String(value) !== digits;
}

/** The end of the string that starts at `start`. */
function stringEnd(text: string, start: number): number {
  for (let quote = start; ; ) {
    quote = text.indexOf('"', quote + 1);
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
}

/** The path of the first number that JSON.parse changes in a text that it takes, or null. */
export function changedNumber(text: string): string | null {
  if (!suspect.test(text)) return null;
  /** Where the search is: a name for each object, a place for each array that it is in. */
  const path: Array<string | number> = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [part] = found;
    const here = path.length - 1;
    const within = path[here];
    if (part === '{') path.push('');
    else if (part === '[') path.push(0);
    else if (part === '}' || part === ']') path.pop();
    else if (part === ',') path[here] = typeof within === 'number' ? within + 1 : '';
    else if (part === '"') {
      token.lastIndex = colon.lastIndex = stringEnd(text, found.index);
      // In an object the first string after a comma is a name; a colon shows that it is.
      if (typeof within === 'string' && colon.test(text))
        path[here] = JSON.parse(text.slice(found.index, token.lastIndex));
    } else if (isChanged(part)) return path.join('.');
  }
  return null;
}
