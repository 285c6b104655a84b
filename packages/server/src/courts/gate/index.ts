import type { TaskType } from '@agora/contract';
import { type Sandbox, SandboxError, type SandboxFile } from '../../sandbox/index.ts';
import { type Asked, readAcceptance } from './asked.ts';
import { type Delivered, deliveredFiles } from './changes.ts';
import { changesCode, type Finding } from './criteria.ts';
import { GateUnavailable } from './errors.ts';
import { checksEvidence, outputFiles } from './evidence-checks.ts';
import { outputEvidence } from './evidence-output.ts';
import { schemaEvidence } from './evidence-schema.ts';
import { secretsEvidence } from './evidence-secrets.ts';
import { agentsTests, buyersTests, testsEvidence } from './evidence-tests.ts';
import { label } from './excerpt.ts';
import { restoration } from './protected.ts';
import { scoreEvidence, type Verdict } from './score.ts';
import { isEvidence, onStage, type Stage, WorkspaceRefused } from './stage.ts';
import type { TestCommand } from './test-commands.ts';

export { schemaProblem } from './schema-limits.ts';
export type { Verdict } from './score.ts';

/** All that the gate may look at. Nothing else, the clock included, has a say in the score. */
export interface EvidenceSource {
  task: {
    id: string;
    taskType: TaskType;
    input: Record<string, unknown>;
    output: Record<string, unknown> | null;
    /** The agent's own qualityScore, 0 to 100. */
    declaredScore: number | null;
  };
  /** The delivered workspace as an archive; null when the agent never used a sandbox. */
  workspace: { export(): Promise<Buffer> } | null;
  /** A new, empty sandbox; the gate ends every one it opens. */
  openSandbox(): Promise<Sandbox>;
  /** The buyer's files as they were laid into the agent's sandbox. */
  originalFiles: readonly SandboxFile[];
}

export interface GateCaps {
  /** For all commands together. */
  totalMs: number;
  checkMs: number;
  testsMs: number;
}

const defaultCaps: GateCaps = { totalMs: 300_000, checkMs: 60_000, testsMs: 120_000 };

interface Gathering {
  source: EvidenceSource;
  asked: Asked;
  caps: GateCaps;
  startedMs: number;
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
  const { task, originalFiles, openSandbox } = source;
  const commands = asked.checks.map((check) => check.command);
  return {
    openSandbox,
    archive,
    originalFiles,
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
  secrets: Finding;
  agents: TestCommand | null;
}

/** One look at the delivered files as they are, in a sandbox where nothing of theirs is run. */
async function survey({ task, originalFiles }: EvidenceSource, stage: Stage): Promise<Survey> {
  try {
    return await onStage({ ...stage, restoration: null, extraFiles: [] }, async (sandbox) => {
      const delivered = await deliveredFiles(sandbox, originalFiles);
      const workspace = { sandbox, changed: delivered?.changed ?? [] };
      const secrets = await secretsEvidence({ input: task.input, output: task.output, originalFiles, workspace });
      const agents = delivered === null ? null : await agentsTests(sandbox, delivered);
      return { delivered, secrets, agents };
    });
  } catch (error) {
    if (!isEvidence(error)) throw error;
    const evidence = `Not run: ${error.message}.`;
    return {
      delivered: null,
      secrets: { kind: 'secrets', name: 'secrets', score: null, weight: 1, evidence },
      agents: null,
    };
  }
}

/** Evidence from the delivered code itself: secrets it brings in, and its project's own tests. */
async function codeEvidence(gathering: Gathering, archive: Buffer): Promise<Finding[]> {
  const { source, caps, startedMs } = gathering;
  const stage = stageFor(gathering, archive);
  const { delivered, secrets, agents } = await survey(source, stage);
  const buyers = buyersTests(source.originalFiles);
  const command = buyers ?? agents;
  if (command === null) return [secrets];
  const tests = await testsEvidence({
    taskType: source.task.taskType,
    stage,
    command,
    declaredBy: buyers === null ? 'agent' : 'buyer',
    originalFiles: source.originalFiles,
    delivered,
    capMs: caps.testsMs,
    remaining: () => caps.totalMs - (performance.now() - startedMs),
  });
  return [tests, secrets];
}

/** Everything that needs a sandbox. */
async function sandboxEvidence(gathering: Gathering): Promise<Finding[]> {
  const { source, asked, caps, startedMs } = gathering;
  const checks = asked.checks;
  const examinesCode = source.workspace !== null && changesCode(source.task.taskType);
  if (checks.length === 0 && !examinesCode) return [];
  const archive = await exported(source);
  if (archive instanceof WorkspaceRefused) return refused(gathering, archive);
  const findings: Finding[] = [];
  // Half of the time is kept for the project's own tests where there are any.
  const checksMs = examinesCode ? caps.totalMs / 2 : caps.totalMs;
  const remaining = () => checksMs - (performance.now() - startedMs);
  const stageOf = (check: { command: string }) => stageFor(gathering, archive, check.command);
  findings.push(...(await checksEvidence(stageOf, checks, caps.checkMs, remaining)));
  if (archive === null || !examinesCode) return findings;
  return [...findings, ...(await codeEvidence(gathering, archive))];
}

/** A workspace that cannot be examined fails what was to be measured on it; with no measure it says nothing. */
function refused({ asked }: Gathering, { message }: WorkspaceRefused): Finding[] {
  const evidence = `Failed: ${message}.`;
  const checks = asked.checks;
  if (checks.length === 0) return [{ kind: 'tests', name: 'tests', score: 0, weight: 1, evidence }];
  return checks.map(({ name, weight }) => ({
    kind: 'checks',
    name: `check: ${label(name)}`,
    score: 0,
    weight,
    evidence,
  }));
}

async function gather(gathering: Gathering): Promise<Finding[]> {
  const { source, asked } = gathering;
  const { taskType, input, output } = source.task;
  const first = outputEvidence({ taskType, input, output, usedSandbox: source.workspace !== null });
  const findings = [first];
  // An output that is empty or refused has failed whatever its workspace holds, so nothing is run over it.
  if (first.score !== null && first.score < 50) return findings;
  if (asked.schema !== null) findings.push(await schemaEvidence(asked.schema, output));
  findings.push(...(await sandboxEvidence(gathering)));
  if (changesCode(taskType) && !findings.some(({ kind }) => kind === 'secrets')) {
    const secrets = await secretsEvidence({ input, output, originalFiles: source.originalFiles, workspace: null });
    if (secrets.score === 0) findings.push(secrets);
  }
  return findings;
}

/** What breaks the gate's own rules has not been shown to be any good, and would break them at every retry. */
function unexamined(error: unknown): Finding {
  const name = error instanceof Error ? error.name : 'unknown';
  return { kind: 'output', name: 'output', score: 0, weight: 1, evidence: `It could not be examined (${name}).` };
}

/**
 * Gathers the evidence on one delivery and scores it. Rejects with `GateUnavailable` only, when the platform
 * could not look; whatever a buyer or an agent hands in becomes evidence.
 */
export async function assess(source: EvidenceSource, caps: GateCaps = defaultCaps): Promise<Verdict> {
  const asked = readAcceptance(source.task.input);
  const findings = await gather({ source, asked, caps, startedMs: performance.now() }).catch((error: unknown) => {
    if (error instanceof GateUnavailable) throw error;
    return [unexamined(error)];
  });
  const { taskType, declaredScore } = source.task;
  return scoreEvidence({ taskType, findings, declaredScore, judge: null });
}
