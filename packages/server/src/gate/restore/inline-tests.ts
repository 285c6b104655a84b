/**
 * Tests of Rust that stand in the file that they test: the work is the agent's, and its tests are the buyer's. Read line
 * by line, as rustfmt writes them: a module for tests ends with a brace in the first column.
 */

/** Lines of a text: its modules of tests, one after the other, and everything else. */
interface Parted {
  rest: string[];
  tests: string[];
}

const isMarked = (line: string) => line.trimEnd() === '#[cfg(test)]';
const isModule = (line: string) => /^(?:pub )?mod \w{1,100} \{$/.test(line.trimEnd());
const braces = (line: string) => line.split('{').length - line.split('}').length;

/** After the last line of the module that begins there; 0 where its end is not clear. */
function endOf(lines: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < lines.length; at += 1) {
    depth += braces(lines[at]!);
    if (lines[at]!.trimEnd() === '}') return depth === 0 ? at + 1 : 0;
  }
  return 0;
}

/** Null where there is no such module, or the end of one is not clear. */
function parted(text: string): Parted | null {
  const lines = text.split('\n');
  const found: Parted = { rest: [], tests: [] };
  for (let at = 0; at < lines.length; ) {
    let module = at;
    if (isMarked(lines[at]!))
      do module += 1;
      while (module < lines.length && lines[module]!.startsWith('#['));
    if (module === at || module >= lines.length || !isModule(lines[module]!)) {
      // What stands between is no module either.
      const next = Math.max(at + 1, module);
      found.rest.push(...lines.slice(at, next));
      at = next;
      continue;
    }
    const end = endOf(lines, module);
    if (end === 0) return null;
    found.tests.push(...lines.slice(at, end));
    at = end;
  }
  return found.tests.length === 0 ? null : found;
}

/** Null for a file without tests of its own. */
export const inlineTests = (path: string, text: string): Parted | null => (path.endsWith('.rs') ? parted(text) : null);

/** Takes an attribute that the work ends with, which would be one of the tests. */
const neutral = 'const _: () = ();';

/** The delivered file with the buyer's tests in place of its own. */
export function mergeInlineTests({ tests }: Parted, delivered: string): string {
  const rest = parted(delivered)?.rest ?? delivered.split('\n');
  return [...rest, neutral, ...tests, ''].join('\n');
}
