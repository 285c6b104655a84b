import { tooDeep } from '../schema/limits.ts';

/** JSON of a party's as a plain object, or null. */

/**
 * The most values, names and brackets of a text that is parsed; a lockfile of ten thousand packages has a tenth of it.
 * JSON.parse cannot be interrupted: if it outgrows the heap of its worker, the whole process ends. This many were
 * measured to take less than 64 MB of any kind; the worker has 256.
 */
const maxMarks = 500_000;

const marks = new Set([...',:[{'].map((mark) => mark.charCodeAt(0)));

/** Also counts characters in strings: the count is too high, but cheap. */
function isTooMuch(text: string): boolean {
  if (text.length <= maxMarks) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (marks.has(text.charCodeAt(at))) count++;
    if (count > maxMarks) return true;
  }
  return false;
}

/** The value as a plain JSON object, or null. */
export const record = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

/** Also null if it is nested too deeply: it parses, but serializing it would overflow the stack. */
export function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = isTooMuch(text) ? null : JSON.parse(text);
    return tooDeep(value) ? null : record(value);
  } catch {
    return null;
  }
}
