import type { TestWishes } from '@agora-market/contract';
import { removedByOrder } from './removed-by-order.ts';
import { type RunReport, reportedTests } from './reports.ts';
import type { TestResult } from './test-result.ts';
import { anyOf, matcherOf } from './test-rules.ts';

/** What the buyer says of its tests. */
export interface TestRules {
  wishes: TestWishes;
  /** What the order says; it may remove what a test was about. */
  description: string;
  /** Whether a file is one program by intent, and defines no tests that it could end before. */
  isProgram(file: string): boolean;
}

/** What became of a test that passed before. */
export interface Broken {
  id: string;
  now: 'failed' | 'skipped' | 'missing';
}

/** The same tests over the buyer's untouched files and over the delivery. */
export interface Comparison {
  /** Passed before and pass now. */
  kept: number;
  broken: Broken[];
  /** Did not pass before and pass now. */
  mended: string[];
  /** Should pass, did not before and do not now. */
  wanting: string[];
  /** Of these, those beside a test that is mended. */
  beside: string[];
}

/** Files without a name of a test: those that could not be loaded, and those that are one program. */
const isWholeFile = ({ name }: TestResult) => name === '';

/** Tests of the delivery's run that the first has under no such id. */
function freshOf(before: readonly TestResult[], now: readonly TestResult[]): TestResult[] {
  const known = new Set(before.map(({ id }) => id));
  return now.filter(({ id }) => !known.has(id));
}

/** Where a test stands: its file, or its package or program; null if its runner does not say. */
const placeOf = ({ file, name }: TestResult) => file ?? /^(.+?) > /.exec(name)?.[1] ?? null;

/**
 * Tests that fail in a package or program of the buyer's and that no run had come to: the one over the untouched files
 * broke off before. A file that breaks off says so itself. A title with another number is no other test.
 */
function reachedFirst(before: readonly TestResult[], fresh: readonly TestResult[]) {
  const titles = new Set(before.map(withoutNumbers));
  titles.delete(null);
  const places = new Set(before.map(placeOf));
  places.delete(null);
  return fresh.filter(
    (test) =>
      test.status === 'failed' && test.file === null && places.has(placeOf(test)) && !titles.has(withoutNumbers(test)),
  );
}

/** Whether the tests pass that the buyer names and that nothing reported before. */
const addedByOrder = (patterns: readonly string[], before: readonly TestResult[], now: readonly TestResult[]) =>
  patterns.flatMap((pattern) => {
    const isMeant = matcherOf(pattern);
    if (before.some(isMeant)) return [];
    const tests = now.filter(isMeant);
    return [{ pattern, passes: tests.length > 0 && tests.every(({ status }) => status === 'passed') }];
  });

/** A title without its numbers, which may be times, ports or addresses; null for one without any. */
const withoutNumbers = ({ file, name }: TestResult): string | null =>
  /\d/.test(name) ? `${file} > ${name.replace(/0x[\da-f]+|\d+/gi, '#')}` : null;

/** Tests whose titles have other numbers in each run: each of the first run is one of the second that has no other. */
function renumbered(fresh: readonly TestResult[]) {
  const byTitle = Map.groupBy(fresh, withoutNumbers);
  return (test: TestResult) => {
    const title = withoutNumbers(test);
    return title === null ? undefined : byTitle.get(title)?.shift()?.status;
  };
}

const longestTitle = 200;

/** Titles that went on with what was wrong: `adds: 5 is not 4` is `adds` once it passes. */
function shortened(fresh: readonly TestResult[]) {
  const byTitle = new Map(fresh.map(({ file, name, status }) => [`${file} > ${name}`, status]));
  return ({ file, name, status }: TestResult) => {
    if (status !== 'failed' || byTitle.size === 0) return undefined;
    const ends = [...name.slice(0, longestTitle).matchAll(/(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}])/gu)].map(
      ({ index }) => index,
    );
    return ends.map((end) => byTitle.get(`${file} > ${name.slice(0, end)}`)).find((each) => each !== undefined);
  };
}

/** How a suite or program ends now that failed as a whole before: as the tests that it has now. */
function ofWhole(now: readonly TestResult[]) {
  const within = Map.groupBy(now, ({ file, name }) => `${file} > ${name.split(' > ', 1)[0]}`);
  return ({ file, name, status }: TestResult) => {
    const tests = status === 'failed' && name !== '' ? (within.get(`${file} > ${name}`) ?? []) : [];
    if (tests.some((test) => test.status === 'failed')) return 'failed';
    return tests.some((test) => test.status === 'passed') ? 'passed' : undefined;
  };
}

/**
 * How a test ends now. That all tests of a file pass mends one that could not be loaded before: a file that ends before
 * it defines a test succeeds too, so that alone mends nothing.
 */
function endsNow(now: readonly TestResult[], fresh: readonly TestResult[], isProgram: TestRules['isProgram']) {
  const states = new Map(now.map(({ id, status }) => [id, status]));
  const inFile = Map.groupBy(now, ({ file }) => file);
  const numbered = renumbered(fresh);
  const short = shortened(fresh);
  const whole = ofWhole(now);
  return (test: TestResult) => {
    const state = states.get(test.id) ?? numbered(test) ?? short(test) ?? whole(test) ?? 'missing';
    if (!isWholeFile(test) || test.status === 'passed') return state;
    if (state !== 'missing' && test.file !== null && isProgram(test.file)) return state;
    const tests = (inFile.get(test.file) ?? []).filter((each) => !isWholeFile(each));
    if (tests.some(({ status }) => status === 'failed')) return 'failed';
    return tests.some(({ status }) => status === 'passed') ? 'passed' : 'missing';
  };
}

/**
 * Compares two runs by the identity of their tests. Tests that only the delivery has are no evidence, unless they lie in
 * a file that could not be loaded before. A test that was skipped before has never been seen to pass, so it is wanted
 * only where the buyer names it.
 */
export function compareTests(before: readonly TestResult[], now: readonly TestResult[], rules: TestRules): Comparison {
  const fresh = freshOf(before, now);
  const stateOf = endsNow(now, fresh, rules.isProgram);
  const isRemoved = removedByOrder(rules.description, now);
  const { mayChange = [], mayFail = [], mustPass: needed } = rules.wishes;
  const isNeeded = anyOf(needed);
  const isFree = anyOf([...mayChange, ...mayFail]);
  const found: Comparison = { kept: 0, broken: [], mended: [], wanting: [], beside: [] };
  const mendedIn = new Set<string | null>();
  const wanting: TestResult[] = [];
  for (const test of before) {
    const { id } = test;
    const state = stateOf(test);
    const mustPass = isNeeded(test);
    if (!mustPass && isFree(test)) continue;
    if (test.status === 'passed') {
      if (state === 'passed') found.kept += 1;
      else if (state !== 'missing' || !isRemoved(test)) found.broken.push({ id, now: state });
    } else if (state === 'passed') {
      found.mended.push(id);
      mendedIn.add(placeOf(test));
    } else if (mustPass || (needed === undefined && test.status === 'failed')) wanting.push(test);
  }
  if (needed === undefined) wanting.push(...reachedFirst(before, fresh).filter((test) => !isFree(test)));
  found.wanting.push(...wanting.map(({ id }) => id));
  mendedIn.delete(null);
  found.beside.push(...wanting.filter((test) => mendedIn.has(placeOf(test))).map(({ id }) => id));
  for (const { pattern, passes } of addedByOrder(needed ?? [], before, now)) {
    (passes ? found.mended : found.wanting).push(pattern);
  }
  return found;
}

/** Most tests of one kind that evidence names. */
export const mostNamed = 20;

/** How many, and the first of them. */
export interface Some<T> {
  count: number;
  first: T[];
}

const some = <T>(all: readonly T[]): Some<T> => ({ count: all.length, first: all.slice(0, mostNamed) });

/** Two runs as evidence needs them, however many tests they have. */
export interface ComparedRuns {
  /** Tests that the run over the untouched files reported. */
  before: number;
  now: number;
  /** Of the delivery's run. */
  failing: number;
  /** Files of either run that hold tests. */
  testFiles: string[];
  kept: number;
  broken: Some<Broken>;
  mended: Some<string>;
  wanting: Some<string>;
  beside: Some<string>;
}

export function compareRuns(before: RunReport, now: RunReport, rules: TestRules): ComparedRuns {
  const [ofBefore, ofNow] = [reportedTests(before), reportedTests(now)];
  const { kept, broken, mended, wanting, beside } = compareTests(ofBefore, ofNow, rules);
  const testFiles = [...new Set([...ofBefore, ...ofNow].flatMap(({ file }) => file ?? []))];
  const failing = ofNow.filter(({ status }) => status === 'failed').length;
  const counts = { before: ofBefore.length, now: ofNow.length, failing, testFiles, kept };
  return { ...counts, broken: some(broken), mended: some(mended), wanting: some(wanting), beside: some(beside) };
}
