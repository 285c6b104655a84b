import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';

/**
 * Which of the buyer's scripts a check starts: those the command names and those they call in turn. A script
 * that measures is the buyer's again before it is run, or the agent would write its own verdict.
 */

const checkNames = /^(?:check|checks|verify|validate|acceptance|grade|grader)(?:[._-][^/]*)?$/;
/** Where scripts lie that serve a project instead of being it, and how those elsewhere are called. */
const scriptDirectories = new Set(['scripts', 'script', 'ci', '.ci', 'hack']);
const scriptNames =
  /^(?:(?:run[._-]?)?(?:ci|tests?|lint)(?:[._-][^/]*)?\.(?:sh|bash|py|[cm]?js)|ci|runtests?|[^/]+\.mk)$/;

const maxScriptChars = 64 * 1024;

export const isMakefile = (name: string) => /^(?:GNU)?makefile$/i.test(name);
const runsMake = (command: string) => /(?:^|[\s;&|(`/])g?make(?:$|[\s;&|)`])/.test(command);

interface Words {
  /** What stands between separators, as relative paths. */
  tokens: Set<string>;
  /** Those and every end of theirs: `$PWD/scripts/ci.sh` names `scripts/ci.sh`. */
  ends: Set<string>;
}

function wordsOf(text: string): Words {
  const tokens = new Set<string>();
  const ends = new Set<string>();
  for (const word of text.slice(0, maxScriptChars).split(/[\s;&|()<>"'`$={},:]+/)) {
    if (word === '' || word.length > 1000) continue;
    const token = posix.normalize(word);
    tokens.add(token);
    for (let at = 0; at >= 0; at = token.indexOf('/', at + 1)) ends.add(token.slice(at === 0 ? 0 : at + 1));
  }
  return { tokens, ends };
}

/** Commands may change the directory first, so either may be the end of the other. */
const namedBy = (path: string, { tokens, ends }: Words) => {
  if (ends.has(path)) return true;
  const segments = path.split('/');
  return segments.some((_segment, start) => tokens.has(segments.slice(start).join('/')));
};

const serves = (path: string) =>
  scriptNames.test(posix.basename(path)) || path.split('/').some((segment) => scriptDirectories.has(segment));

export interface NamedSource {
  originalFiles: readonly SandboxFile[];
  commands: readonly string[];
  /** The buyer's own words: where they name the Makefile it is the work, so the agent's version of it counts. */
  description: string;
  /** False where scripts and build files are the work by the task's type. */
  serving: boolean;
}

/** Normalised paths of the buyer's scripts that the commands come to. */
export function namedScripts({ originalFiles, commands, description, serving }: NamedSource): Set<string> {
  const found = new Set<string>();
  const making = serving && !/\bmakefile\b/i.test(description);
  const candidates: Array<{ file: SandboxFile; path: string; name: string }> = [];
  for (const file of originalFiles) {
    const path = posix.normalize(file.path).replace(/^\/+/, '');
    const name = posix.basename(path);
    const candidate = checkNames.test(name) || (making && isMakefile(name)) || (serving && serves(path));
    if (candidate) candidates.push({ file, path, name });
  }
  const pending = candidates.length > 0 ? [...commands] : [];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    const words = wordsOf(text);
    const makes = making && runsMake(text);
    for (const { file, path, name } of candidates) {
      if (found.has(path)) continue;
      const isMeant = isMakefile(name) ? makes : namedBy(path, words) || (checkNames.test(name) && text.includes(name));
      if (!isMeant) continue;
      found.add(path);
      pending.push(file.content.subarray(0, maxScriptChars).toString('utf8'));
    }
  }
  return found;
}
