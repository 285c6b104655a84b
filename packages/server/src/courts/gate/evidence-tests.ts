import type { TaskType } from '@agora/contract';
import type { Sandbox, SandboxFile } from '../../sandbox/index.ts';
import type { Delivered } from './changes.ts';
import { type Finding, mendsTests } from './criteria.ts';
import { allOutput, baseline, describe } from './evidence-checks.ts';
import { label } from './excerpt.ts';
import { commandName, type ProjectRun, type Ran, runProject, succeeded } from './project-run.ts';
import { isTestFile } from './protected.ts';
import { readText, type Stage, untouched } from './stage.ts';
import { declaredTests, isManifest, lacksDependencies, ranNoTests, type TestCommand } from './test-commands.ts';
import { shortfall } from './test-counts.ts';

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'tests', name: 'tests', score, weight: 1, evidence };
};

const maxManifests = 20;

/** The test command that only the delivered project declares, read from the delivered files. */
export async function agentsTests(sandbox: Sandbox, delivered: Delivered): Promise<TestCommand | null> {
  const texts = new Map<string, string | null>();
  for (const path of delivered.paths.filter(isManifest).slice(0, maxManifests)) {
    texts.set(path, await readText(sandbox, path));
  }
  return declaredTests(delivered.paths.map((path) => ({ path, text: texts.get(path) ?? null })));
}

export const buyersTests = (originalFiles: readonly SandboxFile[]) =>
  declaredTests(
    originalFiles.map((file) => ({
      path: file.path,
      text: isManifest(file.path) ? file.content.toString('utf8') : null,
    })),
  );

export interface TestsSource extends ProjectRun {
  taskType: TaskType;
  /** The delivered workspace with the buyer's tests put back; the buyer's own files where none was delivered. */
  stage: Stage;
  /** Whether the buyer's files declared the tests; the agent's own prove nothing by passing. */
  declaredBy: 'buyer' | 'agent';
  originalFiles: readonly SandboxFile[];
  /** Null when it could not be found out. */
  delivered: Delivered | null;
}

const said = (ran: Ran) => ('result' in ran ? allOutput(ran.result) : '');

const manifestText = (files: readonly SandboxFile[]) =>
  files
    .filter((file) => /(?:^|\/)(?:requirements[^/]*\.txt|pyproject\.toml|setup\.(?:cfg|py)|Pipfile)$/.test(file.path))
    .map((file) => file.content.toString('utf8'))
    .join('\n');

/** Passing is evidence only where the tests are the buyer's and something other than tests was changed. */
async function passing(source: TestsSource, name: string, ran: Ran): Promise<Finding> {
  const { declaredBy, delivered, taskType } = source;
  if (ranNoTests(said(ran))) return finding(null, `${name} found no tests to run.`);
  if (declaredBy === 'agent') return finding(null, `${name} passes, but the tests are the agent's own: no proof.`);
  const work = delivered?.changed.filter((path) => taskType === 'testing' || !isTestFile(path));
  if (delivered !== null && (!delivered.differs || work?.length === 0)) {
    return finding(null, `${name} passes, but nothing that it tests was changed: no proof.`);
  }
  if (taskType === 'testing') return finding(null, `${name} passes, but writing it was the task: no proof.`);
  const reason = await cutShort(source, ran);
  if (reason !== null) return finding(0, `${name} exits with 0, but that is no pass: ${label(reason)}.`);
  return finding(100, `${name} passes.`);
}

const runBefore = (source: TestsSource) => runProject({ ...untouched(source.stage), extraFiles: [] }, source, 1);

/** Why tests that succeeded do not pass: fewer of them ran than over the buyer's untouched files. */
async function cutShort(source: TestsSource, ran: Ran) {
  if (source.stage.restoration?.comparesTests !== true) return null;
  const before = await runBefore(source);
  return shortfall({
    command: source.command.command,
    output: said(ran),
    before: 'result' in before ? baseline(before.result) : null,
    originalFiles: source.originalFiles,
  });
}

/** A failure counts when the untouched project passed, or when turning it green was the task. */
async function failing(source: TestsSource, name: string, ran: Ran): Promise<Finding> {
  const told = 'result' in ran ? describe(ran.result, ran.capMs) : 'broken' in ran ? ran.broken : '';
  if (source.declaredBy === 'agent') {
    const lacking = lacksDependencies(said(ran), '');
    if (lacking) return finding(null, `${name}, the agent's own, needs what is not in the sandbox.`);
    return finding(0, `${name}, the agent's own, fails. ${told}`);
  }
  const { delivered } = source.stage;
  // Over the buyer's own files it has been run just now.
  const before = delivered ? await runBefore(source) : ran;
  if (succeeded(before) && !ranNoTests(said(before))) {
    return finding(0, `${name} passed before and fails now. ${told}`);
  }
  if (lacksDependencies(said(before), manifestText(source.originalFiles))) {
    return finding(null, `Not run: ${name} needs what is not in the sandbox, before and after the work.`);
  }
  if (mendsTests(source.taskType)) {
    const fails = delivered
      ? `${name} failed before and still fails`
      : `No workspace was delivered, and ${name} fails over the buyer's own files`;
    return finding(0, `${fails}. ${told}`);
  }
  return finding(null, `${name} failed before the work already; not held against it. ${told}`);
}

/** Runs what the project itself declares as its tests, as the buyer supplied them. */
export async function testsEvidence(source: TestsSource): Promise<Finding> {
  const { command } = source;
  const name = commandName(command);
  // The run before the work, which comes second, must have time even where this one takes all of its own.
  const ran = await runProject(source.stage, source, 0.6);
  if ('lacking' in ran) return finding(null, `Not run: ${ran.lacking} is not in the sandbox.`);
  return succeeded(ran) ? passing(source, name, ran) : failing(source, name, ran);
}
