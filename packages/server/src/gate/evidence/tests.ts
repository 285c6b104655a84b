import { posix } from 'node:path';
import { gate, type TaskType } from '@agora-market/contract';
import type { Sandbox } from '../../sandbox/index.ts';
import { type Finding, mendsTests } from '../criteria.ts';
import { Unreadable } from '../errors.ts';
import type { Reader } from '../reading/readers.ts';
import { normal } from '../restore/restored-files.ts';
import type { ComparedRuns } from '../runs/compare.ts';
import { type CheckSandbox, readText } from '../sandboxes/check-sandbox.ts';
import type { DeliveredFiles } from './changes.ts';
import { count, namesOf, saidOfBroken } from './compared-runs.ts';
import { changedWork } from './delivered.ts';
import { label } from './excerpt.ts';
import { foundDefects, scoreOfDefects } from './found-defects.ts';
import type { Planned } from './planned.ts';
import { commandName, type ProjectRun, runProject } from './project-run.ts';
import { noReport, prove, saidOfProof } from './proof.ts';
import { allOutput, describe, outcomeOf, type Ran, type Remaining, reportOf, succeeded } from './ran.ts';
import { isManifest, type TestCommand } from './test-commands.ts';
import { runTwice, type TwoRuns } from './two-runs.ts';

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
  plan: Planned;
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

const unproved = (name: string) => finding(null, `${name} passes, but nothing that it tests was changed: no proof.`);

/** Delivered tests that pass, where they are the work: by the defects that they notice. */
async function byDefects(
  source: TestsSource,
  name: string,
  { over, now, before }: Pick<TwoRuns, 'over' | 'now'> & { before: Ran | null },
): Promise<Finding> {
  if (!over.delivered) return finding(null, `${name} passes, but no workspace was delivered: no proof.`);
  const run = (with_: CheckSandbox, capMs: number) => runProject(with_, { ...source, capMs }, 0.5);
  const found = await foundDefects({ ...source, over, now, before, run });
  if ('ofText' in found)
    return ended(0, `${name} passes, but not over your own files with a remark more.`, found.ofText);
  const { score, why } = 'why' in found ? { score: null, why: found.why } : scoreOfDefects(found);
  const row = { ...finding(score, `${name} passes; ${why}.`), ...outcomeOf(now) };
  return (score ?? 0) < gate.passScore ? row : { ...row, proof: 'sentinels' };
}

/** Tests that only the delivery declares prove nothing by passing. */
async function ofAgent(source: TestsSource, name: string, ran: Ran): Promise<Finding> {
  const { ranNoTests, lacksDependencies } = await complaints(source, ran);
  if (succeeded(ran) && !ranNoTests && source.taskType === 'testing') {
    return byDefects(source, name, { over: source.setup, now: ran, before: null });
  }
  if (succeeded(ran)) {
    return finding(
      null,
      ranNoTests ? `${name} found no tests to run.` : `${name} passes, but the tests are the agent's own: no proof.`,
    );
  }
  if (lacksDependencies) return finding(null, `${name}, the agent's own, needs what is not in the sandbox.`);
  return ended(0, `${name}, the agent's own, fails.`, ran);
}

/** A row of a run that ended so, with the tests that matter. */
const ended = (score: number, why: string, ran: Ran, tests: readonly string[] = []): Finding => ({
  ...finding(score, `${why} ${toldOf(ran)}`),
  ...outcomeOf(ran, tests),
});

const toldOf = (ran: Ran) => ('result' in ran ? describe(ran.result, ran.capMs) : 'broken' in ran ? ran.broken : '');

/** By the names of the buyer's tests, where the runner reports them. */
async function byTests(source: TestsSource, name: string, runs: TwoRuns, compared: ComparedRuns): Promise<Finding> {
  const { now: ran, before, restored } = runs;
  const { broken, mended, wanting, beside, kept, failing } = compared;
  if (broken.count > 0) return ended(0, `${name}: ${saidOfBroken(compared)}`, ran, namesOf(broken));
  const isNamed = source.plan.asked.wishes.mustPass !== undefined;
  if ((mendsTests(source.taskType) || isNamed) && wanting.count > 0) {
    const wants = await wantOf(source, name, runs, compared.testFiles);
    if (wants !== null) return wants;
    if (isNamed) return ended(0, `${name}: ${saidOfNamed(wanting.count)}`, ran, wanting.first);
    if (mended.count === 0) return ended(0, `${stillFails(source, name)}.`, ran, wanting.first);
    if (beside.count > 0) {
      const rest = `of ${count(beside.count + mended.count, 'test')} that failed before ${mended.count} pass now, and ${beside.count} beside them ${beside.count === 1 ? 'does' : 'do'} not`;
      const share = (100 * mended.count) / (beside.count + mended.count);
      return ended(Math.min(49, share), `${name}: ${rest}. The buyer can name tests that may fail.`, ran, beside.first);
    }
    const total = mended.count + wanting.count;
    // Half of it passes and a third does not: some may fail for reasons of their own, and some be what was asked for.
    const why = `${name}: of ${count(total, 'test')} that failed before ${mended.count} pass now.`;
    return ended(20 + (80 * mended.count) / total, why, ran, wanting.first);
  }
  // It breaks off before it comes to the tests that were asked for.
  const breaksOff = [ran, before].every((each) => !succeeded(each)) && failing + mended.count === 0;
  if (breaksOff && mendsTests(source.taskType)) {
    return (
      (await wantOf(source, name, runs, compared.testFiles)) ??
      ended(0, `${stillFails(source, name)}, although no test of it does.`, ran)
    );
  }
  if (kept + mended.count === 0) return finding(null, `${name} passes no test, before and after the work.`);
  if (!changedWork(source.delivered, restored, compared.testFiles)) return unproved(name);
  return finding(
    100,
    succeeded(ran) ? `${name} passes.` : `${name} passes all tests that passed before, and no other is asked for.`,
  );
}

const saidOfNamed = (wanting: number) =>
  `${count(wanting, 'test')} that the buyer names ${wanting === 1 ? 'does' : 'do'} not pass.`;

/** What it may have failed for before and after the work, which no agent could give it. */
async function wantOf(
  source: TestsSource,
  name: string,
  { before, restored }: TwoRuns,
  testFiles: readonly string[] | null,
): Promise<Finding | null> {
  const { missingParts, lacking, hidden } = source.plan;
  // Nothing that was done can have mended them, with or without what is missing.
  if (mendsTests(source.taskType) && !changedWork(source.delivered, restored, testFiles)) return null;
  if (hidden !== null) return finding(null, `Not run: ${name} fails before and after the work. ${hidden}`);
  if (missingParts !== null)
    return finding(null, `Not run: ${name} fails before and after the work, and ${missingParts}.`);
  const { lacksDependencies, lacksModule } = await complaints(source, before);
  if (!lacksDependencies && !(lacking.length > 0 && lacksModule)) return null;
  const why = `Not run: ${name} needs what is not in the sandbox, before and after the work.`;
  return finding(null, [why, ...lacking].join(' '));
}

const stillFails = ({ setup }: TestsSource, name: string) =>
  setup.delivered
    ? `${name} failed before and still fails`
    : `No workspace was delivered, and ${name} fails over the buyer's own files`;

/** By the exit code alone, where no test is told from another. */
async function byExitCode(source: TestsSource, name: string, runs: TwoRuns): Promise<Finding> {
  const { now: ran, before, restored } = runs;
  if (succeeded(ran)) {
    if ((await complaints(source, ran)).ranNoTests) return finding(null, `${name} found no tests to run.`);
    return changedWork(source.delivered, restored, null)
      ? { ...finding(100, `${name} passes.${saidOfProof({ why: noReport })}`), proof: 'exit_code' }
      : unproved(name);
  }
  const { ranNoTests } = await complaints(source, before);
  if (succeeded(before) && !ranNoTests) return ended(0, `${name} passed before and fails now.`, ran);
  const wants = await wantOf(source, name, runs, null);
  if (wants !== null) return wants;
  if (mendsTests(source.taskType)) return ended(0, `${stillFails(source, name)}.`, ran);
  return finding(null, `${name} failed before the work already; not held against it. ${toldOf(ran)}`);
}

/** A pass with the strength of its proof, or the failure that a trick is. */
async function proved(
  found: Finding,
  name: string,
  runs: TwoRuns,
  run: (over: CheckSandbox) => Promise<Ran>,
  remaining: Remaining,
): Promise<Finding> {
  const end = await prove(runs, run, remaining);
  if ('proof' in end) return { ...found, evidence: found.evidence + saidOfProof(end), proof: end.proof };
  const why = `${name} passes only as it stands: under other names, and beside tests that must fail, it ends otherwise.`;
  return ended(0, why, runs.now, end.tampered);
}

/** The buyer's tests: over the untouched files, and over the delivery where there is one. */
async function ofBuyer(source: TestsSource, name: string): Promise<Finding> {
  const { plan, setup, taskType } = source;
  const shares = [0.4, 0.6];
  const run = (over: CheckSandbox) => runProject(over, source, shares.shift() ?? 0.9);
  const runs = await runTwice(plan, setup, 'tests', run);
  const { before, now, steered } = runs;
  if ('lacking' in now) return notThere(now.lacking);
  if (steered.length > 0) {
    const files = steered.map(label).join(', ');
    return ended(0, `${name} passes only with files that the agent added and that steer it: ${files}.`, now);
  }
  if (taskType === 'testing' && succeeded(now) && !(await complaints(source, now)).ranNoTests) {
    return byDefects(source, name, runs);
  }
  const [reportBefore, reportNow] = [reportOf(before), reportOf(now)];
  if (taskType === 'testing' || reportBefore === null || reportNow === null) {
    return byExitCode(source, name, runs);
  }
  const compared = await setup.reader.read('compareRuns', { ...plan.asked, before: reportBefore, now: reportNow });
  if (compared.before === 0) return byExitCode(source, name, runs);
  const found = await byTests(source, name, runs, compared);
  return (found.score ?? 0) < gate.passScore ? found : proved(found, name, runs, run, source.remaining);
}

const notThere = (tool: string) => finding(null, `Not run: ${tool} is not in the sandbox.`);

/** Without its directory where that is the name of one held out, which the agent must not read. */
function nameOf({ command, setup }: TestsSource): string {
  const paths = setup.heldOut.map(({ path }) => normal(path));
  const isHeldOut = paths.some((path) => isManifest(path) && posix.dirname(path) === command.directory);
  return isHeldOut ? command.command : commandName(command);
}

/** Runs the project's declared tests, as the buyer supplied them. */
export async function testsEvidence(source: TestsSource): Promise<Finding> {
  const name = nameOf(source);
  try {
    if (source.declaredBy === 'buyer') return await ofBuyer(source, name);
    const ran = await runProject(source.setup, source, 1);
    return 'lacking' in ran ? notThere(ran.lacking) : await ofAgent(source, name, ran);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return finding(0, `Failed: ${error.message}.`);
  }
}
