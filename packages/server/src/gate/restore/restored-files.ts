import { posix } from 'node:path';
import type { TaskType, TestWishes } from '@agora-market/contract';
import type { SandboxFile } from '../../sandbox/index.ts';
import { namedScripts } from '../evidence/named-scripts.ts';
import { parseRecord, record } from '../reading/parse-record.ts';
import { removesTests } from '../runs/removed-by-order.ts';
import { anyOf } from '../runs/test-rules.ts';
import { inlineTests } from './inline-tests.ts';

/**
 * Which of the buyer's files decide a verdict and therefore are the buyer's again before anything is run,
 * however the agent left them. Everything else is the delivered work and is left alone.
 */

const testDirectories = new Set([
  't',
  'test',
  'tests',
  '__tests__',
  'spec',
  'specs',
  'e2e',
  'testdata',
  '__snapshots__',
]);
/** In any letter case, as people write them. */
const testNames = /(?:[._-](?:test|tests|spec|specs)\.[^./]+|^(?:test|tests|spec)\.[^./]+|^test_[^/]*\.py)$/i;

/** Whether a path is part of a test suite by the usual conventions. Only where no run has said which files are. */
export function isTestFile(path: string) {
  const segments = path.split('/');
  const name = segments.pop()!;
  return testNames.test(name) || segments.some((segment) => testDirectories.has(segment.toLowerCase()));
}

/** npm reads it at each start, and nobody's work consists of it. */
const npmSettings = '.npmrc';

/** What a run over the buyer's untouched files has told. */
export interface Ran {
  /** Files from which tests were reported. */
  tests: readonly string[];
  /** Files that the runner says steer it. */
  steering: readonly string[];
}

/** The top of the directory of tests in which a test file lies; null if its directory is not one by its name. */
function placeOf(testFile: string): string | null {
  const segments = testFile.split('/').slice(0, -1);
  const at = segments.findIndex((segment) => testDirectories.has(segment.toLowerCase()));
  return at < 0 ? null : `${segments.slice(0, at + 1).join('/')}/`;
}

/** Whether a file serves tests that ran: it lies in their directory, as helpers, data and snapshots do. */
function servingTests(tests: readonly string[]) {
  const places = new Set<string>();
  for (const file of tests) {
    const place = placeOf(file);
    if (place !== null) places.add(place);
    const beside = posix.dirname(file) === '.' ? '' : `${posix.dirname(file)}/`;
    for (const name of ['__snapshots__', 'testdata']) places.add(`${beside}${name}/`);
  }
  return (path: string) => {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      if (places.has(path.slice(0, at + 1))) return true;
    }
    return false;
  };
}

/** Without dots at its end; a pattern would try each row of dots from each of its dots. */
function plainWord(word: string): string {
  let end = word.length;
  while (end > 0 && word[end - 1] === '.') end -= 1;
  return word.slice(word.startsWith('./') ? 2 : 0, end);
}

/** Whether the buyer's words name a file, by its path or its name: then it is the work. */
export const namedIn = (description: string) => {
  const words = new Set(description.split(/[\s"'`()<>,;:!?]+/).map(plainWord));
  return (path: string) => words.has(path) || words.has(posix.basename(path));
};

export interface Restoration {
  /** Written back with the buyer's content. */
  files: SandboxFile[];
  /**
   * The buyer's files of which only a part is restored: settings of tests in package.json, tests beside Rust's work, and
   * tests without those that the order removes.
   */
  merged: SandboxFile[];
  /** Scripts of package.json that checks call by name and whose names say that they measure. */
  scripts: string[];
  /** The order, as far as it removes tests. */
  removal: string;
  /** Deleted before the buyer's are written: paths of the workspace. */
  removed: string[];
  /** Deleted by their names, wherever they lie. */
  purgeNames: string[];
  /** Whether node_modules that the agent brought along is removed. */
  purgeModules: boolean;
}

export interface RestorationSource {
  taskType: TaskType;
  originalFiles: readonly SandboxFile[];
  /** Commands of the buyer's checks. */
  commands: readonly string[];
  /** `checks`: the buyer's commands; `tests`: the project's own tests. */
  purpose: 'checks' | 'tests';
  /** The same command over the untouched files; null if its runner does not tell its tests apart. */
  ran: Ran | null;
  /** The task in the buyer's words. */
  description?: string;
  /** What the buyer says of its tests. */
  wishes?: TestWishes;
}

/** As paths of the workspace are written in here. */
export const normal = (path: string) => posix.normalize(path).replace(/^\/+/, '');

/** The test scripts of the buyer's manifests, and those scripts that the checks call and that measure. */
function starting(originalFiles: readonly SandboxFile[], called: readonly string[]) {
  const texts: string[] = [];
  for (const file of originalFiles) {
    const name = posix.basename(file.path);
    if (name !== 'package.json') continue;
    const scripts = record(parseRecord(file.content.toString('utf8'))?.scripts) ?? {};
    for (const script of testScripts(scripts, called)) texts.push(String(scripts[script] ?? ''));
  }
  return texts;
}

/** Which of the buyer's files are put back by what a run told, or by their names where none told anything. */
function deciding({
  taskType,
  originalFiles,
  ran,
  description = '',
  wishes,
}: RestorationSource): (path: string) => boolean {
  if (ran === null) return isTestFile;
  const tests = new Set(ran.tests);
  // Where operations are the work, so are settings.
  const steering = new Set(taskType === 'devops' ? [] : ran.steering);
  const serves = servingTests(ran.tests);
  const isOrdered = namedIn(description);
  const known = new Set(originalFiles.map(({ path }) => normal(path)));
  const mayChange = anyOf(wishes?.mayChange);
  return (path) =>
    known.has(path) &&
    !mayChange({ id: path, file: path }) &&
    // Runners of Rust and Go do not name the files of all tests.
    (tests.has(path) ||
      (/\.(?:rs|go)$/.test(path) && isTestFile(path)) ||
      ((steering.has(path) || serves(path)) && !isOrdered(path)));
}

/** Git's data, where it is not the buyer's: it would steer what asks Git. */
const agentsGit = (originalFiles: readonly SandboxFile[]) =>
  originalFiles.some(({ path }) => normal(path).startsWith('.git/')) ? [] : ['.git'];

/** A task to write tests delivers test files and their settings, so there they are left as delivered. */
export function restoration(source: RestorationSource): Restoration {
  const { taskType, originalFiles, commands, purpose, description = '' } = source;
  const writesTests = taskType === 'testing';
  const serving = !writesTests && taskType !== 'devops';
  const started = purpose === 'tests' || commands.some((command) => /\b(?:npm|pnpm|yarn|bun)\b/.test(command));
  const scripts = serving ? measuringScripts(commands) : [];
  const seeds = [...commands, ...(started && serving ? starting(originalFiles, scripts) : [])];
  // The gate itself runs `make test`.
  if (purpose === 'tests' && serving) seeds.push('make test');
  const named = namedScripts({ originalFiles, commands: seeds, description, serving });
  const decides = deciding(source);
  const removal = removesTests(description) ? description : '';
  const tested = new Set(source.ran?.tests);
  const mayChange = anyOf(source.wishes?.mayChange);
  const restored: SandboxFile[] = [];
  const merged: SandboxFile[] = [];
  for (const file of originalFiles) {
    const path = normal(file.path);
    const name = posix.basename(path);
    if (name === 'package.json' && !isTestFile(path)) merged.push({ ...file, path });
    else if (removal !== '' && serving && tested.has(path) && decides(path)) merged.push({ ...file, path });
    else if (named.has(path) || name === npmSettings || (!writesTests && decides(path)))
      restored.push({ ...file, path });
    else if (
      !writesTests &&
      !mayChange({ id: path, file: path }) &&
      inlineTests(path, file.content.toString('utf8')) !== null
    )
      merged.push({ ...file, path });
  }
  const hasSuite = restored.length > 0 || merged.length > 0;
  return {
    files: restored,
    merged,
    scripts,
    removal,
    removed: agentsGit(originalFiles),
    purgeNames: hasSuite ? [npmSettings] : [],
    purgeModules: hasSuite && !originalFiles.some((file) => file.path.includes('node_modules/')),
  };
}

/** Files of the agent's own that steer a run: with them gone the buyer's tests must still pass. */
export function addedSteering(
  { taskType, originalFiles, description = '' }: Pick<RestorationSource, 'taskType' | 'originalFiles' | 'description'>,
  steering: readonly string[],
) {
  if (taskType === 'testing' || taskType === 'devops') return [];
  const known = new Set(originalFiles.map(({ path }) => normal(path)));
  const isOrdered = namedIn(description);
  return steering.filter((path) => !known.has(path) && !isOrdered(path) && !path.startsWith('node_modules/'));
}

/** Settings of linters. Complaints before and after are compared, so both runs need the same settings. */
const linterNames = [
  '.eslintrc*',
  'eslint.config.*',
  'biome.json*',
  '.prettierrc*',
  '.stylelintrc*',
  'ruff.toml',
  '.ruff.toml',
  '.golangci.*',
];

/** Whether a name is one of the list, where `*` stands for anything. */
function matcher(patterns: readonly string[]) {
  const parts = patterns.map((pattern) => pattern.replaceAll('.', '\\.').replace('*', '[^/]*'));
  const any = new RegExp(`(?:^|/)(?:${parts.join('|')})$`);
  return (path: string) => any.test(path);
}

const steersLinter = matcher(linterNames);

/**
 * For a run of the linter its script and settings are the buyer's. Everything else stays as delivered, tests included,
 * because the agent may have renamed what they refer to.
 */
export function linterRestoration(
  taskType: TaskType,
  originalFiles: readonly SandboxFile[],
  command: string,
): Restoration | null {
  if (taskType === 'devops') return null;
  const files: SandboxFile[] = [];
  const merged: SandboxFile[] = [];
  for (const file of originalFiles) {
    const path = normal(file.path);
    if (posix.basename(path) === 'package.json') merged.push({ ...file, path });
    else if (steersLinter(path)) files.push({ ...file, path });
  }
  const scripts = measuringScripts([command]);
  return { files, merged, scripts, removal: '', removed: [], purgeNames: [], purgeModules: false };
}

/** Settings of test runners that live in package.json. */
const runnerKeys = ['jest', 'mocha', 'ava', 'vitest', 'c8', 'nyc', 'tap'];

const calls = /\b(?:npm|pnpm|yarn|bun)(?: run| run-script)?(?: -s| --silent)? ([\w:-]{1,80})/g;
const measures = /^(?:ci|check|verify|validate|acceptance|grade|lint|typecheck|unit|integration|e2e|spec|coverage)\b/;

function measuringScripts(commands: readonly string[]) {
  const names = new Set<string>();
  for (const command of commands) {
    for (const [, name] of command.matchAll(calls)) {
      if (measures.test(name!)) for (const hook of [name!, `pre${name}`, `post${name}`]) names.add(hook);
    }
  }
  return [...names];
}

/** Scripts that a test run starts: test with its hooks and variants, named ones, and all scripts that these call. */
function testScripts(scripts: Record<string, unknown>, called: readonly string[] = [], withTests = true) {
  const names = new Set(called);
  if (withTests) {
    for (const name of ['pretest', 'test', 'posttest']) names.add(name);
    for (const name of Object.keys(scripts)) if (/^(?:pre|post)?test[:\w-]*$/.test(name)) names.add(name);
  }
  for (const name of names) {
    const script = scripts[name];
    if (typeof script !== 'string') continue;
    for (const [, next] of script.matchAll(calls)) {
      for (const hook of [next!, `pre${next}`, `post${next}`]) names.add(hook);
    }
  }
  return names;
}

const maxIndentedChars = 64 * 1024;

/**
 * The delivered package.json with all settings of the buyer's tests restored. If the delivered one is missing or not
 * JSON, the buyer's replaces it. If the buyer's is not JSON, it has no effect.
 */
export function mergePackage(
  originalText: string,
  deliveredText: string | null,
  called: readonly string[] = [],
): string {
  const original = parseRecord(originalText);
  const delivered = deliveredText === null ? null : parseRecord(deliveredText);
  if (original === null || delivered === null)
    return original === null ? (deliveredText ?? originalText) : originalText;
  const buyers = record(original.scripts) ?? {};
  const scripts: Record<string, unknown> = { ...record(delivered.scripts) };
  // The agent may add what the buyer never had, except hooks of the buyer's own scripts.
  const measured = called.filter((name) => buyers[name.replace(/^(?:pre|post)/, '')] !== undefined);
  for (const name of testScripts(buyers, measured, declaresTests(original))) {
    if (buyers[name] === undefined) delete scripts[name];
    else scripts[name] = buyers[name];
  }
  const merged: Record<string, unknown> = { ...delivered, scripts };
  for (const key of runnerKeys) {
    if (original[key] === undefined) delete merged[key];
    else merged[key] = original[key];
  }
  const text = JSON.stringify(merged);
  // Indented as people have it, unless nesting would make a short text a long one.
  return text.length > maxIndentedChars ? text : JSON.stringify(merged, null, 2);
}

/** The script that `npm init` writes is the statement that there are no tests. */
export function declaresTests(packageJson: Record<string, unknown> | null) {
  const script = record(packageJson?.scripts)?.test;
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
}
