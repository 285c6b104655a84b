import { posix } from 'node:path';
import type { SandboxFile } from '../../sandbox/index.ts';
import { isTestFile } from '../restore/restored-files.ts';
import { endsOf } from './named-scripts.ts';

/**
 * How many individual tests a run reports. An exit code alone is easy to fake: a library that ends the process succeeds
 * too. So the runner's final summaries are compared.
 */

/** Commands that visibly start tests; others are not worth a second run. */
const starters =
  /\b(?:npm|pnpm|yarn|bun|npx|make|pytest|py\.test|tox|nox|unittest|jest|vitest|mocha|ava|sh|bash)\b|\b(?:go|cargo|deno) (?:\S+ ){0,4}test\b|\bnode\b.{0,200}\btests?\b/;
export const startsTests = (command: string) => starters.test(command);

/** Runners that always end with a summary. */
const certain = /(?:^|&&|;)\s*(?:(?:python3? -m )?pytest|python3? -m unittest|cargo test|go test)(?:\s[^|;&]*)?$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are what this removes.
const colours = /\u001b\[[0-9;]{0,20}m/g;

/** A file that node --test lists as if it were one test: it defined none, or ended before it could. */
const nodeFile = /^(?:(?:not )?ok \d{1,9} - |[✔✖] )(\S{0,1000}\.[cm]?[jt]sx?)(?: \([\d.]+ms\))?$/gm;

/** Each pattern is linear: a run of digits is entered at its start alone and read no further than a count goes. */
function sum(output: string, pattern: RegExp): number | null {
  let total: number | null = null;
  for (const match of output.matchAll(pattern)) total = (total ?? 0) + Number(match[1]);
  return total;
}

/** Sum of the tests that ran, from lines such as `1 failed, 2 passed, 1 skipped`. */
function sumOfLines(output: string, line: RegExp): number | null {
  let total: number | null = null;
  for (const match of output.matchAll(line)) {
    total = (total ?? 0) + (sum(match[0], /(?<!\d)(\d{1,9}) (?:x?passed|x?failed)\b/g) ?? 0);
  }
  return total;
}

function ofUnittest(output: string) {
  const ran = sum(output, /^Ran (\d{1,9}) tests? in /gm);
  return ran === null ? null : ran - (sum(output, /^(?:OK|FAILED) \(.{0,100}?\bskipped=(\d{1,9})/gm) ?? 0);
}

function ofNode(output: string) {
  const ran = sum(output, /^(?:#|ℹ) (?:pass|fail|cancelled) (\d{1,9})$/gm);
  const files = new Set([...output.matchAll(nodeFile)].map((match) => match[1]));
  return ran === null ? null : Math.max(0, ran - files.size);
}

/** Mocha says nothing of tests that failed when none did, and always how many passed. */
function ofMocha(output: string) {
  const passing = sum(output, /^ {0,8}(\d{1,9}) passing \(/gm);
  return passing === null ? null : passing + (sum(output, /^ {0,8}(\d{1,9}) failing$/gm) ?? 0);
}

/** A test binary that ended by itself announced its tests and never came to the result. */
const brokeOff = (output: string) =>
  (sum(output, /^running (\d{1,9}) tests?$/gm) ?? 0) >
  [...output.matchAll(/^test result: .*$/gm)].reduce(
    (total, [line]) => total + (sum(line, /(?<!\d)(\d{1,9}) (?:passed|failed|ignored|measured)\b/g) ?? 0),
    0,
  );

const counters: Record<string, (output: string) => number | null> = {
  'node --test': ofNode,
  pytest: (output) =>
    sumOfLines(
      output,
      /^(?:=+ )?(?:\d{1,9} [a-z]{1,20}(?:, )?){1,8} in [\d.]{1,20}s\b.*$|^(?:=+ )?no tests ran in .*$/gm,
    ),
  unittest: ofUnittest,
  cargo: (output) => sumOfLines(output, /^test result: .*$/gm),
  'go test': (output) => (output.match(/^=== RUN /m) ? (output.match(/^ *--- (?:PASS|FAIL): /gm)?.length ?? 0) : null),
  'go packages': (output) => output.match(/^(?:ok {2}|FAIL)\t\S.*$/gm)?.length ?? null,
  jest: (output) => sumOfLines(output, /^Tests: .*\btotal$/gm),
  vitest: (output) => sumOfLines(output, /^ +Tests {2}.*\(\d+\)$/gm),
  mocha: ofMocha,
};

/** Tests that ran, by runner; a runner that left no summary is absent. Skipped ones did not run. */
export function testsRun(given: string): Map<string, number> {
  const output = given.replace(colours, '');
  const counts = new Map<string, number>();
  for (const [runner, count] of Object.entries(counters)) {
    const ran = count(output);
    if (ran !== null) counts.set(runner, ran);
  }
  return counts;
}

/** Test files of node's runner that it lists as one passing test each. */
function listedAsFile(output: string, nodeTests: readonly string[]) {
  const wanted = new Set(nodeTests);
  const listed = new Set<string>();
  for (const [line, name = ''] of output.replace(colours, '').matchAll(nodeFile)) {
    if (/^(?:not |✖)/.test(line)) continue;
    // The runner names a file by its whole path, which ends in the buyer's path.
    for (const end of endsOf(name)) if (wanted.has(end)) listed.add(end);
  }
  return nodeTests.filter((path) => listed.has(path));
}

/** The buyer's test files that define their tests with node:test. */
const nodeTestsOf = (files: readonly SandboxFile[]) =>
  files
    .filter((file) => /\.[cm]?[jt]sx?$/.test(file.path) && isTestFile(posix.normalize(file.path)))
    .filter((file) => file.content.includes("'node:test'") || file.content.includes('"node:test"'))
    .map((file) => posix.normalize(file.path).replace(/^\/+/, ''));

export interface Comparison {
  command: string;
  /** Output of the run over the delivered work, which succeeded. */
  output: string;
  /** The same over the buyer's untouched files; null if it could not be had. */
  before: { output: string; passed: boolean } | null;
  originalFiles: readonly SandboxFile[];
}

/** Why a run that succeeded is no pass after all, or null. */
export function shortfall({ command, output, before, originalFiles }: Comparison): string | null {
  const nodeTests = nodeTestsOf(originalFiles);
  const now = testsRun(output);
  const excused = new Set(before?.passed ? listedAsFile(before.output, nodeTests) : []);
  // Not which one: an agent may read this, and not the names of files held out.
  if (listedAsFile(output, nodeTests).some((path) => !excused.has(path)))
    return 'a test file ended before any of its tests was run';
  if (brokeOff(output)) return 'a test program ended before its tests did';
  if (now.size === 0 && certain.test(command.trim())) return 'the runner ended without saying what it ran';
  if (before === null) return null;
  for (const [runner, count] of testsRun(before.output)) {
    const ran = now.get(runner);
    if (ran === undefined) return `it says nothing of the tests it ran (${count} over the buyer's untouched files)`;
    if (ran < count)
      return `it ran ${ran} ${ran === 1 ? 'test' : 'tests'}, and ${count} over the buyer's untouched files`;
  }
  // A plain script is a file-level test of node's by right, so that node's count says nothing here.
  const counted = [...now].filter(([runner]) => runner !== 'node --test');
  if (!before.passed && counted.length > 0 && counted.every(([, ran]) => ran === 0)) return 'it ran no test';
  return null;
}
