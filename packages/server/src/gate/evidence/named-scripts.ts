import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';

/**
 * Which of the buyer's scripts a check starts: those the command names and those they call in turn. A script
 * that measures is the buyer's again before it is run, or the agent would write its own verdict.
 */

const checkNames = /^(?:check|checks|verify|validate|acceptance|grade|grader)(?:[._-][^/]*)?$/i;
/** Where scripts lie that serve a project instead of being it, and how those elsewhere are called. */
const scriptDirectories = new Set(['scripts', 'script', 'ci', '.ci', 'hack']);
const scriptNames =
  /^(?:(?:run[._-]?)?(?:ci|tests?|lint)(?:[._-][^/]*)?\.(?:sh|bash|py|[cm]?js)|ci|runtests?|[^/]+\.mk)$/i;

const maxScriptChars = 64 * 1024;

const isMakefile = (name: string) => /^(?:GNU)?makefile$/i.test(name);
const runsMake = (command: string) => /(?:^|[\s;&|(`/])g?make(?:$|[\s;&|)`])/.test(command);

/** The path and every end of it that begins behind a slash: `$PWD/scripts/ci.sh` names `scripts/ci.sh`. */
function* endsOf(path: string): Generator<string> {
  for (let at = 0; at >= 0; at = path.indexOf('/', at + 1)) yield path.slice(at === 0 ? 0 : at + 1);
}

const serves = (path: string) =>
  scriptNames.test(posix.basename(path)) ||
  path.split('/').some((segment) => scriptDirectories.has(segment.toLowerCase()));

export interface NamedSource {
  originalFiles: readonly SandboxFile[];
  commands: readonly string[];
  /** The buyer's own words: where they name the Makefile it is the work, so the agent's version of it counts. */
  description: string;
  /** False if scripts and build files are the work by the task's type. */
  serving: boolean;
}

interface Candidate {
  file: SandboxFile;
  path: string;
  name: string;
}

/** Meanings of words, so that each word is looked up once however many scripts there are. */
interface Lookup {
  byPath: Map<string, Candidate[]>;
  /** Commands may change the directory first, so either may be the end of the other. */
  byEnd: Map<string, Candidate[]>;
  /** A measuring script is also meant if its bare name is part of another path. */
  byName: Map<string, Candidate[]>;
  makefiles: Candidate[];
}

/** Deeper than any script that somebody calls by the end of its path. */
const maxSegments = 40;

function lookupOf(candidates: readonly Candidate[]): Lookup {
  const lookup: Lookup = { byPath: new Map(), byEnd: new Map(), byName: new Map(), makefiles: [] };
  const add = (map: Map<string, Candidate[]>, key: string, candidate: Candidate) => {
    const others = map.get(key);
    if (others === undefined) map.set(key, [candidate]);
    else others.push(candidate);
  };
  for (const candidate of candidates) {
    if (isMakefile(candidate.name)) {
      lookup.makefiles.push(candidate);
      continue;
    }
    const { path, name } = candidate;
    add(lookup.byPath, path, candidate);
    const shallow = path.split('/').slice(-maxSegments).join('/');
    for (const end of endsOf(shallow)) add(lookup.byEnd, end, candidate);
    if (checkNames.test(name)) add(lookup.byName, name, candidate);
  }
  return lookup;
}

/** Each key leads to its candidates once: they are found then, and met at every other place for nothing. */
function* taken(map: Map<string, Candidate[]>, key: string): Generator<Candidate> {
  const found = map.get(key);
  if (found === undefined) return;
  map.delete(key);
  yield* found;
}

/** The scripts that a text comes to. */
function* meantBy(text: string, lookup: Lookup, makes: boolean): Generator<Candidate> {
  if (makes) yield* lookup.makefiles.splice(0);
  const read = text.slice(0, maxScriptChars);
  for (const word of read.split(/[\s;&|()<>"'`$={},:]+/)) {
    if (word === '' || word.length > 1000) continue;
    const token = posix.normalize(word);
    yield* taken(lookup.byEnd, token);
    for (const end of endsOf(token)) yield* taken(lookup.byPath, end);
  }
  if (lookup.byName.size > 0) for (const [name] of read.matchAll(/[\w.-]+/g)) yield* taken(lookup.byName, name);
}

/** Normalised paths of the buyer's scripts that the commands come to. */
export function namedScripts({ originalFiles, commands, description, serving }: NamedSource): Set<string> {
  const found = new Set<string>();
  const making = serving && !/\bmakefile\b/i.test(description);
  const candidates: Candidate[] = [];
  for (const file of originalFiles) {
    const path = posix.normalize(file.path).replace(/^\/+/, '');
    const name = posix.basename(path);
    const candidate = checkNames.test(name) || (making && isMakefile(name)) || (serving && serves(path));
    if (candidate) candidates.push({ file, path, name });
  }
  if (candidates.length === 0) return found;
  const lookup = lookupOf(candidates);
  const pending = [...commands];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    for (const { file, path } of meantBy(text, lookup, making && runsMake(text))) {
      if (found.has(path)) continue;
      found.add(path);
      pending.push(file.content.subarray(0, maxScriptChars).toString('utf8'));
    }
  }
  return found;
}
