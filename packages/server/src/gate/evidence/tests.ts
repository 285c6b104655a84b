import { posix } from 'node:path';
import type { TaskType } from '@agora/contract';
import type { Sandbox } from '../../sandbox/index.ts';
import { type Finding, mendsTests } from '../criteria.ts';
import { Unreadable } from '../errors.ts';
import type { Reader } from '../reading/readers.ts';
import { isTestFile, normal } from '../restore/restored-files.ts';
import { type CheckSandbox, readText, untouched } from '../sandboxes/check-sandbox.ts';
import type { DeliveredFiles } from './changes.ts';
import { allOutput, baseline, describe } from './checks.ts';
import { label } from './excerpt.ts';
import { commandName, type ProjectRun, type Ran, runProject, succeeded } from './project-run.ts';
import { isManifest, type TestCommand } from './test-commands.ts';

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'tests', name: 'tests', score, weight: 1, evidence };
};

const maxManifests = 20;

/** The test command that only the delivered project declares, read from the delivered files. */
export async function agentsTests(
  sandbox: Sandbox,
  reader: Reader,
  delivered: DeliveredFiles,
): Promise<TestCommand | null> {
  const texts = new Map<string, string | null>();
  for (const path of delivered.paths.filter(isManifest).slice(0, maxManifests)) {
    texts.set(path, await readText(sandbox, path));
  }
  return reader.read('agentsTests', { paths: delivered.paths, texts });
}

export interface TestsSource extends ProjectRun {
  taskType: TaskType;
  /** The delivered workspace with the buyer's tests put back; the buyer's own files where none was delivered. */
  setup: CheckSandbox;
  /** Whether the buyer's files declared the tests; the agent's own prove nothing by passing. */
  declaredBy: 'buyer' | 'agent';
  /** Null if it could not be found out. */
  delivered: DeliveredFiles | null;
}

const said = (ran: Ran) => ('result' in ran ? allOutput(ran.result) : '');

/** The runner's complaint. A missing module counts if the complaint is about the buyer's files or the agent's own. */
const complaints = ({ setup, declaredBy }: TestsSource, ran: Ran) =>
  setup.reader.read('complaints', { output: said(ran), isBuyers: declaredBy === 'buyer' });

/** Passing is evidence only where the tests are the buyer's and something other than tests was changed. */
async function passing(source: TestsSource, name: string, ran: Ran): Promise<Finding> {
  const { declaredBy, delivered, taskType } = source;
  if ((await complaints(source, ran)).ranNoTests) return finding(null, `${name} found no tests to run.`);
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

const runBefore = (source: TestsSource) => runProject({ ...untouched(source.setup), extraFiles: [] }, source, 1);

/** Why tests that succeeded do not pass: fewer of them ran than over the buyer's untouched files. */
async function cutShort(source: TestsSource, ran: Ran) {
  if (source.setup.restoration?.comparesTests !== true) return null;
  const before = await runBefore(source);
  return source.setup.reader.read('shortfall', {
    command: source.command.command,
    output: said(ran),
    before: 'result' in before ? baseline(before.result) : null,
  });
}

/** A failure counts when the untouched project passed, or when turning it green was the task. */
async function failing(source: TestsSource, name: string, ran: Ran): Promise<Finding> {
  const told = 'result' in ran ? describe(ran.result, ran.capMs) : 'broken' in ran ? ran.broken : '';
  if (source.declaredBy === 'agent') {
    const { lacksDependencies } = await complaints(source, ran);
    if (lacksDependencies) return finding(null, `${name}, the agent's own, needs what is not in the sandbox.`);
    return finding(0, `${name}, the agent's own, fails. ${told}`);
  }
  const { delivered } = source.setup;
  // Over the buyer's own files it has been run just now.
  const before = delivered ? await runBefore(source) : ran;
  const { ranNoTests, lacksDependencies } = await complaints(source, before);
  if (succeeded(before) && !ranNoTests) {
    return finding(0, `${name} passed before and fails now. ${told}`);
  }
  if (lacksDependencies) {
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

/** Without its directory where that is the name of one held out, which the agent must not read. */
function nameOf({ command, setup }: TestsSource): string {
  const paths = setup.heldOut.map(({ path }) => normal(path));
  const isHeldOut = paths.some((path) => isManifest(path) && posix.dirname(path) === command.directory);
  return isHeldOut ? command.command : commandName(command);
}

/** Runs the project's declared tests, as the buyer supplied them. */
export async function testsEvidence(source: TestsSource): Promise<Finding> {
  const name = nameOf(source);
  // The run before the work, which comes second, must have time even where this one takes all of its own.
  const ran = await runProject(source.setup, source, 0.6);
  if ('lacking' in ran) return finding(null, `Not run: ${ran.lacking} is not in the sandbox.`);
  try {
    return await (succeeded(ran) ? passing(source, name, ran) : failing(source, name, ran));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return finding(0, `Failed: ${error.message}.`);
  }
}
