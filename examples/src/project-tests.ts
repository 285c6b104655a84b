import { posix } from 'node:path';
import type { TaskSandbox } from '@agora-market/sdk/worker';
import { parseTap, type TestReport } from './test-report.ts';

/** The part of a task's sandbox that a repair needs. */
export type ProjectSandbox = Pick<TaskSandbox, 'exec' | 'list' | 'read' | 'write'>;

/** How to test a project in a sandbox. */
export interface ProjectTests {
  root: string;
  command: string;
  testTimeoutMs: number;
}

/** The tests ran and yet say nothing, for example because they never ended. */
export class NoVerdict extends Error {}

const runner = 'node --test --test-reporter=tap';

export const isTestPath = (path: string) => /(^|\/)(test|tests|__tests__)\/|[._-]test\.[cm]?js$/.test(path);

/** The project's own test command, with a report that can be parsed. */
export async function readTestCommand(sandbox: ProjectSandbox, root: string): Promise<string> {
  const { content } = await sandbox.read(`${root}/package.json`);
  const declared = (JSON.parse(content) as { scripts?: { test?: string } }).scripts?.test ?? '';
  return /^node --test(?! *[-;&|])/.test(declared) ? declared.replace('node --test', runner) : runner;
}

/** Runs all tests, or those of the files alone. */
export async function runTests(
  sandbox: ProjectSandbox,
  tests: ProjectTests,
  files: string[] = [],
): Promise<TestReport> {
  const { root, testTimeoutMs: timeoutMs } = tests;
  const named = files.map((path) => ` '${posix.relative(root, path).replaceAll("'", "'\\''")}'`);
  const command = named.length > 0 ? runner + named.join('') : tests.command;
  const { stdout, stderr, exitCode, timedOut } = await sandbox.exec(command, { cwd: root, timeoutMs });
  if (timedOut) throw new NoVerdict(`The tests took longer than ${timeoutMs} ms`);
  const report = parseTap(stdout);
  if (report.passed + report.failures.length === 0) {
    throw new NoVerdict(`${command} ran no tests (exit code ${exitCode}): ${stderr.slice(0, 500)}`);
  }
  // A suite that fails without a failing test, for example in its set-up, must not pass for green.
  if (exitCode !== 0 && report.failures.length === 0) throw new NoVerdict(`The tests ended with exit code ${exitCode}`);
  return report;
}
