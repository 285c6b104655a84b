import { posix } from 'node:path';
import type { TestResult } from '../runs/test-result.ts';
import type { Twin } from './plant.ts';

/** A test that ended as it could not by itself. */
export interface Tampered {
  /** The buyer's. */
  file: string;
  /** By the name of its original; empty for one of the gate's own. */
  name: string;
}

/** What the twins' run says of the buyer's files that have one. */
export interface TwinsTold {
  /** Twins that ran under their names. */
  found: number;
  /** Files whose twins did not run at all. */
  lost: string[];
  /** Files whose twins and sentinels all ended as they should. */
  held: string[];
  /** Whether these are all files in which the delivery made a test pass, and at least one. */
  holds: boolean;
  /** Files of which at least one test passes under either name. */
  steady: string[];
  tampered: Tampered[];
}

/** Python's names hold that of the module. */
const stem = (path: string) => posix.basename(path).replace(/\.\w+$/, '');

/** A test of a twin under the name of its original. */
function originalName({ path, original, added }: Twin, name: string) {
  const plain = name.replaceAll(added, '');
  return path === original || !path.endsWith('.py') ? plain : plain.replaceAll(stem(path), stem(original));
}

/** The statuses of all tests of a name, in their order. */
function byName(tests: readonly TestResult[], nameOf: (name: string) => string) {
  const names = new Map<string, TestResult['status'][]>();
  for (const { name, status } of tests) {
    const plain = nameOf(name);
    const known = names.get(plain);
    if (known) known.push(status);
    else names.set(plain, [status]);
  }
  return names;
}

/** The statuses of the tests whose names have the word; a suite's name may stand before it. */
const ofWord = (tests: readonly TestResult[], word: string) =>
  tests.filter(({ name }) => name.includes(word)).map(({ status }) => status);

/** The buyer's files in which a test passes now and did not before. */
function mendedFiles(before: readonly TestResult[], now: readonly TestResult[]) {
  const passed = new Set(before.flatMap(({ id, status }) => (status === 'passed' ? [id] : [])));
  const known = new Set(before.map(({ file }) => file));
  const mended = now.filter(({ id, file, status }) => status === 'passed' && !passed.has(id) && known.has(file));
  return [...new Set(mended.map(({ file }) => file))];
}

/**
 * Compares the tests that pass with their twins. A twin that is missing or skipped holds nothing and proves nothing: it
 * may not have been found under its name.
 */
export function compareTwins(
  { before, now, planted }: Record<'before' | 'now' | 'planted', readonly TestResult[]>,
  twins: readonly Twin[],
): TwinsTold {
  const told: TwinsTold = { found: 0, lost: [], held: [], holds: false, steady: [], tampered: [] };
  const known = new Set(before.map(({ id }) => id));
  const [ofNow, ofPlanted] = [now, planted].map((tests) => Map.groupBy(tests, ({ file }) => file)) as [
    Map<string | null, TestResult[]>,
    Map<string | null, TestResult[]>,
  ];
  for (const twin of twins) {
    const ran = ofPlanted.get(twin.path) ?? [];
    const { passing, failing } = twin.sentinels;
    if (!ofWord(ran, passing).includes('passed')) {
      told.lost.push(twin.original);
      continue;
    }
    told.found += 1;
    const ends = failing.map((word) => ofWord(ran, word));
    const fooled = ends.some((statuses) => statuses.includes('passed'));
    if (fooled) told.tampered.push({ file: twin.original, name: '' });
    let holds = !fooled && ends.every((statuses) => statuses.includes('failed'));
    const names = byName(ran, (name) => originalName(twin, name));
    const differing: Tampered[] = [];
    let passes = 0;
    for (const { id, name, status } of ofNow.get(twin.original) ?? []) {
      const nth = names.get(name)?.shift();
      if (status !== 'passed') continue;
      if (nth === 'passed') passes += 1;
      else holds = false;
      // Names that only the delivery has would tell of it.
      if (nth === 'failed' && known.has(id)) differing.push({ file: twin.original, name });
    }
    // Where no test passes under another name, the tests may hang on their names by themselves.
    if (passes > 0) {
      told.steady.push(twin.original);
      told.tampered.push(...differing);
    }
    if (holds) told.held.push(twin.original);
  }
  const held = new Set<string | null>(told.held);
  told.holds = held.size > 0 && mendedFiles(before, now).every((file) => held.has(file));
  return told;
}
