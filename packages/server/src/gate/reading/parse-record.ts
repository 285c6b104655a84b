import { tooDeep } from '../schema/limits.ts';

/** JSON of a party's as a plain object, or null. */

/**
 * Values, names and brackets of the largest text that is parsed; a lockfile of ten thousand packages has a tenth. One
 * call of JSON.parse cannot be ended in the middle: where it outgrows the heap of its thread, the whole process ends.
 * So many were measured to take less than 64 MB, whatever they are; the thread that reads has 256.
 */
const maxMarks = 500_000;

const marks = new Set([...',:[{'].map((mark) => mark.charCodeAt(0)));

/** Counts what is in strings as well, which is more than there is and costs less to know. */
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

/** Null for what is nested too deeply as well: it parses, but writing it again would overflow the stack. */
export function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = isTooMuch(text) ? null : JSON.parse(text);
    return tooDeep(value) ? null : record(value);
  } catch {
    return null;
  }
}
