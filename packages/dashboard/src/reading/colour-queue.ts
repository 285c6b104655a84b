import type { Language } from './language-names.ts';
import type { Marks } from './marks.ts';
import { openReader, type Reader } from './reader.ts';

/** Longer programs stay plain. */
const mostChars = 400_000;
/** A grammar that takes longer has met a text that was made for it. */
const limitMs = 4_000;

let reader: Reader | null = null;
let queue: Promise<unknown> = Promise.resolve();

/** One after the other, so that a text which ends the worker takes no other with it. Null where it stays plain. */
export function coloursOf(language: Language | null, code: string, starts: Uint32Array): Promise<Marks | null> {
  if (language === null || code.length > mostChars) return Promise.resolve(null);
  const next = queue.then(async () => {
    reader ??= openReader(limitMs);
    try {
      return await reader.ask('colours', language, code, starts);
    } catch {
      reader.close();
      reader = null;
      return null;
    }
  });
  queue = next;
  return next;
}
