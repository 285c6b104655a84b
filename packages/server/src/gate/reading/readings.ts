import { randomInt } from 'node:crypto';
import { posix } from 'node:path';
import type { TaskType, TestWishes } from '@agora-market/contract';
import type { SandboxFile } from '../../sandbox/index.ts';
import { dependenciesOf, isLockfile } from '../advisories/lockfiles.ts';
import { chooseDefects, rewritten, type TextFile } from '../defects/choose.ts';
import { compareFiles } from '../evidence/changes.ts';
import { declaredStep } from '../evidence/project-steps.ts';
import { findSecrets } from '../evidence/secret-patterns.ts';
import {
  declaredTests,
  isManifest,
  lacksDependencies,
  lacksModule,
  ranNoTests,
  type TestCommand,
} from '../evidence/test-commands.ts';
import { withHeldOut } from '../held-out.ts';
import { inlineTests, mergeInlineTests } from '../restore/inline-tests.ts';
import { withoutOrdered } from '../restore/ordered-removal.ts';
import {
  addedSteering,
  isTestFile,
  linterRestoration,
  mergePackage,
  normal,
  type Restoration,
  restoration,
} from '../restore/restored-files.ts';
import { compareRuns, mostNamed, type TestRules } from '../runs/compare.ts';
import { type RunReport, reportedTests, steeringFiles } from '../runs/reports.ts';
import type { TestStatus } from '../runs/test-result.ts';
import { anyOf } from '../runs/test-rules.ts';
import { compareTwins } from '../twins/compare.ts';
import { plant, type Twin } from '../twins/plant.ts';
import { spokenWord } from '../twins/twin.ts';

/**
 * Everything that the gate reads of the parties' text and whose cost they control: file lists, files and output of
 * commands. It runs in the worker of `reader-worker.ts`, which has the buyer's files. Questions and answers are copied,
 * so they are kept small.
 */

/** A restoration with files named by their numbers among the buyer's. */
export interface NumberedRestoration extends Omit<Restoration, 'files' | 'merged'> {
  files: Uint32Array;
  merged: Uint32Array;
}

/** What to run over the delivery and what to restore before, by the buyer's files and checks. */
export interface Plan {
  testCommand: TestCommand | null;
  build: TestCommand | null;
  lint: TestCommand | null;
  /** Null if nothing is put back for the linter. */
  linter: NumberedRestoration | null;
  /** Whether a file of the buyer's may call `delivered`. */
  namesDelivered: boolean;
}

/** What the buyer asks. */
interface Asked {
  taskType: TaskType;
  /** Of the checks. */
  commands: readonly string[];
  description: string;
  wishes: TestWishes;
}

interface RestorationJob extends Asked {
  purpose: 'checks' | 'tests';
  /** Over the untouched files; null if it could not be had. */
  before: RunReport | null;
}

function numbered(found: Restoration, numbers: ReadonlyMap<string, number>): NumberedRestoration {
  const numbersOf = (files: Restoration['files']) =>
    Uint32Array.from(files.flatMap(({ path }) => numbers.get(path) ?? []));
  return { ...found, files: numbersOf(found.files), merged: numbersOf(found.merged) };
}

interface AgentsFiles {
  paths: string[];
  /** Of manifests. */
  texts: Map<string, string | null>;
}

const textOf = ({ content }: SandboxFile) => content.toString('utf8');

const buyersTests = (originals: readonly SandboxFile[]) =>
  declaredTests(originals.map((file) => ({ path: file.path, text: isManifest(file.path) ? textOf(file) : null })));

/** Longer files are no scripts. */
const maxScriptBytes = 1024 ** 2;

/** Tests, scripts and held-out files. Elsewhere the word is one of the project's own. */
const mayMeasure = ({ path }: SandboxFile, heldOut: readonly SandboxFile[]) =>
  isTestFile(normal(path)) ||
  /(?:\.(?:sh|bash)|(?:^|\/)[^./]+)$/.test(path) ||
  heldOut.some((file) => normal(file.path) === normal(path));

const callsDelivered = (file: SandboxFile) =>
  file.content.length <= maxScriptBytes && /\bdelivered\b/.test(textOf(file));

/** By path, without those that are held out: these are written only where the measure runs, and restored nowhere. */
function numbersOf(originals: readonly SandboxFile[], heldOut: readonly SandboxFile[]): Map<string, number> {
  const numbers = new Map(originals.map(({ path }, number) => [normal(path), number]));
  for (const { path } of heldOut) numbers.delete(normal(path));
  return numbers;
}

function plan(originals: readonly SandboxFile[], { taskType }: Asked, heldOut: readonly SandboxFile[] = []): Plan {
  const buyersFiles = withHeldOut(originals, heldOut);
  const lint = declaredStep('lint', originals);
  const linter = lint && linterRestoration(taskType, originals, lint.command);
  return {
    testCommand: buyersTests(buyersFiles),
    build: declaredStep('build', originals),
    lint,
    linter: linter && numbered(linter, numbersOf(originals, heldOut)),
    namesDelivered: buyersFiles.some((file) => mayMeasure(file, heldOut) && callsDelivered(file)),
  };
}

/** What a run over the untouched files has told; null if it tells no test from another. */
function ranOf(before: RunReport | null, buyers: readonly SandboxFile[]) {
  if (before === null) return null;
  const known = new Set(buyers.map(({ path }) => normal(path)));
  const files = reportedTests(before).flatMap(({ file }) => (file !== null && known.has(file) ? [file] : []));
  const tests = new Set(files);
  return tests.size === 0 ? null : { tests: [...tests], steering: steeringFiles(before) };
}

function restorationFor(
  originals: readonly SandboxFile[],
  { before, ...asked }: RestorationJob,
  heldOut: readonly SandboxFile[],
): NumberedRestoration {
  const originalFiles = withHeldOut(originals, heldOut);
  const found = restoration({ ...asked, originalFiles, ran: ranOf(before, originalFiles) });
  return numbered(found, numbersOf(originals, heldOut));
}

const manifestName = /(?:^|\/)(?:requirements[^/]*\.txt|pyproject\.toml|setup\.(?:cfg|py)|Pipfile|package\.json)$/;
const maxManifests = 20;

/** Python's modules of a project, in the two usual places: its manifest may name it, but it is no dependency. */
function modulesOf(originals: readonly SandboxFile[]): Set<string> {
  const modules = new Set<string>();
  for (const { path } of originals) {
    const [, module] = /^(?:src\/)?([A-Za-z_]\w*)(?:\.py$|\/)/.exec(normal(path)) ?? [];
    if (module !== undefined) modules.add(module.toLowerCase());
  }
  return modules;
}

function complaints(
  originals: readonly SandboxFile[],
  { output, isBuyers }: { output: string; isBuyers: boolean },
  heldOut: readonly SandboxFile[],
) {
  const manifests = isBuyers
    ? withHeldOut(originals, heldOut)
        .filter(({ path }) => manifestName.test(path))
        .slice(0, maxManifests)
    : [];
  return {
    ranNoTests: ranNoTests(output),
    lacksModule: lacksModule(output),
    lacksDependencies: lacksDependencies(output, manifests.map(textOf).join('\n'), modulesOf(originals)),
  };
}

/** Those of the tokens that the buyer's files hold already. */
function knownSecrets(originals: readonly SandboxFile[], tokens: readonly string[]): string[] {
  const wanted = new Set(tokens);
  const known = new Set<string>();
  for (const file of originals) {
    for (const { token } of findSecrets(textOf(file))) if (wanted.has(token)) known.add(token);
  }
  return [...known];
}

/** One line per version, which is much cheaper to copy than objects; null if the file cannot be read. */
function pins(path: string, text: string): string | null {
  const found = dependenciesOf(path, text);
  if (found === null) return null;
  return [...new Set(found.map(({ ecosystem, name, version }) => `${ecosystem}\t${name}\t${version}`))].join('\n');
}

function buyersPins(originals: readonly SandboxFile[]): string {
  const lockfiles = originals.filter(({ path }) => isLockfile(normal(path))).slice(0, maxManifests);
  return lockfiles.map((file) => pins(normal(file.path), textOf(file)) ?? '').join('\n');
}

/** The buyer's files by path, made once for all files of a run that are merged. */
const byPath = new WeakMap<readonly SandboxFile[], Map<string, SandboxFile>>();

function original(originals: readonly SandboxFile[], path: string): SandboxFile {
  const known = byPath.get(originals) ?? new Map(originals.map((file) => [normal(file.path), file]));
  byPath.set(originals, known);
  return known.get(path)!;
}

/** Node reports a file without tests as a test: a program by intent if it does not name what defines tests. */
function isProgramOf(files: readonly SandboxFile[]): TestRules['isProgram'] {
  const byPath = new Map(files.map((file) => [normal(file.path), file]));
  return (path) => byPath.get(path)?.content.includes('node:test') === false;
}

interface PlantJob {
  now: RunReport;
  inPlace: boolean;
  wishes: TestWishes;
  /** In place of the buyer's. */
  changed: readonly SandboxFile[];
}

interface TwinsJob extends Record<'before' | 'now' | 'planted', RunReport> {
  twins: readonly Twin[];
  wishes: TestWishes;
}

/** Tests that the work may not change. */
function theBuyers(report: RunReport, { mayChange }: TestWishes) {
  const isFree = anyOf(mayChange);
  return reportedTests(report).filter((test) => !isFree(test));
}

/** Of a run's tests: how many ended so, and the first of those that fail. */
function tally(report: RunReport) {
  const tests = reportedTests(report);
  const ended = (status: TestStatus) => tests.filter((test) => test.status === status);
  const failed = ended('failed');
  return tests.length === 0
    ? null
    : {
        ...{ passed: ended('passed').length, failed: failed.length, skipped: ended('skipped').length },
        failing: failed.slice(0, mostNamed).map(({ id }) => id),
      };
}

/** The readings by name. Each gets the buyer's files, the question, and the held-out files. */
export const readings = {
  plan,
  compareFiles,
  complaints,
  secrets: (_originals: readonly SandboxFile[], text: string) => findSecrets(text),
  knownSecrets,
  tally: (_originals: readonly SandboxFile[], report: RunReport) => tally(report),
  testFiles: (_originals: readonly SandboxFile[], report: RunReport) => [
    ...new Set(reportedTests(report).flatMap(({ file }) => file ?? [])),
  ],
  defects: chooseDefects,
  rewritten: (_originals: readonly SandboxFile[], files: readonly TextFile[]) =>
    rewritten(files, () => spokenWord((below) => randomInt(below))),
  /** The buyer's work with the tests of Rust that the delivery has in the same file. */
  besideTests: (_originals: readonly SandboxFile[], { path, text, delivered }: TextFile & { delivered: string }) => {
    const inline = inlineTests(path, delivered);
    return inline === null ? text : mergeInlineTests(inline, text);
  },
  pins: (_originals: readonly SandboxFile[], { path, text }: { path: string; text: string }) => pins(path, text),
  buyersPins: (originals: readonly SandboxFile[], _nothing: null) => buyersPins(originals),
  agentsTests: (_originals: readonly SandboxFile[], { paths, texts }: AgentsFiles) =>
    declaredTests(paths.map((path) => ({ path, text: texts.get(path) ?? null }))),
  restorationFor,
  addedSteering: (
    originals: readonly SandboxFile[],
    { now, ...asked }: Asked & { now: RunReport },
    heldOut: readonly SandboxFile[],
  ) => addedSteering({ ...asked, originalFiles: withHeldOut(originals, heldOut) }, steeringFiles(now)),
  compareRuns: (
    originals: readonly SandboxFile[],
    { before, now, ...asked }: Asked & { before: RunReport; now: RunReport },
    heldOut: readonly SandboxFile[],
  ) => compareRuns(before, now, { ...asked, isProgram: isProgramOf(withHeldOut(originals, heldOut)) }),
  plant: (
    originals: readonly SandboxFile[],
    { now, inPlace, wishes, changed }: PlantJob,
    heldOut: readonly SandboxFile[],
  ) => {
    // On the way to another thread a buffer becomes plain bytes.
    const copied = changed.map((file) => ({ ...file, content: Buffer.from(file.content) }));
    const files = new Map([...withHeldOut(originals, heldOut), ...copied].map((file) => [normal(file.path), file]));
    return plant(files, theBuyers(now, wishes), inPlace, () => spokenWord((below) => randomInt(below)));
  },
  compareTwins: (_originals: readonly SandboxFile[], { twins, wishes, before, now, planted }: TwinsJob) => {
    const tests = { before: theBuyers(before, wishes), now: theBuyers(now, wishes), planted: reportedTests(planted) };
    return compareTwins(tests, twins);
  },
  merge: (
    originals: readonly SandboxFile[],
    {
      path,
      delivered,
      scripts,
      removal,
    }: { path: string; delivered: string | null; scripts: string[]; removal: string },
  ) => {
    const text = textOf(original(originals, path));
    if (posix.basename(path) === 'package.json') return mergePackage(text, delivered, scripts);
    const inline = inlineTests(path, text);
    if (inline !== null) return delivered === null ? null : mergeInlineTests(inline, delivered);
    return withoutOrdered(text, delivered, removal);
  },
};

/** Readings of the buyer's text; all others read the delivery. */
export const ofBuyer: ReadonlySet<keyof Readings> = new Set([
  'plan',
  'restorationFor',
  'knownSecrets',
  'buyersPins',
  'defects',
]);

export type Readings = typeof readings;
export type JobOf<R extends keyof Readings> = Parameters<Readings[R]>[1];
export type AnswerOf<R extends keyof Readings> = ReturnType<Readings[R]>;
