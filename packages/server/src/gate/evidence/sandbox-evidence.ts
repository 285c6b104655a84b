import { SandboxError, type SandboxFile } from '../../sandbox/index.ts';
import type { Check } from '../acceptance.ts';
import { changesCode, type Finding, mendsTests } from '../criteria.ts';
import { GateUnavailable, Unreadable, WorkspaceRefused } from '../errors.ts';
import type { Reader } from '../reading/readers.ts';
import type { Restoration } from '../restore/restored-files.ts';
import { callsApart } from '../sandboxes/apart.ts';
import {
  besideOf,
  type CheckSandbox,
  inCheckSandbox,
  isEvidence,
  lacksToolAnywhere,
  layoutOf,
  untouched,
} from '../sandboxes/check-sandbox.ts';
import { createSandboxPool, type Layout, type SandboxPool } from '../sandboxes/sandbox-pool.ts';
import type { ChangedFile, EvidenceSource, Gathering } from '../source.ts';
import { advisoriesEvidence } from './advisories.ts';
import { readChangedFiles } from './changed-files.ts';
import type { DeliveredFiles } from './changes.ts';
import { checksEvidence, outputFiles } from './checks.ts';
import { deliveredFiles } from './delivered.ts';
import { label } from './excerpt.ts';
import { type Planned, planned } from './planned.ts';
import { regressionEvidence } from './regression.ts';
import { filesWithPrefixes, secretsEvidence } from './secrets.ts';
import type { TestCommand } from './test-commands.ts';
import { agentsTests, testsEvidence } from './tests.ts';

/** Result of examining the delivered work. */
export interface Gathered {
  findings: Finding[];
  files: ChangedFile[];
}

/** The delivered workspace, or evidence that there is one which no sandbox can take. */
async function exported({ workspace }: EvidenceSource): Promise<Buffer | null | WorkspaceRefused> {
  if (workspace === null) return null;
  try {
    return await workspace.export();
  } catch (error) {
    const code = error instanceof SandboxError ? error.code : null;
    if (code === 'TOO_LARGE') return new WorkspaceRefused('the delivered workspace is too large to be examined');
    // A sandbox that answered and refused would refuse the next run as well.
    if (code !== null && code !== 'SANDBOX_GONE' && code !== 'SANDBOX_UNAVAILABLE') {
      return new WorkspaceRefused(`the delivered workspace cannot be read (${code})`);
    }
    throw new GateUnavailable('The delivered workspace could not be exported', error);
  }
}

/** The source of sandboxes, and whether there is a delivered workspace to write into them. */
interface Opened {
  delivered: boolean;
  pool: SandboxPool;
  reader: Reader;
  plan: Planned;
  /** Written only for checks and tests. */
  heldOut: readonly SandboxFile[];
  /** Through which checks look at the output. */
  outputs: readonly SandboxFile[];
}

/** For commands that are not the buyer's measure. */
const stageOf = (opened: Opened, name: string, restored: Restoration | null): CheckSandbox => {
  const { pool, reader, delivered, plan } = opened;
  const { bins } = plan;
  return {
    pool,
    reader,
    delivered,
    name,
    restoration: restored,
    bins,
    heldOut: [],
    answersCalls: false,
    extraFiles: [],
  };
};

const testsSetup = (opened: Opened): CheckSandbox => {
  const { plan, heldOut } = opened;
  return { ...stageOf(opened, 'tests', null), heldOut, answersCalls: plan.namesDelivered };
};

/** For a check, by its number. */
const checkSetup = ({ acceptance }: Gathering, opened: Opened, check: number): CheckSandbox => {
  const { plan, heldOut, outputs } = opened;
  const { command } = acceptance.checks[check]!;
  const answersCalls = plan.namesDelivered || callsApart(command);
  return {
    ...stageOf(opened, `check ${command}`, null),
    heldOut,
    answersCalls,
    extraFiles: outputs,
  };
};

const steps = ['build', 'lint'] as const;

/** The commands that the buyer's files declare. */
const declaredCommands = ({ testCommand, build, lint }: Planned): TestCommand[] =>
  [testCommand, build, lint].filter((command) => command !== null);

interface Survey {
  delivered: DeliveredFiles | null;
  /** Found without running anything of the delivery. */
  findings: Finding[];
  agents: TestCommand | null;
  files: ChangedFile[];
}

/** Without a workspace the buyer's files are as they were. */
const nothingChanged: Survey = {
  delivered: { paths: [], changed: [], differs: false },
  findings: [],
  agents: null,
  files: [],
};

/** One look at the delivered files as they are, in a sandbox where nothing of theirs is run. */
async function survey(gathering: Gathering, opened: Opened): Promise<Survey> {
  const { source, advisories, showsFiles } = gathering;
  const { task } = source;
  const { reader, pool, plan } = opened;
  try {
    return await inCheckSandbox({ ...stageOf(opened, 'a look', null), runsNothing: true }, async (sandbox) => {
      const [delivered, suspects] = await Promise.all([
        deliveredFiles(sandbox, reader),
        filesWithPrefixes(sandbox),
        // At the same time as the others, so that no command waits for the look-up.
        ...declaredCommands(plan).map(({ tool }) => lacksToolAnywhere(pool, sandbox, tool)),
      ]);
      const changed = delivered?.changed ?? [];
      const workspace = { sandbox, changed, suspects };
      const secrets = await secretsEvidence({ input: task.input, output: task.output, reader, workspace });
      const dependencies = await advisoriesEvidence({ sandbox, changed, reader, advisories });
      const findings = dependencies === null ? [secrets] : [secrets, dependencies];
      const agents = delivered === null ? null : await agentsTests(sandbox, reader, delivered);
      const files = showsFiles ? await readChangedFiles(sandbox, changed) : [];
      return { delivered, findings, agents, files };
    });
  } catch (error) {
    if (!isEvidence(error)) throw error;
    const evidence = `Not run: ${error.message}.`;
    const secrets: Finding = { kind: 'secrets', name: 'secrets', score: null, weight: 1, evidence };
    return { delivered: null, findings: [secrets], agents: null, files: [] };
  }
}

/** For the build or the linter that the buyer's project declares. */
const stepSetup = (opened: Opened, kind: (typeof steps)[number]) =>
  stageOf(opened, kind, kind === 'lint' ? opened.plan.linter : null);

/** Whether the buyer's project still builds and passes its linter, where it did before. */
async function regressions({ caps, startedMs }: Gathering, opened: Opened): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const kind of steps) {
    const command = opened.plan[kind];
    if (command === null) continue;
    const setup = stepSetup(opened, kind);
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    findings.push(await regressionEvidence({ kind, setup, command, capMs: caps.testsMs, remaining }));
  }
  return findings;
}

/** Evidence from running the delivered code: its project's own tests, its build and its linter. */
async function projectEvidence(
  gathering: Gathering,
  opened: Opened,
  { delivered, agents }: Survey,
): Promise<Finding[]> {
  const { source, caps, startedMs } = gathering;
  const buyers = opened.plan.testCommand;
  const command = buyers ?? agents;
  const findings: Finding[] = [];
  if (command !== null) {
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    findings.push(
      await testsEvidence({
        plan: opened.plan,
        taskType: source.task.taskType,
        setup: testsSetup(opened),
        command,
        declaredBy: buyers === null ? 'agent' : 'buyer',
        delivered,
        capMs: caps.testsMs,
        remaining,
      }),
    );
  }
  return delivered?.differs === false ? findings : [...findings, ...(await regressions(gathering, opened))];
}

async function buyersChecks(
  gathering: Gathering,
  opened: Opened,
  runsTests: boolean,
  delivered: DeliveredFiles | null,
): Promise<Finding[]> {
  const { acceptance, caps, startedMs } = gathering;
  // Half of the time is kept for the project's own tests where there are any.
  const checksMs = runsTests ? caps.totalMs / 2 : caps.totalMs;
  const remaining = () => checksMs - (performance.now() - startedMs);
  const setup = (check: number) => checkSetup(gathering, opened, check);
  return checksEvidence(opened.plan, setup, acceptance.checks, delivered, caps.checkMs, remaining);
}

/** The content for the buyer's checks and the project's own commands, in order. */
function orderOf(gathering: Gathering, opened: Opened, runsTests: boolean): Layout[] {
  const { plan, delivered } = opened;
  const order: Layout[] = [];
  /** What is put back over a delivery is known only after the run over the untouched files. */
  const twice = (setup: CheckSandbox) => {
    if (delivered && !plan.isKnown(setup.name)) order.push(layoutOf(untouched(setup)));
    order.push(delivered ? { ...layoutOf(setup), prepare: null } : layoutOf(setup));
  };
  for (const [check, { command }] of gathering.acceptance.checks.entries()) {
    const setup = checkSetup(gathering, opened, check);
    twice(setup);
    if (callsApart(command)) order.push({ ...layoutOf(besideOf(setup)), prepare: null });
  }
  if (!runsTests) return order;
  if (!delivered || plan.testCommand !== null) twice(testsSetup(opened));
  if (delivered) for (const kind of steps) if (plan[kind] !== null) order.push(layoutOf(stepSetup(opened, kind)));
  return order;
}

/** Writes the delivered archive, or the buyer's input: as one archive if there is one. */
const layer =
  ({ originalArchive, originalFiles }: EvidenceSource, archive: Buffer | null): SandboxPool['lay'] =>
  async (sandbox, content) => {
    if (content === 'delivery' && archive !== null) await sandbox.importWorkspace(archive);
    else if (originalArchive) await sandbox.importWorkspace(originalArchive);
    else for (const file of originalFiles) await sandbox.write(file);
  };

/**
 * Whether the project's tests count for the delivery. If the task is to make them pass, an agent cannot avoid them by
 * leaving no workspace: then they run over the buyer's files.
 */
const heldToTests = ({ workspace, task }: EvidenceSource, hasBuyers: boolean): boolean =>
  workspace !== null ? changesCode(task.taskType) : mendsTests(task.taskType) && hasBuyers;

/** Everything that needs a sandbox. */
export async function sandboxEvidence(gathering: Gathering): Promise<Gathered> {
  const { source, acceptance, reader } = gathering;
  const { originalFiles, heldOut = [], originalsMissing } = source;
  const mayRunTests = heldToTests(source, Boolean(originalsMissing) || originalFiles.length + heldOut.length > 0);
  if (acceptance.checks.length === 0 && !mayRunTests) return { findings: [], files: [] };
  if (originalsMissing) return { findings: notRun(acceptance.checks, mayRunTests, originalsMissing), files: [] };
  try {
    const plan = await planned(gathering, reader);
    const runsTests = heldToTests(source, plan.testCommand !== null);
    if (acceptance.checks.length === 0 && !runsTests) return { findings: [], files: [] };
    return await evidenceBy(gathering, plan, runsTests);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const why = `reading what the buyer provided ${error.how}.`;
    return { findings: notRun(acceptance.checks, mayRunTests, why), files: [] };
  }
}

async function evidenceBy(gathering: Gathering, plan: Planned, runsTests: boolean): Promise<Gathered> {
  const { source, acceptance, reader } = gathering;
  const archive = await exported(source);
  if (archive instanceof WorkspaceRefused) return { findings: refused(acceptance.checks, archive), files: [] };
  const delivered = archive !== null;
  const pool = createSandboxPool({ openSandbox: source.openSandbox, lay: layer(source, archive) });
  const outputs = acceptance.checks.length > 0 ? outputFiles(source.task.output) : [];
  const opened = { delivered, pool, reader, plan, heldOut: source.heldOut ?? [], outputs };
  pool.expect(orderOf(gathering, opened, runsTests));
  try {
    // First, while nothing of the delivery has been run: the same sandbox then serves for the first command.
    const isSurveyed = runsTests && delivered;
    const seen = isSurveyed ? await survey(gathering, opened) : nothingChanged;
    const checks = await buyersChecks(gathering, opened, runsTests, isSurveyed || !delivered ? seen.delivered : null);
    const project = runsTests ? await projectEvidence(gathering, opened, seen) : [];
    return { findings: [...checks, ...project, ...seen.findings], files: seen.files };
  } finally {
    await pool.close();
  }
}

/** A workspace that cannot be examined fails its measures. Without a measure it says nothing. */
function refused(checks: readonly Check[], { message }: WorkspaceRefused): Finding[] {
  const evidence = `Failed: ${message}.`;
  return checks.length === 0 ? [testsRow(0, evidence)] : checkRows(checks, 0, evidence);
}

/** If it is unknown what the buyer provided, nothing can be measured. That never counts against the agent. */
function notRun(checks: readonly Check[], runsTests: boolean, why: string): Finding[] {
  const evidence = `Not run: ${why}`;
  return [...checkRows(checks, null, evidence), ...(runsTests ? [testsRow(null, evidence)] : [])];
}

const testsRow = (score: number | null, evidence: string): Finding => ({
  kind: 'tests',
  name: 'tests',
  score,
  weight: 1,
  evidence,
});

const checkRows = (checks: readonly Check[], score: number | null, evidence: string): Finding[] =>
  checks.map(({ name, weight }) => ({ kind: 'checks', name: `check: ${label(name)}`, score, weight, evidence }));
