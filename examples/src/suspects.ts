import { posix } from 'node:path';
import { codeOf, functionsOf, localImports, namesIn } from './source-code.ts';
import type { Failure } from './test-report.ts';

/** Reads a source file of the project, or null if there is none. */
export type ReadSource = (path: string) => Promise<string | null>;

/** A piece of source that a failing test runs through. The lower the distance, the closer it is to the failure. */
export interface Suspect {
  path: string;
  start: number;
  end: number;
  distance: number;
}

/** Code outside named functions comes last: constants and code at the top of a file. */
const elsewhere = 1000;

/**
 * Finds what may have made the failing tests fail. A test names functions, and those name others; each step is one
 * further away. Nearest are functions in the stack of an error, and those that the test is named after. Test files
 * themselves are never suspected.
 */
export async function findSuspects(failures: Failure[], isTest: (path: string) => boolean, read: ReadSource) {
  const testPaths = [...new Set(failures.flatMap((one) => one.places.map((place) => place.path)).filter(isTest))];
  const sources = await readWithImports(testPaths, read);
  const suspects: Suspect[] = [];
  const distances = namedDistances(failures, isTest, sources);
  for (const [path, source] of sources) {
    if (isTest(path)) continue;
    for (const { name, start, end } of functionsOf(codeOf(source))) {
      const thrown = failures.some(({ places }) =>
        places.some((place) => place.path === path && within(source, place.line, start, end)),
      );
      const told = failures.some((failure) => sharesWords(name, failure.name));
      suspects.push({ path, start, end, distance: thrown || told ? 0 : (distances.get(name) ?? elsewhere) });
    }
    suspects.push({ path, start: 0, end: source.length, distance: elsewhere });
  }
  return { suspects, sources };
}

/** Whether a function and a test speak of the same: two words of the one are in the other. */
function sharesWords(name: string, title: string): boolean {
  const titled = wordsOf(title);
  return [...wordsOf(name)].filter((word) => titled.has(word)).length >= 2;
}

/** Words of a sentence or a camelCase name, in small letters and the singular. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, '')),
  );

/** The files and all that they import, directly or not, in the order of discovery. */
async function readWithImports(paths: string[], read: ReadSource): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  const queue = [...paths];
  const looked = new Set<string>();
  for (let wanted = queue.shift(); wanted !== undefined; wanted = queue.shift()) {
    if (looked.has(wanted)) continue;
    looked.add(wanted);
    for (const path of spellings(wanted)) {
      const source = sources.get(path) ?? (await read(path));
      if (source === null) continue;
      sources.set(path, source);
      for (const imported of localImports(source)) queue.push(posix.join(posix.dirname(path), imported));
      break;
    }
  }
  return sources;
}

/** Where `require` looks for a file. */
const spellings = (path: string) => [path, `${path}.js`, posix.join(path, 'index.js')];

/** How many calls each name is away from the failing tests. */
function namedDistances(failures: Failure[], isTest: (path: string) => boolean, sources: Map<string, string>) {
  const bodies = new Map<string, string[]>();
  for (const [path, source] of sources) {
    if (isTest(path)) continue;
    const code = codeOf(source);
    for (const { name, start, end } of functionsOf(code)) {
      bodies.set(name, [...(bodies.get(name) ?? []), code.slice(start, end)]);
    }
  }
  const distances = new Map<string, number>();
  let front = new Set(failures.flatMap((failure) => [...namesIn(failingText(failure, isTest, sources))]));
  for (let distance = 1; front.size > 0; distance++) {
    const next = new Set<string>();
    for (const name of front) {
      if (distances.has(name) || !bodies.has(name)) continue;
      distances.set(name, distance);
      for (const body of bodies.get(name)!) for (const inner of namesIn(body)) next.add(inner);
    }
    front = next;
  }
  return distances;
}

/** The lines of a failing test from its declaration to the assertion, as code. */
function failingText(failure: Failure, isTest: (path: string) => boolean, sources: Map<string, string>): string {
  const inTest = failure.places.filter((place) => isTest(place.path));
  const source = sources.get(inTest[0]?.path ?? '');
  if (source === undefined) return '';
  const lines = inTest.filter((place) => place.path === inTest[0]?.path).map((place) => place.line);
  return codeOf(source)
    .split('\n')
    .slice(Math.min(...lines) - 1, Math.max(...lines))
    .join('\n');
}

function within(source: string, line: number, start: number, end: number): boolean {
  const first = source.slice(0, start).split('\n').length;
  return line >= first && line <= first + source.slice(start, end).split('\n').length - 1;
}
