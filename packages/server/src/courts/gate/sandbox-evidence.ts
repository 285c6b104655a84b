import { SandboxError } from '../../sandbox/index.ts';
import type { Check } from './asked.ts';
import { type Delivered, deliveredFiles } from './changes.ts';
import { changesCode, type Finding } from './criteria.ts';
import { GateUnavailable } from './errors.ts';
import { advisoriesEvidence } from './evidence-advisories.ts';
import { checksEvidence, outputFiles } from './evidence-checks.ts';
import { regressionEvidence } from './evidence-regression.ts';
import { secretsEvidence } from './evidence-secrets.ts';
import { agentsTests, buyersTests, testsEvidence } from './evidence-tests.ts';
import { label } from './excerpt.ts';
import { readExhibits } from './exhibits.ts';
import { declaredStep } from './project-steps.ts';
import { linterRestoration, restoration } from './protected.ts';
import type { EvidenceSource, Exhibit, Gathering } from './source.ts';
import { isEvidence, onStage, type Stage, WorkspaceRefused } from './stage.ts';
import type { TestCommand } from './test-commands.ts';

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

/** `running` is the check about to be run; without one it is the project's own tests. */
function stageFor({ source, asked }: Gathering, archive: Buffer | null, running?: string): Stage {
  const purpose = running === undefined ? 'tests' : 'checks';
  const { task, originalFiles, originalArchive, openSandbox } = source;
  const commands = asked.checks.map((check) => check.command);
  return {
    openSandbox,
    archive,
    originalFiles,
    originalArchive,
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

interface Survey {
  delivered: Delivered | null;
  /** What was found without running anything of the delivery. */
  findings: Finding[];
  agents: TestCommand | null;
  files: Exhibit[];
}

/** One look at the delivered files as they are, in a sandbox where nothing of theirs is run. */
async function survey(gathering: Gathering, stage: Stage): Promise<Survey> {
  const { source, advisories, showsFiles } = gathering;
  const { task, originalFiles } = source;
  try {
    return await onStage({ ...stage, restoration: null, extraFiles: [] }, async (sandbox) => {
      const delivered = await deliveredFiles(sandbox, originalFiles);
      const changed = delivered?.changed ?? [];
      const workspace = { sandbox, changed };
      const secrets = await secretsEvidence({ input: task.input, output: task.output, originalFiles, workspace });
      const dependencies = await advisoriesEvidence({ sandbox, changed, originalFiles, advisories });
      const findings = dependencies === null ? [secrets] : [secrets, dependencies];
      const agents = delivered === null ? null : await agentsTests(sandbox, delivered);
      const files = showsFiles ? await readExhibits(sandbox, changed) : [];
      return { delivered, findings, agents, files };
    });
  } catch (error) {
    if (!isEvidence(error)) throw error;
    const evidence = `Not run: ${error.message}.`;
    const secrets: Finding = { kind: 'secrets', name: 'secrets', score: null, weight: 1, evidence };
    return { delivered: null, findings: [secrets], agents: null, files: [] };
  }
}

/** Whether the buyer's project still builds and passes its linter, where it did before. */
async function regressions(gathering: Gathering, archive: Buffer): Promise<Finding[]> {
  const { source, caps, startedMs } = gathering;
  const { originalFiles, originalArchive, openSandbox, task } = source;
  const findings: Finding[] = [];
  for (const kind of ['build', 'lint'] as const) {
    const command = declaredStep(kind, originalFiles);
    if (command === null) continue;
    const restored = kind === 'lint' ? linterRestoration(task.taskType, originalFiles, command.command) : null;
    const stage = { openSandbox, archive, originalFiles, originalArchive, restoration: restored, extraFiles: [] };
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    findings.push(await regressionEvidence({ kind, stage, command, capMs: caps.testsMs, remaining }));
  }
  return findings;
}

/** Evidence from the delivered code itself: what it brings in, and its project's own tests, build and linter. */
async function codeEvidence(gathering: Gathering, archive: Buffer): Promise<Gathered> {
  const { source, caps, startedMs } = gathering;
  const stage = stageFor(gathering, archive);
  const { delivered, findings, agents, files } = await survey(gathering, stage);
  const buyers = buyersTests(source.originalFiles);
  const command = buyers ?? agents;
  const tests: Finding[] = [];
  if (command !== null) {
    const remaining = () => caps.totalMs - (performance.now() - startedMs);
    tests.push(
      await testsEvidence({
        taskType: source.task.taskType,
        stage,
        command,
        declaredBy: buyers === null ? 'agent' : 'buyer',
        originalFiles: source.originalFiles,
        delivered,
        capMs: caps.testsMs,
        remaining,
      }),
    );
  }
  const stillWorks = delivered?.differs === false ? [] : await regressions(gathering, archive);
  return { findings: [...tests, ...stillWorks, ...findings], files };
}

/** Everything that needs a sandbox. */
export async function sandboxEvidence(gathering: Gathering): Promise<Gathered> {
  const { source, asked, caps, startedMs } = gathering;
  const checks = asked.checks;
  const examinesCode = source.workspace !== null && changesCode(source.task.taskType);
  if (checks.length === 0 && !examinesCode) return { findings: [], files: [] };
  const archive = await exported(source);
  if (archive instanceof WorkspaceRefused) return { findings: refused(checks, archive), files: [] };
  // Half of the time is kept for the project's own tests where there are any.
  const checksMs = examinesCode ? caps.totalMs / 2 : caps.totalMs;
  const remaining = () => checksMs - (performance.now() - startedMs);
  const stageOf = (check: Check) => stageFor(gathering, archive, check.command);
  const findings = await checksEvidence(stageOf, checks, caps.checkMs, remaining);
  if (archive === null || !examinesCode) return { findings, files: [] };
  const ofCode = await codeEvidence(gathering, archive);
  return { findings: [...findings, ...ofCode.findings], files: ofCode.files };
}

/** A workspace that cannot be examined fails what was to be measured on it; with no measure it says nothing. */
function refused(checks: readonly Check[], { message }: WorkspaceRefused): Finding[] {
  const evidence = `Failed: ${message}.`;
  if (checks.length === 0) return [{ kind: 'tests', name: 'tests', score: 0, weight: 1, evidence }];
  return checks.map(({ name, weight }) => ({
    kind: 'checks',
    name: `check: ${label(name)}`,
    score: 0,
    weight,
    evidence,
  }));
}
