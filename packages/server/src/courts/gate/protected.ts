import { posix } from 'node:path';
import type { TaskType } from '@agora/contract';
import type { SandboxFile } from '../../sandbox/index.ts';
import { tooDeep } from './schema-limits.ts';

/**
 * Which of the buyer's files decide a verdict and therefore are the buyer's again before anything is run,
 * however the agent left them. Everything else is the delivered work and is left alone.
 */

const testDirectories = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e', 'testdata', '__snapshots__']);
const testNames = /(?:[._-](?:test|tests|spec|specs)\.[^./]+|^(?:test|tests|spec)\.[^./]+|^test_[^/]*\.py)$/;
const checkNames = /^(?:check|checks|verify|validate|acceptance|grade|grader)(?:[._-][^/]*)?$/;

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
];

/** Steering files that nobody's work consists of, not even that of a task to write tests. */
const alwaysSteering = ['.npmrc', 'sitecustomize.py', 'usercustomize.py'];

/** Files that also hold real work, so they are the buyer's again only for the project's own tests. */
const projectFiles = new Set(['pyproject.toml', 'setup.cfg', 'tox.ini', 'makefile', 'gnumakefile']);

const matches = (name: string, pattern: string) => {
  const star = pattern.indexOf('*');
  return star < 0 ? name === pattern : name.startsWith(pattern.slice(0, star));
};

const isSteering = (name: string) => [...steeringNames, ...alwaysSteering].some((pattern) => matches(name, pattern));

/** Whether a path is part of a test suite by the usual conventions. */
export function isTestFile(path: string) {
  const segments = path.split('/');
  const name = segments.pop()!;
  return testNames.test(name) || segments.some((segment) => testDirectories.has(segment));
}

export interface Restoration {
  /** Written back with the buyer's content. */
  files: SandboxFile[];
  /** Buyer's package.json files; only what steers their tests is put back. */
  packages: SandboxFile[];
  /** Names deleted wherever they are before the buyer's are written back (patterns of find -name). */
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
}

const normal = (path: string) => posix.normalize(path).replace(/^\/+/, '');

/** A task to write tests delivers test files and their settings: there only the always-steering ones are put back. */
export function restoration({ taskType, originalFiles, commands, purpose }: RestorationSource): Restoration {
  const writesTests = taskType === 'testing';
  const restored: SandboxFile[] = [];
  const packages: SandboxFile[] = [];
  for (const file of originalFiles) {
    const path = normal(file.path);
    const name = posix.basename(path);
    const named = checkNames.test(name) && commands.some((command) => command.includes(name));
    const ofTests = !writesTests && (isTestFile(path) || isSteering(name));
    const ofProject =
      !writesTests && purpose === 'tests' && (projectFiles.has(name.toLowerCase()) || path.includes('.cargo/'));
    const always = alwaysSteering.includes(name);
    if (name === 'package.json' && !isTestFile(path)) packages.push({ ...file, path });
    else if (named || ofTests || ofProject || always) restored.push({ ...file, path });
  }
  const hasSuite = restored.length > 0 || packages.length > 0;
  // A GNUmakefile takes precedence over the buyer's Makefile, and cargo's settings can replace the test runner.
  const ofTools = purpose === 'tests' ? ['GNUmakefile', '.cargo'] : [];
  const purge = writesTests ? alwaysSteering : [...steeringNames, ...alwaysSteering, ...ofTools];
  return {
    files: restored,
    packages,
    purgeNames: hasSuite ? purge : [],
    purgeModules: hasSuite && !originalFiles.some((file) => file.path.includes('node_modules/')),
  };
}

/** Settings of test runners that live in package.json. */
const runnerKeys = ['jest', 'mocha', 'ava', 'vitest', 'c8', 'nyc', 'tap'];

/** Scripts a test run starts: test with its hooks and variants, and whatever those call in turn. */
function testScripts(scripts: Record<string, unknown>) {
  const names = new Set(['pretest', 'test', 'posttest']);
  for (const name of Object.keys(scripts)) if (/^(?:pre|post)?test[:\w-]*$/.test(name)) names.add(name);
  for (const name of names) {
    const script = scripts[name];
    if (typeof script !== 'string') continue;
    for (const [, called] of script.matchAll(/\b(?:npm|pnpm|yarn)(?: run| run-script)? ([\w:-]{1,80})/g)) {
      for (const hook of [called!, `pre${called}`, `post${called}`]) names.add(hook);
    }
  }
  return names;
}

/** The value as a plain JSON object, or null. */
export const record = (value: unknown): Record<string, unknown> | null =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

/** Null for what is nested too deeply as well: it parses, but writing it again would overflow the stack. */
export function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return tooDeep(value) ? null : record(value);
  } catch {
    return null;
  }
}

/**
 * The delivered package.json with everything that steers the buyer's tests as the buyer had it. A delivered
 * one that is missing or no JSON is replaced by the buyer's; a buyer's that is no JSON steers nothing.
 */
export function mergePackage(originalText: string, deliveredText: string | null): string {
  const original = parseRecord(originalText);
  const delivered = deliveredText === null ? null : parseRecord(deliveredText);
  if (original === null || delivered === null)
    return original === null ? (deliveredText ?? originalText) : originalText;
  const buyers = record(original.scripts) ?? {};
  const scripts: Record<string, unknown> = { ...record(delivered.scripts) };
  if (declaresTests(original)) {
    for (const name of [...testScripts(buyers), ...Object.keys(scripts)]) {
      const steers = testScripts(buyers).has(name) || /^(?:pre|post)?test$/.test(name);
      if (!steers) continue;
      if (buyers[name] === undefined) delete scripts[name];
      else scripts[name] = buyers[name];
    }
  }
  const merged: Record<string, unknown> = { ...delivered, scripts };
  for (const key of runnerKeys) {
    if (original[key] === undefined) delete merged[key];
    else merged[key] = original[key];
  }
  return JSON.stringify(merged, null, 2);
}

/** The script that `npm init` writes is the statement that there are no tests. */
export function declaresTests(packageJson: Record<string, unknown> | null) {
  const script = record(packageJson?.scripts)?.test;
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
}
