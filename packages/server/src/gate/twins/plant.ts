import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';
import type { TestResult } from '../runs/test-result.ts';
import { javascriptTwin } from './javascript.ts';
import { pythonTwin } from './python.ts';
import type { NewWord, Sentinels } from './twin.ts';

/** One file of tests that stands in for one of the buyer's. */
export interface Twin {
  /** The buyer's file. */
  original: string;
  path: string;
  /** In names of its tests, and not in those of the original's. */
  added: string;
  sentinels: Sentinels;
}

/** What to lay into a sandbox so that twins run in place of the buyer's tests. */
export interface Planting {
  twins: Twin[];
  files: SandboxFile[];
  /** Paths of the originals, where the twins have other paths. */
  removed: string[];
}

const maxFiles = 50;
const maxBytes = 256 * 1024;

function twinOf(path: string, text: string, newWord: NewWord) {
  if (/\.[cm]?[jt]sx?$/.test(path)) return javascriptTwin(text, newWord);
  return path.endsWith('.py') ? pythonTwin(text, newWord) : null;
}

/** Another name, which the runner finds as it finds this one: the marks of a test stay. */
export function otherPath(path: string, word: string): string {
  const name = posix.basename(path);
  const [, before = '', , after = ''] = /^((?:tests?|spec)[_-])?(.*?)((?:[_-](?:tests?|spec))?(?:\.\w+)*)$/i.exec(
    name,
  )!;
  const isOnlyMark = /^(?:tests?|spec)\./i.test(name);
  const other = path.endsWith('.py') ? `test_${word}.py` : `${word}.${name}`;
  return posix.join(posix.dirname(path), isOnlyMark ? other : `${before}${word}${after}`);
}

/**
 * Twins of the buyer's files in which tests passed. `inPlace` keeps the names of the files, for commands that name them.
 */
export function plant(
  files: ReadonlyMap<string, SandboxFile>,
  now: readonly TestResult[],
  inPlace: boolean,
  newWord: NewWord,
): Planting {
  const planting: Planting = { twins: [], files: [], removed: [] };
  const tested = new Set(now.flatMap(({ file, status }) => (status === 'passed' && file !== null ? [file] : [])));
  for (const original of tested) {
    const file = files.get(original);
    if (file === undefined || file.content.length > maxBytes || planting.twins.length === maxFiles) continue;
    const twin = twinOf(original, file.content.toString('utf8'), newWord);
    if (twin === null) continue;
    const { text, ...rest } = twin;
    const path = inPlace ? original : otherPath(original, newWord());
    planting.twins.push({ original, path, ...rest });
    planting.files.push({ ...file, path, content: Buffer.from(text) });
    if (!inPlace) planting.removed.push(original);
  }
  return planting;
}
