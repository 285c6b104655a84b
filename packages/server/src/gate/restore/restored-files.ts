import { posix } from 'node:path';
import type { TaskType } from '@agora/contract';
import type { SandboxFile } from '../../sandbox/index.ts';
import { isMakefile, namedScripts } from '../evidence/named-scripts.ts';
import { parseRecord, record } from '../reading/parse-record.ts';

/**
 * Which of the buyer's files decide a verdict and therefore are the buyer's again before anything is run,
 * however the agent left them. Everything else is the delivered work and is left alone.
 */

const testDirectories = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e', 'testdata', '__snapshots__']);
/** In any letter case, as people write them; names that a tool looks up exactly stand below as the tool has them. */
const testNames = /(?:[._-](?:test|tests|spec|specs)\.[^./]+|^(?:test|tests|spec)\.[^./]+|^test_[^/]*\.py)$/i;

/** Files whose only purpose is to steer a test run. */
const steeringNames = [
  '.npmrc',
  'conftest.py',
  'pytest.ini',
  '.pytest.ini',
  'jest.config.*',
  'vitest.config.*',
  'vitest.workspace.*',
  '.mocharc*',
  'ava.config.*',
  'karma.conf.*',
  'playwright.config.*',
  '.taprc',
  '.nycrc*',
  '.c8rc*',
  'cypress.config.*',
  'bunfig.toml',
  '.rspec',
];

/** A module of this name in the workspace is imported instead of the intended one. */
const shadows = (modules: readonly string[]) =>
  modules.flatMap((name) => [`${name}.py`, `${name}.pyc`, `${name}.*so`, `${name}/__init__.*`]);

/** Steering files that nobody's work consists of, not even that of a task to write tests. */
const alwaysSteering = [
  '.npmrc',
  ...shadows(['sitecustomize', 'usercustomize', 'unittest', 'pytest', '_pytest', 'pluggy', 'doctest']),
];

/** Modules that Python's runners import first; elsewhere a file of such a name may be the work. */
const pythonShadows = shadows(['argparse', 'contextlib', 'difflib', 'functools', 'inspect', 'traceback', 'warnings']);
const pythonSettings = ['pyproject.toml', 'setup.cfg', 'tox.ini'];
const runsPythonTests = (command: string) => /\b(?:pytest|py\.test|unittest|tox|nox)\b/.test(command);

/** Files that also hold real work, so they are the buyer's again only for the project's own tests. */
const projectFiles = new Set(['pyproject.toml', 'setup.cfg', 'tox.ini', 'makefile', 'gnumakefile']);

/** Whether a path ends in a name of the lists above: as `find -name` and `find -path` take them. */
const matches = (path: string, pattern: string) => {
  const tail = path.split('/').slice(pattern.includes('/') ? -2 : -1);
  const name = tail.join('/');
  const [start, end] = pattern.split('*');
  return end === undefined ? name === pattern : name.startsWith(start!) && name.endsWith(end);
};

/** The same for a list of them, as one expression: a repository has many files, and a task many checks. */
function matcher(patterns: readonly string[]) {
  const parts = patterns.map((pattern) => pattern.replaceAll('.', '\\.').replace('*', '[^/]*'));
  const any = new RegExp(`(?:^|/)(?:${parts.join('|')})$`);
  return (path: string) => any.test(path);
}

/** Whether a path is part of a test suite by the usual conventions. */
export function isTestFile(path: string) {
  const segments = path.split('/');
  const name = segments.pop()!;
  return testNames.test(name) || segments.some((segment) => testDirectories.has(segment.toLowerCase()));
}

const steers = matcher(steeringNames);
const alwaysSteers = matcher(alwaysSteering);

export interface Restoration {
  /** Written back with the buyer's content. */
  files: SandboxFile[];
  /** The buyer's package.json files; only the settings of their tests are restored. */
  packages: SandboxFile[];
  /** Scripts of package.json that checks call by name and whose names say that they measure. */
  scripts: string[];
  /** Deleted everywhere before the buyer's are written (`find -name`, or `-path` for those with a slash). */
  purgeNames: string[];
  /** Whether node_modules that the agent brought along is removed. */
  purgeModules: boolean;
  /** Whether the buyer's tests decide, so that their number can be compared with that of the untouched files. */
  comparesTests: boolean;
}

export interface RestorationSource {
  taskType: TaskType;
  originalFiles: readonly SandboxFile[];
  /** Commands of the buyer's checks. */
  commands: readonly string[];
  /** `checks`: the buyer's commands; `tests`: the project's own tests. */
  purpose: 'checks' | 'tests';
  /** The check about to be run. */
  running?: string;
  /** The task in the buyer's words. */
  description?: string;
}

/** As paths of the workspace are written in here. */
export const normal = (path: string) => posix.normalize(path).replace(/^\/+/, '');

/** Names that would take precedence over the buyer's files in the next run. */
function shadowing({ originalFiles, purpose, running = '' }: RestorationSource, named: ReadonlySet<string>) {
  const names: string[] = [];
  // A GNUmakefile or makefile takes precedence over the buyer's Makefile, and cargo's settings can replace the runner.
  if (purpose === 'tests') names.push('GNUmakefile', '.cargo');
  const hasMakefile = originalFiles.some((file) => isMakefile(posix.basename(file.path)));
  const putsBack = purpose === 'tests' || [...named].some((path) => isMakefile(posix.basename(path)));
  if (hasMakefile && putsBack) names.push('GNUmakefile', 'makefile');
  const hasTests = originalFiles.some((file) => isTestFile(normal(file.path)));
  if (!hasTests || !(purpose === 'tests' || runsPythonTests(running))) return names;
  for (const pattern of [...pythonSettings, ...pythonShadows]) {
    const isBuyers = originalFiles.some((file) => matches(normal(file.path), pattern));
    if (!isBuyers && !running.includes(pattern)) names.push(pattern);
  }
  return names;
}

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

/** A task to write tests delivers test files and their settings: there only the always-steering ones are put back. */
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
  const restored: SandboxFile[] = [];
  const packages: SandboxFile[] = [];
  for (const file of originalFiles) {
    const path = normal(file.path);
    const name = posix.basename(path);
    const ofTests = !writesTests && (isTestFile(path) || steers(path));
    const ofProject =
      !writesTests && purpose === 'tests' && (projectFiles.has(name.toLowerCase()) || path.includes('.cargo/'));
    if (name === 'package.json' && !isTestFile(path)) packages.push({ ...file, path });
    else if (named.has(path) || ofTests || ofProject || alwaysSteers(path)) {
      restored.push({ ...file, path });
    }
  }
  const hasSuite = restored.length > 0 || packages.length > 0;
  const purge = writesTests ? alwaysSteering : [...steeringNames, ...alwaysSteering, ...shadowing(source, named)];
  return {
    files: restored,
    packages,
    scripts,
    purgeNames: hasSuite ? purge : [],
    purgeModules: hasSuite && !originalFiles.some((file) => file.path.includes('node_modules/')),
    comparesTests: !writesTests && originalFiles.some((file) => isTestFile(normal(file.path))),
  };
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
  const packages: SandboxFile[] = [];
  for (const file of originalFiles) {
    const path = normal(file.path);
    if (posix.basename(path) === 'package.json') packages.push({ ...file, path });
    else if (steersLinter(path)) files.push({ ...file, path });
  }
  const scripts = measuringScripts([command]);
  return { files, packages, scripts, purgeNames: [], purgeModules: false, comparesTests: false };
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
