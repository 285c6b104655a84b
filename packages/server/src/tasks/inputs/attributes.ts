import { Minimatch } from 'minimatch';
import { bytesOf, pathOf } from '../../sandbox/archive.ts';

/** Which attributes a tree's `.gitattributes` give to its paths, by the rules of gitattributes(5). */

/** True is set, false is unset (`-name`), and null is neither, or taken back (`!name`). */
export type Attribute = string | boolean | null;
export type Attributes = ReadonlyMap<string, Attribute>;

interface Rule {
  /** Of a path below the directory of the file. */
  matches(path: string): boolean;
  /** The last one of a name counts. */
  given: [name: string, value: Attribute][];
}
type Macros = Map<string, Rule['given']>;

/** Git knows no others in patterns, and lets `*` take a leading dot. */
const wildcards = { dot: true, nobrace: true, noext: true, nonegate: true, nocomment: true } as const;
/** Git reads no longer line. */
const maxLineBytes = 2_048;

/** `files`: the `.gitattributes` of a tree by their directory ('' or ending in /). A deeper file counts more, and so does a later line. */
export function attributesIn(files: ReadonlyMap<string, Buffer>): (path: string) => Attributes {
  const macros: Macros = new Map([['binary', givenIn(['-diff', '-merge', '-text'])]]);
  const rules = new Map([...files].map(([directory, content]) => [directory, rulesIn(content, directory, macros)]));
  return (path) => {
    const found = new Map<string, Attribute>();
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      for (const { matches, given } of rules.get(path.slice(0, end + 1)) ?? []) {
        if (matches(path.slice(end + 1))) take(given, found, macros);
      }
      if (end <= 0) return found;
    }
  };
}

/** What stands already counts more. */
function take(given: Rule['given'], found: Map<string, Attribute>, macros: Macros): void {
  for (const [name, value] of given.toReversed()) {
    if (found.has(name)) continue;
    found.set(name, value);
    if (value === true) take(macros.get(name) ?? [], found, macros);
  }
}

/** The last line first. */
function rulesIn(content: Buffer, directory: string, macros: Macros): Rule[] {
  const rules: Rule[] = [];
  for (const line of pathOf(content)
    .replace(/^\ufeff/, '')
    .split('\n')) {
    if (line.length > maxLineBytes) continue;
    const [, quoted, plain, rest = ''] = /^[ \t\r]*(?:"((?:[^"\\]|\\.)*)"|([^ \t\r]+))(.*)$/s.exec(line) ?? [];
    const pattern = quoted === undefined ? plain : unquoted(quoted);
    if (pattern === undefined || plain?.startsWith('#')) continue;
    const given = givenIn(rest.split(/[ \t\r]+/).filter(Boolean));
    const macro = quoted === undefined && pattern.startsWith('[attr]') ? pattern.slice('[attr]'.length) : null;
    // Only the file at the root defines some.
    if (macro !== null && directory === '') macros.set(macro, given);
    else if (macro === null && !pattern.startsWith('!')) rules.push({ matches: matcherOf(pattern), given });
  }
  return rules.reverse();
}

function givenIn(words: string[]): Rule['given'] {
  return words.map((word) => {
    if (word.startsWith('-')) return [word.slice(1), false];
    if (word.startsWith('!')) return [word.slice(1), null];
    const [name, value] = word.split(/=(.*)/s, 2);
    return [name as string, value ?? true];
  });
}

/** As in C; what its escapes stand for are bytes. */
function unquoted(text: string): string {
  const letters: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
  const bytes = bytesOf(text)
    .toString('latin1')
    .replace(/\\(?:([0-3][0-7]{2})|(.))/gs, (_, octal?: string, letter = '') =>
      octal === undefined ? (letters[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return pathOf(Buffer.from(bytes, 'latin1'));
}

function matcherOf(pattern: string): Rule['matches'] {
  // Of directories alone, and these have no attributes.
  if (pattern.endsWith('/')) return () => false;
  const glob = new Minimatch(pattern.replace(/^\//, ''), wildcards);
  const isOfName = !pattern.includes('/');
  return (path) => glob.match(isOfName ? path.slice(path.lastIndexOf('/') + 1) : path);
}
