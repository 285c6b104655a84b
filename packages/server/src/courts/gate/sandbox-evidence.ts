import { posix } from 'node:path';
import { SandboxError, type SandboxFile } from '../../sandbox/index.ts';
import type { Check } from './asked.ts';
import { type Delivered, deliveredFiles } from './changes.ts';
import { changesCode, type Finding, mendsTests } from './criteria.ts';
import { GateUnavailable } from './errors.ts';
import { advisoriesEvidence } from './evidence-advisories.ts';
import { checksEvidence, outputFiles } from './evidence-checks.ts';
import { regressionEvidence } from './evidence-regression.ts';
import { filesWithPrefixes, secretsEvidence } from './evidence-secrets.ts';
import { agentsTests, buyersTests, testsEvidence } from './evidence-tests.ts';
import { label } from './excerpt.ts';
import { readExhibits } from './exhibits.ts';
import { declaredStep } from './project-steps.ts';
import { isTestFile, linterRestoration, restoration } from './protected.ts';
import type { EvidenceSource, Exhibit, Gathering } from './source.ts';
import { isEvidence, lacksToolAnywhere, layoutOf, onStage, type Stage, untouched, WorkspaceRefused } from './stage.ts';
import { createSupply, type Supply } from './supply.ts';
import type { TestCommand } from './test-commands.ts';
import { startsTests } from './test-counts.ts';

/** What a look at the delivered work gave. */
export interface Gathered {
  findings: Finding[];
  files: Exhibit[];
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

/** Where the sandboxes come from, and whether there is a delivered workspace to be laid into them. */
interface Opened {
  delivered: boolean;
  supply: Supply;
}

/** `running` is the check about to be run; without one it is the project's own tests. */
function stageFor({ source, asked }: Gathering, { delivered, supply }: Opened, running?: string): Stage {
  const purpose = running === undefined ? 'tests' : 'checks';
  const { task, originalFiles } = source;
  const commands = asked.checks.map((check) => check.command);
  return {
    supply,
    name: running === undefined ? 'tests' : `check ${running}`,
    delivered,
    restoration: restoration({
      taskType: task.taskType,
      originalFiles,
      commands,
      purpose,
      running,
      description: typeof task.input.description === 'string' ? task.input.description : '',
    }),
    extraFiles: purpose === 'checks' ? outputFiles(task.output) : [],
  };
}

const steps = ['build', 'lint'] as const;

/** What the buyer's files declare to be run. */
const declaredCommands = (originalFiles: readonly SandboxFile[]): TestCommand[] =>
  [buyersTests(originalFiles), ...steps.map((kind) => declaredStep(kind, originalFiles))].filter(
    (command) => command !== null,
  );

interface Survey {
  delivered: Delivered | null;
  /** What was found without running anything of the delivery. */
  findings: Finding[];
  agents: TestCommand | null;
  files: Exhibit[];
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
  const { task, originalFiles } = source;
  const stage = stageFor(gathering, opened);
  try {
    return await onStage(
      { ...stage, name: 'a look', restoration: null, extraFiles: [], runsNothing: true },
      async (sandbox) => {
        const [delivered, suspects] = await Promise.all([
          deliveredFiles(sandbox, originalFiles),
          filesWithPrefixes(sandbox),
          // Beside the others, so that no command waits for its look-up.
          ...declaredCommands(originalFiles).map(({ tool }) => lacksToolAnywhere(opened.supply, sandbox, tool)),
        ]);
        const changed = delivered?.changed ?? [];
        const workspace = { sandbox, changed, suspects };
        const secrets = await secretsEvidence({ input: task.input, output: task.output, originalFiles, workspace });
        const dependencies = await advisoriesEvidence({ sandbox, changed, originalFiles, advisories });
        const findings = dependencies === null ? [secrets] : [secrets, dependencies];
        const agents = delivered === null ? null : await agentsTests(sandbox, delivered);
        const files = showsFiles ? await readExhibits(sandbox, changed) : [];
        return { delivered, findings, agents, files };
      },
    );
  } catch (error) {
    if (!isEvidence(error)) throw error;
    const evidence = `Not run: ${error.message}.`;
    const secrets: Finding = { kind: 'secrets', name: 'secrets', score: null, weight: 1, evidence };
    return { delivered: null, findings: [secrets], agents: null, files: [] };
  }
}

/** For the build or the linter that the buyer's project declares. */
function stepStage(
  { source }: Gathering,
  opened: Opened,
  kind: (typeof steps)[number],
  { command }: TestCommand,
): Stage {
  const { originalFiles, task } = source;
  const restored = kind === 'lint' ? linterRestoration(task.taskType, originalFiles, command) : null;
  return { ...opened, name: kind, restoration: restored, extraFiles: [] };
}

/** Whether the buyer's project still builds and passes its linter, where it did before. */
async function regressions(gathering: Gathering, opened: Opened): Promise<Finding[]> {
  const { source, caps, startedMs } = gathering;
  const { originalFiles } = source;
  const findings: Finding[] = [];
  for (const kind of steps) {
    const command = declaredStep(kind, originalFiles);
    if (command === null) continue;
    const stage = stepStage(gathering, opened, kind, command);
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    findings.push(await regressionEvidence({ kind, stage, command, capMs: caps.testsMs, remaining }));
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
  const buyers = buyersTests(source.originalFiles);
  const command = buyers ?? agents;
  const findings: Finding[] = [];
  if (command !== null) {
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    findings.push(
      await testsEvidence({
        taskType: source.task.taskType,
        stage: stageFor(gathering, opened),
        command,
        declaredBy: buyers === null ? 'agent' : 'buyer',
        originalFiles: source.originalFiles,
        delivered,
        capMs: caps.testsMs,
        remaining,
      }),
    );
  }
  return delivered?.differs === false ? findings : [...findings, ...(await regressions(gathering, opened))];
}

async function buyersChecks(gathering: Gathering, opened: Opened, runsTests: boolean): Promise<Finding[]> {
  const { asked, caps, startedMs } = gathering;
  // Half of the time is kept for the project's own tests where there are any.
  const checksMs = runsTests ? caps.totalMs / 2 : caps.totalMs;
  const remaining = () => checksMs - (performance.now() - startedMs);
  const { originalFiles } = gathering.source;
  const measured = ({ command }: Check) => ({ stage: stageFor(gathering, opened, command), originalFiles });
  return checksEvidence(measured, asked.checks, caps.checkMs, remaining);
}

/** What the buyer's checks and the project's own commands are going to be run over, in order. */
function planOf(gathering: Gathering, opened: Opened, runsTests: boolean): Stage[] {
  const { source, asked } = gathering;
  const { originalFiles } = source;
  const compares = opened.delivered && originalFiles.some((file) => isTestFile(posix.normalize(file.path)));
  const plan: Stage[] = [];
  for (const { command } of asked.checks) {
    const stage = stageFor(gathering, opened, command);
    plan.push(stage);
    if (compares && startsTests(command)) plan.push(untouched(stage));
  }
  if (!runsTests) return plan;
  const tests = stageFor(gathering, opened);
  if (!opened.delivered) return [...plan, tests];
  if (buyersTests(originalFiles) !== null) plan.push(tests, untouched(tests));
  for (const kind of steps) {
    const command = declaredStep(kind, originalFiles);
    if (command !== null) plan.push(stepStage(gathering, opened, kind, command));
  }
  return plan;
}

/** Lays the delivered archive, or what the buyer provided: as one archive where there is one. */
const layer =
  ({ originalArchive, originalFiles }: EvidenceSource, archive: Buffer | null): Supply['lay'] =>
  async (sandbox, content) => {
    if (content === 'delivery' && archive !== null) await sandbox.importWorkspace(archive);
    else if (originalArchive) await sandbox.importWorkspace(originalArchive);
    else for (const file of originalFiles) await sandbox.write(file);
  };

/**
 * Whether the delivery is held to the project's tests. Where turning them green is the task, no agent gets out of them by
 * leaving no workspace: they are run over the buyer's files then, which is all that there is.
 */
function heldToTests({ workspace, task, originalFiles, originalsMissing }: EvidenceSource): boolean {
  if (workspace !== null) return changesCode(task.taskType);
  return mendsTests(task.taskType) && (Boolean(originalsMissing) || buyersTests(originalFiles) !== null);
}

/** Everything that needs a sandbox. */
export async function sandboxEvidence(gathering: Gathering): Promise<Gathered> {
  const { source, asked } = gathering;
  const runsTests = heldToTests(source);
  if (asked.checks.length === 0 && !runsTests) return { findings: [], files: [] };
  if (source.originalsMissing) return { findings: notRun(asked.checks, runsTests, source.originalsMissing), files: [] };
  const archive = await exported(source);
  if (archive instanceof WorkspaceRefused) return { findings: refused(asked.checks, archive), files: [] };
  const delivered = archive !== null;
  const supply = createSupply({ openSandbox: source.openSandbox, lay: layer(source, archive) });
  const opened = { delivered, supply };
  supply.expect(planOf(gathering, opened, runsTests).map(layoutOf));
  try {
    // First, while nothing of the delivery has been run: the same sandbox then serves for the first command.
    const seen = runsTests && delivered ? await survey(gathering, opened) : nothingChanged;
    const checks = await buyersChecks(gathering, opened, runsTests);
    const project = runsTests ? await projectEvidence(gathering, opened, seen) : [];
    return { findings: [...checks, ...project, ...seen.findings], files: seen.files };
  } finally {
    await supply.close();
  }
}

/** A workspace that cannot be examined fails what was to be measured on it; with no measure it says nothing. */
function refused(checks: readonly Check[], { message }: WorkspaceRefused): Finding[] {
  const evidence = `Failed: ${message}.`;
  return checks.length === 0 ? [testsRow(0, evidence)] : checkRows(checks, 0, evidence);
}

/** Nothing can be measured where it is not known what the buyer provided; that is never held against the agent. */
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
