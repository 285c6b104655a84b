/** Tests of Rust that stand in the file that they test: the work is the agent's, and its tests are the buyer's. */

const begins = /^#\[cfg\(test\)\]\n(?:#\[[^\n]*\]\n)*(?:pub )?mod \w+ \{$/m;
const ends = '\n}';

/** Around the tests: the work before them, they, and what follows. Null for a text without such tests. */
function parted(text: string): [before: string, tests: string, after: string] | null {
  const start = begins.exec(text)?.index;
  if (start === undefined) return null;
  const end = text.indexOf(ends, start);
  return end < 0 ? null : [text.slice(0, start), text.slice(start, end + ends.length), text.slice(end + ends.length)];
}

export const hasInlineTests = (path: string, content: Buffer) =>
  path.endsWith('.rs') && parted(content.toString('utf8')) !== null;

/** The delivered file with the buyer's tests in place of its own; the buyer's where none was delivered. */
export function mergeInlineTests(original: string, delivered: string | null): string {
  const buyers = parted(original);
  if (delivered === null || buyers === null) return original;
  const [before, , after] = parted(delivered) ?? [`${delivered}\n`, '', '\n'];
  return before + buyers[1] + after;
}
