import { readFile, stat } from 'node:fs/promises';

/** Reads and parses a file only when it has changed; null where there is none, or none that can be parsed. */
export function readWhenChanged<T>(path: string, parse: (text: string) => T): () => Promise<T | null> {
  let last: { stamp: string; value: T | null } | undefined;
  return async () => {
    try {
      const { mtimeMs, size } = await stat(path);
      const stamp = `${mtimeMs} ${size}`;
      if (last?.stamp !== stamp) last = { stamp, value: parseOrNull(await readFile(path, 'utf8'), parse) };
      return last.value;
    } catch {
      return null;
    }
  };
}

/** A file that is still being written is parsed when it has changed again. */
function parseOrNull<T>(text: string, parse: (text: string) => T): T | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
