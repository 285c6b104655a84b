/** How a stranger's text is shown. */
export type Kind = 'markdown' | 'json' | 'jsonl' | 'log' | 'code' | 'diff' | 'drawing' | 'trace' | 'text';

const byEnding: readonly (readonly [endings: RegExp, kind: Kind])[] = [
  [/\.(md|markdown)$/i, 'markdown'],
  [/\.(json|geojson|sarif)$/i, 'json'],
  [/\.(jsonl|ndjson)$/i, 'jsonl'],
  [/\.log$/i, 'log'],
  [/\.(patch|diff)$/i, 'diff'],
  [/\.svg$/i, 'drawing'],
];

/** A file by its name; what says nothing is taken by its first lines. */
export function kindOfFile(path: string, text: string): Kind {
  const kind = byEnding.find(([endings]) => endings.test(path))?.[1];
  if (kind !== undefined) return kind;
  const seen = kindOfText(text);
  return seen === 'log' || (seen === 'json' && !/\.\w+$/.test(path)) ? seen : 'code';
}

/** By how its content begins: a name says nothing. */
export const isPdf = (content: Uint8Array): boolean =>
  [0x25, 0x50, 0x44, 0x46, 0x2d].every((byte, nth) => content[nth] === byte);

const lookedAt = 20_000;
/** The parser says whether it is JSON; before that, it only has to look like it. */
const jsonEnds = [
  ['{', '}'],
  ['[', ']'],
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is for.
const hasColours = /\x1b\[[0-9;]{0,32}m/;
const traceLine =
  /^\s+at .{1,400}[:(]|^\s+File ".{1,400}", line \d+|^\s+\d+: .{1,200}$|^Traceback \(most recent|^goroutine \d+ \[/;
/** What people write in Markdown and not in plain text. */
const signs: readonly RegExp[] = [
  /^#{1,6} \S/m,
  /^ {0,3}(```|~~~)/m,
  /^ {0,3}[-*+] \S.*\n(?:.*\n)? {0,3}[-*+] \S/m,
  /^\|? ?:?-{3,}:? ?\|/m,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
  /\*\*[^*\n]{1,200}\*\*/,
  /(^|[\s(])`[^`\n]{1,200}`/m,
  /^ {0,3}\d{1,3}[.)] \S.*\n(?:.*\n)? {0,3}\d{1,3}[.)] \S/m,
];

export const isTrace = (text: string): boolean =>
  text
    .slice(0, lookedAt)
    .split('\n')
    .filter((line) => traceLine.test(line.slice(0, 1_000))).length >= 2;

/** A text without a name. In doubt it is shown letter by letter. */
export function kindOfText(text: string): Kind {
  const start = text.slice(0, lookedAt);
  if (hasColours.test(start)) return 'log';
  const trimmed = text.trim();
  if (jsonEnds.some(([first, last]) => trimmed.startsWith(first) && trimmed.endsWith(last)) && trimmed.length > 2)
    return 'json';
  if (isTrace(start)) return 'trace';
  return signs.some((sign) => sign.test(start)) ? 'markdown' : 'text';
}
