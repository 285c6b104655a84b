import { setTimeout as sleep } from 'node:timers/promises';
import { splitPrice } from '@agora-market/contract';
import { hidesCauses, isGone, isPassing } from '../../dependencies/index.ts';
import {
  assess,
  changesCode,
  type EvidenceSource,
  type GateAdditions,
  mendsTests,
  type Packages,
  rowsForSeller,
  unquoted,
  type Verdict,
} from '../../gate/index.ts';
import { newUuid } from '../../platform/index.ts';
import { encodeArchive, SandboxError } from '../../sandbox/index.ts';
import { undelivered } from '../access.ts';
import type { GateRunner, TaskDeps } from '../deps.ts';
import { reasonOf } from '../inputs/clone-queue.ts';
import { heldOutFiles } from '../inputs/input-files.ts';
import { keyOf, type StartingPoint, startingPointOf } from '../inputs/starting-point.ts';
import { earlierOf, type TaskRow } from '../sql.ts';
import { finishStep, shortlistStep } from '../steps/index.ts';
import { type GateRun, measured } from './gate-cpu.ts';
import { rescheduleGate } from './gate-sql.ts';

/** A gate without an answer after this time runs again; longer than the longest run. */
export const gateLeaseMs = 480_000;
/** After so many runs that failed for a reason of ours (about two hours), the buyer is refunded. */
const maxRuns = 20;

export type GateDeps = Omit<TaskDeps, 'gate'>;

/**
 * Runs the gate over a delivered task, with no transaction open, and settles the verdict. Never rejects: a run that
 * fails for a reason of ours leaves the task as it was, to be assessed again.
 */
export function createRunGate(
  deps: GateDeps,
  additions: GateAdditions = {},
): Omit<GateRunner, 'again' | 'prove'> & { idle(): Promise<void> } {
  const running = new Map<string, Promise<TaskRow>>();

  /** Makes the gate due again, however long the database is away: until then the task would wait for its long lease. */
  async function owe(taskId: string): Promise<void> {
    while (!deps.stopping.aborted) {
      try {
        await rescheduleGate(deps.pool, taskId, deps.clock.now());
        return;
      } catch {
        await sleep(1_000, undefined, { signal: deps.stopping }).catch(() => undefined);
      }
    }
  }

  async function judge(task: TaskRow, workspace: Buffer | null, missing: string | null): Promise<TaskRow> {
    let start: StartingPoint['start'] = {};
    const gateRun = measured(() => deps.sandboxes.fresh(start));
    try {
      const originals = await originalsFor(deps, task, workspace, missing);
      const prepared = await packagesFor(deps, task, originals);
      start = prepared.start;
      const source = {
        task,
        workspace: workspace === null ? null : { export: async () => archiveOf(workspace) },
        openSandbox: gateRun.openSandbox,
        packages: prepared.packages,
        ...originals,
      };
      const [verdict] = await Promise.all([assess(source, additions), collected(deps, task, workspace)]);
      return await settle(deps, task, verdict, gateRun);
    } catch (error) {
      return putOff(task, error);
    }
  }

  async function putOff(task: TaskRow, error: unknown): Promise<TaskRow> {
    deps.log.error({ err: error, taskId: task.id, run: task.attempts }, 'the quality gate could not judge a task');
    const ended = task.attempts >= maxRuns ? await abandon(deps, task).catch(() => null) : null;
    if (ended === null) void owe(task.id);
    return ended ?? task;
  }

  const run = (task: TaskRow, workspace: Buffer | null, missing: string | null = null) => {
    const existing = running.get(task.id);
    if (existing) return existing;
    const work = judge(task, workspace, missing).finally(() => running.delete(task.id));
    running.set(task.id, work);
    return work;
  };
  const atOnce: GateRunner['atOnce'] = async (task, { agentId, claim }) => {
    // A language model would have to be waited for.
    if (additions.judge) return null;
    const openSandbox = () => deps.sandboxes.fresh();
    const judging = async () => {
      await collected(deps, task, null);
      return assess({ task, workspace: null, openSandbox, originalFiles: [] }, additions);
    };
    const verdict = await judging().catch((error) => {
      deps.log.warn({ err: error, taskId: task.id }, 'a delivery could not be judged at once and is judged later');
      return null;
    });
    if (verdict === null) return null;
    const { output, declaredScore, executionTimeMs } = task;
    const { item, ended } = verdictOn(deps, task, verdict);
    const delivery = { host: deps.hosts.id, output, declaredScore, executionTimeMs };
    const { outcome, status } = await deps.writer.write(finishStep, { agentId, delivery, ...item }, claim);
    if (outcome !== 'ok') throw undelivered(outcome, status);
    await cleanUp(deps, task);
    return ended;
  };
  return {
    run,
    atOnce,
    putOff,
    running: () => [...running.keys()],
    /** Resolves when no gate is running, for an orderly stop. */
    idle: async () => {
      await Promise.all(running.values());
    },
  };
}

/** Whether a gate may run commands over the delivery: the buyer's checks, or tests, build and linter of a project. */
export const runsCommands = ({ input, taskType }: Pick<TaskRow, 'input' | 'taskType'>): boolean =>
  changesCode(taskType) || (input.acceptance?.checks ?? []).length > 0;

/** Whether the gate looks at a workspace or runs commands: checks, or tests to be mended that the buyer's files declare. */
export function opensSandbox({ input, taskType }: TaskRow, workspaceBytes: number | null): boolean {
  if (workspaceBytes !== null) return true;
  const { checks = [], files } = input.acceptance ?? {};
  if (checks.length > 0) return true;
  return mendsTests(taskType) && [files, input.files, input.repo].some((each) => each !== undefined);
}

export type ProvidedFiles = Pick<
  EvidenceSource,
  'originalFiles' | 'originalLinks' | 'emptySubmodules' | 'originalArchive' | 'originalsMissing' | 'heldOut'
>;

/** The buyer's input, if it still exists and the gate needs it. */
export async function originalsFor(
  deps: GateDeps,
  task: TaskRow,
  workspace: Buffer | null,
  missing: string | null,
): Promise<ProvidedFiles> {
  if (task.inputExpiresAt === null) return { originalFiles: [], originalArchive: await encodeArchive([]) };
  // No repository is cloned for a gate that runs nothing.
  const isWanted = opensSandbox(task, workspace?.length ?? null) && missing === null;
  // A tree that was lost is cloned once more.
  const found = isWanted ? await deps.inputs.originals(task).catch(reasonOf) : await deps.inputs.attached(task);
  if (typeof found !== 'string') {
    const { files: originalFiles, links: originalLinks, archive: originalArchive } = found;
    const { emptyDirectories: emptySubmodules } = found;
    const heldOut = heldOutFiles(task.input);
    return { originalFiles, originalLinks, emptySubmodules, originalArchive, originalsMissing: missing, heldOut };
  }
  return { originalFiles: [], originalsMissing: found };
}

/**
 * The packages that the buyer's files name, for every sandbox in which commands are run: those that the agent had.
 * Rejects where they may be had later: what runs without them would prove nothing, whoever gains by it.
 */
export async function packagesOf(
  deps: Pick<GateDeps, 'pool' | 'dependencies' | 'environments'>,
  task: Pick<TaskRow, 'id' | 'agentId' | 'ownerId' | 'submitterAgentId' | 'input' | 'createdAt'>,
  { originalFiles: files }: Pick<ProvidedFiles, 'originalFiles'>,
): Promise<{ start: StartingPoint['start']; packages: Packages; isGone: boolean }> {
  const earlier = await earlierOf(deps.pool, task);
  const { start, problems } = await startingPointOf(deps, { ...task, files, earlier });
  const passing = problems.find(isPassing);
  if (passing !== undefined) throw new SandboxError('SANDBOX_UNAVAILABLE', passing.message);
  const lacking = problems.map(({ message }) => message);
  const hidden = problems.find(hidesCauses)?.message ?? null;
  return { start, packages: { installation: keyOf(start), lacking, hidden }, isGone: problems.some(isGone) };
}

/** The same for a gate, which may run no commands. */
export const packagesFor = async (
  deps: Pick<GateDeps, 'pool' | 'dependencies' | 'environments'>,
  task: TaskRow,
  originals: Pick<ProvidedFiles, 'originalFiles'>,
): ReturnType<typeof packagesOf> =>
  runsCommands(task)
    ? packagesOf(deps, task, originals)
    : { start: {}, packages: { installation: null, lacking: [], hidden: null }, isGone: false };

/** The sweep collects later what cannot be stored now. The verdict does not wait for a store that cannot be reached. */
async function collected(deps: GateDeps, task: TaskRow, workspace: Buffer | null): Promise<void> {
  // Without a workspace only a pull request has to know, so that is not put off.
  if (workspace === null) return deps.artifacts.collect(task, null);
  await deps.artifacts.collect(task, workspace).catch((error) => {
    deps.log.warn({ err: error, taskId: task.id }, 'artifacts could not be stored and will be tried again');
  });
}

/** An empty archive represents a workspace that its sandbox did not give out; this is evidence against the delivery. */
export function archiveOf(workspace: Buffer): Buffer {
  if (workspace.length > 0) return workspace;
  throw new SandboxError('REFUSED', 'the delivered workspace cannot be taken out of its sandbox');
}

/** No gate run came to a verdict: the hold returns, and nobody is to blame. */
export async function abandon(deps: GateDeps, task: TaskRow): Promise<TaskRow> {
  const at = deps.clock.now().toISOString();
  const errorMessage = 'The platform could not assess this task. The credits were returned.';
  const item = { taskId: task.id, verb: 'abandon' as const, agentId: null, at, errorMessage };
  const { outcome } = await deps.writer.write(finishStep, {
    ...item,
    fee: 0,
    payout: 0,
    releaseAt: null,
    assessment: null,
  });
  await cleanUp(deps, task);
  if (outcome !== 'ok') return (await deps.loadTask(task.id)) ?? task;
  return { ...task, status: 'failed', errorMessage, creditsCharged: 0, finishedAt: at };
}

/** Stores the verdict and moves the money, unless the delivery has to be compared with others first. */
async function settle(deps: GateDeps, task: TaskRow, verdict: Verdict, gateRun: GateRun): Promise<TaskRow> {
  const { item, ended } = verdictOn(deps, task, verdict);
  const isCompared = task.groupTasks !== null && verdict.passed;
  const { outcome } = await (isCompared
    ? deps.writer.write(shortlistStep, { taskId: task.id, assessment: item.assessment, at: item.at })
    : deps.writer.write(finishStep, { agentId: null, ...item }));
  await cleanUp(deps, task);
  // Another process was faster: its verdict stands and its run counts.
  if (outcome !== 'ok') return (await deps.loadTask(task.id)) ?? task;
  deps.gateCpu.book(gateRun, { buyerId: task.ownerId, assessmentId: item.assessment.id });
  if (!isCompared) return ended;
  return { ...task, qualityScore: ended.qualityScore, assessmentId: ended.assessmentId };
}

/** The step's item for a verdict, and the task after it. */
function verdictOn(deps: GateDeps, task: TaskRow, verdict: Verdict) {
  const now = deps.clock.now();
  const at = now.toISOString();
  const { feeCents, payoutCents } = splitPrice(task.price, task.feeBps);
  const assessmentId = newUuid(deps.clock);
  const errorMessage = verdict.passed ? null : rejection(verdict);
  const { passed, answerable, score, isMeasured, criteria, judge } = verdict;
  const item = {
    taskId: task.id,
    verb: passed ? ('pass' as const) : ('reject' as const),
    at,
    fee: feeCents,
    payout: payoutCents,
    releaseAt: new Date(now.getTime() + deps.config.EARNINGS_HOLD_MS).toISOString(),
    errorMessage,
    answerable,
    assessment: { id: assessmentId, score, isMeasured, criteria, judge },
  };
  const ended: TaskRow = {
    ...task,
    status: passed ? 'completed' : 'failed',
    qualityScore: score,
    assessmentId,
    errorMessage,
    creditsCharged: passed ? task.price : 0,
    finishedAt: at,
  };
  return { item, ended };
}

/** It stays in an event after the input is erased, so it quotes nothing. */
function rejection({ score, criteria, judge }: Verdict): string {
  // Both parties read it.
  const worst = rowsForSeller(criteria)
    .filter((each) => each.score !== null)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))[0];
  if (judge !== null && judge.score !== null && judge.score < (worst?.score ?? 100)) {
    return `The quality gate gave ${score} of 100. The judge gave ${judge.score}; the assessment says why.`;
  }
  const because = worst ? `; lowest is ${worst.name}: ${unquoted(worst.evidence)}` : '';
  return `The quality gate gave ${score} of 100${because}`.slice(0, 2000);
}

/** The task has ended: removes its sandbox and kept workspace. The sweep repeats what fails here. */
export async function cleanUp(deps: GateDeps, { id: taskId, agentId }: Pick<TaskRow, 'id' | 'agentId'>): Promise<void> {
  if (agentId !== null) deps.queue.mayBeFree(agentId, 'now');
  // A workspace whose artifacts are not stored yet is all there is of them.
  const drop = deps.artifacts.owes(taskId) ? undefined : deps.deliveries.drop(taskId);
  await Promise.all([deps.sandboxes.end(taskId), drop]).catch((error) => {
    deps.log.warn({ err: error, taskId }, 'a sandbox could not be cleared away at once');
  });
}
