import { createHash } from 'node:crypto';
import type { SandboxFile } from '../../sandbox/index.ts';
import { isTestFile, normal } from '../restore/restored-files.ts';
import { familyOf, type LineDefect, lineDefects, remark, wider, withLine } from './line-defects.ts';

/** Where the gate makes defects in the buyer's work, to see whether delivered tests notice them. */

export interface DefectsJob {
  /** What the tests and the order say: names of the work that is tested. */
  texts: readonly string[];
  /** Files that are tests by a run. */
  tests: readonly string[];
  /** Decides which, so that every run over one delivery makes the same. */
  seed: string;
  most: number;
}

export interface TextFile {
  path: string;
  text: string;
}

export interface ChosenDefects {
  /** A file of the work with a defect, each for a run of its own. */
  defects: TextFile[];
  /** The same files as the buyer has them. */
  files: TextFile[];
}

/** Longer files are data, and no more of them are read. */
const maxFileBytes = 200_000;
const maxFiles = 400;
/** Of a large project, so many are as good as all. */
const maxSpots = 20_000;
const maxWords = 20_000;

const definition =
  /\b(?:def|function|func|fn|class|sub|struct|interface)\s+(?:\([^)]*\)\s*)?(\w+)|\b(?:const|let|var)\s+(\w+)\s*[:=]|^\s*(?:[\w<>*&:]+\s+){0,4}(\w+)\s*\([^;]{0,150}\)\s*\{/;
const statements = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'else']);

/** For each line the name of what it belongs to: the nearest definition above. */
function owners(text: string): (string | null)[] {
  let owner: string | null = null;
  return text.split('\n').map((line) => {
    const [, ...names] = (line.length <= 300 && definition.exec(line)) || [];
    const name = names.find((each) => each !== undefined && !statements.has(each));
    if (name !== undefined) owner = name;
    return owner;
  });
}

interface Spot {
  path: string;
  content: string;
  defect: LineDefect;
  /** The tests or the order name what it belongs to. */
  isNamed: boolean;
}

function* spotsOf(files: readonly SandboxFile[], words: ReadonlySet<string>): Generator<Spot> {
  for (const file of files) {
    const content = file.content.toString('utf8');
    const owner = owners(content);
    for (const defect of lineDefects(file.path, content)) {
      const name = owner[defect.line];
      yield { path: normal(file.path), content, defect, isNamed: name != null && words.has(name) };
    }
  }
}

/** Defects in the buyer's programs, one a line; first those in what the tests name. */
export function chooseDefects(
  originals: readonly SandboxFile[],
  { texts, tests, seed, most }: DefectsJob,
): ChosenDefects {
  const known = new Set(tests);
  const isWork = ({ path, content }: SandboxFile) =>
    familyOf(path) !== null &&
    content.length <= maxFileBytes &&
    !known.has(normal(path)) &&
    !isTestFile(normal(path)) &&
    !/(?:^|\/)node_modules\//.test(path);
  const words = new Set(
    texts.flatMap((text) => text.slice(0, maxFileBytes).match(/[A-Za-z_]\w+/g) ?? []).slice(0, maxWords),
  );
  const chosen: { spot: Spot; key: string; order: string }[] = [];
  for (const spot of spotsOf(originals.filter(isWork).slice(0, maxFiles), words)) {
    if (chosen.length === maxSpots) break;
    const key = `${spot.path}:${spot.defect.line}`;
    const order = createHash('sha256').update(`${seed}:${key}:${spot.defect.text}`).digest('hex');
    chosen.push({ spot, key, order });
  }
  chosen.sort((a, b) => Number(b.spot.isNamed) - Number(a.spot.isNamed) || (a.order < b.order ? -1 : 1));
  const lines = new Set<string>();
  const first = chosen.filter(({ key }) => lines.size < most && !lines.has(key) && lines.add(key));
  const defects = first.map(({ spot: { path, content, defect } }) => ({ path, text: withLine(content, defect) }));
  const files = new Map(first.map(({ spot: { path, content } }) => [path, content]));
  return { defects, files: [...files].map(([path, text]) => ({ path, text })) };
}

const begins = /^(?:export |pub |async |default |static |abstract )*(?:def|class|function|func|fn)\b/;

/** A text in another form, which does what it did where no text of several lines holds such lines. */
function otherwise({ path, text }: TextFile, newWord: () => string): TextFile {
  const lines = text.split('\n');
  const done = new Set<number>();
  for (const { line, at } of lineDefects(path, text)) {
    // Places that follow in the line have moved.
    if (!done.has(line)) lines[line] = wider(lines[line]!, at);
    done.add(line);
  }
  const told = lines.flatMap((line) => (begins.test(line) ? [remark(familyOf(path)!, newWord()), line] : [line]));
  return { path, text: told.join('\n') };
}

/**
 * The buyer's files with one remark more at their ends; and with remarks before what begins in the first column, and wider
 * gaps. Tests of what they do pass over both.
 */
export function rewritten(files: readonly TextFile[], newWord: () => string) {
  const remarked = files.map(({ path, text }) => ({ path, text: `${text}\n${remark(familyOf(path)!, newWord())}\n` }));
  return { remarked, rewritten: remarked.map((file) => otherwise(file, newWord)) };
}
