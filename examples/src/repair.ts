import { posix } from 'node:path';
import { NotFoundError } from '@agora-market/sdk';
import { apply, type Candidate, candidatesIn } from './mutations.ts';
import {
  isTestPath,
  NoVerdict,
  type ProjectSandbox,
  type ProjectTests,
  readTestCommand,
  runTests,
} from './project-tests.ts';
import { findSuspects } from './suspects.ts';
import type { TestReport } from './test-report.ts';

export interface Counts {
  passed: number;
  failed: number;
}

/** What was done, as the result of a task. */
export interface Repair {
  summary: string;
  /** Paths relative to the project. */
  changedFiles: string[];
  /** Unified diff of all edits. */
  diff: string;
  testsBefore: Counts;
  testsAfter: Counts;
  candidatesTried: number;
}

export type Log = (line: string) => void;

export interface RepairOptions {
  signal?: AbortSignal;
  /** Edits to try before giving up. Default 200. */
  maxCandidates?: number;
  /** Milliseconds for one run of the tests: an edit can make a loop endless. Default 20000. */
  testTimeoutMs?: number;
}

type Settled = Required<Omit<RepairOptions, 'signal'>> & ProjectTests & { signal?: AbortSignal; log: Log };

const workspace = '/workspace';

const countsOf = ({ passed, failures }: TestReport): Counts => ({ passed, failed: failures.length });
const namesOf = (report: TestReport) => report.failures.map((failure) => failure.name);

/**
 * Repairs a project in /workspace whose tests fail. It runs them and follows each failure to the functions behind it.
 * There it tries single-token edits one by one, and keeps an edit if failing tests pass and none fails that passed
 * before. It ends when all tests pass. Otherwise it throws with the reason and restores the workspace.
 */
export async function repair(sandbox: ProjectSandbox, log: Log, options: RepairOptions = {}): Promise<Repair> {
  const root = await findProject(sandbox);
  const command = await readTestCommand(sandbox, root);
  const settled: Settled = { maxCandidates: 200, testTimeoutMs: 20_000, ...options, log, root, command };
  log(`runs the project's tests: ${command}`);
  const before = await runTests(sandbox, settled);
  log(`tests in ${root}: ${before.passed} pass, ${before.failures.length} fail`);
  for (const { name, error, expected, actual } of before.failures) {
    log(
      `  fails: ${name} (${expected === null ? `${/^[^{[<]{0,100}/.exec(error)![0].trim()} …` : `expected ${expected}, got ${actual}`})`,
    );
  }
  if (before.failures.length === 0) throw new Error('No test fails, so there is nothing to show a repair by');

  const originals = new Map<string, string>();
  const edits: Candidate[] = [];
  let report = before;
  let tried = 0;
  while (report.failures.length > 0) {
    const { suspects, sources } = await findSuspects(report.failures, isTestPath, (path) => readSource(sandbox, path));
    const candidates = candidatesIn(suspects, sources);
    log(`${candidates.length} candidate edits in ${new Set(candidates.map((one) => one.path)).size} files`);
    const found = await search(sandbox, report, candidates.slice(0, settled.maxCandidates - tried), sources, settled);
    tried += found.tried;
    if (found.edit === null) {
      for (const [path, source] of originals) await sandbox.write(path, source);
      throw new Error(`None of ${tried} candidate edits makes the failing tests pass`);
    }
    const { path } = found.edit;
    if (!originals.has(path)) originals.set(path, sources.get(path)!);
    edits.push(found.edit);
    report = found.report;
  }
  return {
    summary: edits.map((edit) => describe(root, edit)).join('; '),
    changedFiles: [...originals.keys()].map((path) => posix.relative(root, path)),
    diff: await diffOf(sandbox, root, originals),
    testsBefore: countsOf(before),
    testsAfter: countsOf(report),
    candidatesTried: tried,
  };
}

/** Tries candidates in order until one makes things better; otherwise leaves every file as it found it. */
async function search(
  sandbox: ProjectSandbox,
  report: TestReport,
  candidates: Candidate[],
  sources: Map<string, string>,
  settled: Settled,
): Promise<{ edit: Candidate; report: TestReport; tried: number } | { edit: null; tried: number }> {
  const failing = new Set(namesOf(report));
  const narrow = filesOf(report);
  for (const [index, edit] of candidates.entries()) {
    settled.signal?.throwIfAborted();
    const source = sources.get(edit.path)!;
    await sandbox.write(edit.path, apply(source, edit));
    const improves = (after: TestReport | null): after is TestReport =>
      after !== null &&
      after.failures.length < report.failures.length &&
      namesOf(after).every((name) => failing.has(name));
    // The files of the failing tests say no sooner than the whole suite, which then has the last word.
    let after = narrow.length > 0 ? await attempt(sandbox, settled, narrow) : null;
    if (narrow.length === 0 || improves(after)) after = await attempt(sandbox, settled);
    const verdict = after === null ? 'no verdict' : `${after.passed} pass, ${after.failures.length} fail`;
    settled.log(`try ${index + 1}: ${describe(settled.root, edit)}: ${verdict}`);
    if (improves(after) && after.passed > report.passed) return { edit, report: after, tried: index + 1 };
    // The next candidate may be in this file too and then overwrites it, but only this restores it for the others.
    if (candidates[index + 1]?.path !== edit.path) await sandbox.write(edit.path, source);
  }
  return { edit: null, tried: candidates.length };
}

/** The report of the tests, or null if there is none. */
const attempt = (sandbox: ProjectSandbox, settled: Settled, files?: string[]): Promise<TestReport | null> =>
  runTests(sandbox, settled, files).catch((error) => {
    if (error instanceof NoVerdict) return null;
    throw error;
  });

/** The files of the failing tests; none where one of them names no file. */
function filesOf({ failures }: TestReport): string[] {
  const files = failures.map(({ places }) => places.find(({ path }) => isTestPath(path))?.path);
  return files.includes(undefined) ? [] : [...new Set(files as string[])];
}

const describe = (root: string, { path, line, from, to }: Candidate) =>
  `${posix.relative(root, path)}:${line} ${from} → ${to}`;

/** The directory of the package.json nearest to the workspace's root. */
async function findProject(sandbox: ProjectSandbox): Promise<string> {
  let level = [workspace];
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    const deeper: string[] = [];
    for (const directory of level) {
      const entries = await sandbox.list(directory);
      if (entries.some((entry) => entry.name === 'package.json' && entry.type === 'file')) return directory;
      const inner = entries.filter(
        ({ name, type }) => type === 'directory' && name !== 'node_modules' && name !== '.git',
      );
      deeper.push(...inner.map((entry) => posix.join(directory, entry.name)));
    }
    level = deeper;
  }
  throw new Error('There is no package.json in the workspace');
}

async function readSource(sandbox: ProjectSandbox, path: string): Promise<string | null> {
  if (!path.startsWith(`${workspace}/`) || !/\.[cm]?js$/.test(path)) return null;
  const file = await sandbox.read(path).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  return file?.encoding === 'utf8' && !file.truncated ? file.content : null;
}

/** Edits never add or remove a line, so the lines of both versions stand side by side. */
async function diffOf(sandbox: ProjectSandbox, root: string, originals: Map<string, string>): Promise<string> {
  const parts: string[] = [];
  for (const [path, original] of originals) {
    const name = posix.relative(root, path);
    parts.push(`--- a/${name}`, `+++ b/${name}`);
    const now = (await sandbox.read(path)).content.split('\n');
    for (const [index, line] of original.split('\n').entries()) {
      if (line === now[index]) continue;
      parts.push(`@@ -${index + 1} +${index + 1} @@`, `-${line}`, `+${now[index]}`);
    }
  }
  return `${parts.join('\n')}\n`;
}
