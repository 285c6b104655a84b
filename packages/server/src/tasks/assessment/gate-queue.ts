import { createFairSemaphore, ownersShare, systemClock, withTimeout } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { agentOf, type TaskRow } from '../sql.ts';
import { maxWorkspaceBytes } from '../workspace/archive-store.ts';
import { type DueGate, leaseGateRuns, reviveLostGates } from './gate-sql.ts';
import { gateLeaseMs, opensSandbox, packagesOf, runsCommands } from './run-gate.ts';

/**
 * Workspaces of this process that are held in memory by gates: four of the largest. The tasks of one buyer's owner have
 * at most a quarter of it at once, the work of one seller's owner at most half.
 */
const judging = createFairSemaphore(4 * maxWorkspaceBytes, maxWorkspaceBytes);
/**
 * The least weight of a gate, so that running gates never need more sandboxes than are reserved: each uses up to two.
 */
const leastShare = 64 * 1024 ** 2;
/** Gates that the sweep of a server has waiting or running at once. */
const resumedAtOnce = 64;
/** The tasks of one buyer's owner have at most this part of them, of all servers together. */
const buyersPart = 1 / 4;
/** A gate that only looks at the output is waited for so long; one that asks a model may take longer. */
const atOnceMs = 2_000;

/** Wakes servers that judge: a delivery waits that came to a server which does not. */
export const gatesTopic = 'gates';

/** Whether this server judges what is delivered to it. */
export const judgesHere = ({ config }: Pick<TaskDeps, 'config'>): boolean => config.ROLES.includes('gate');

/** Runs work that holds a workspace of so many bytes when it is its turn, among the gates of this process; owners take turns. */
export async function queueGate<R>(
  { loadHireable, sandboxes }: Pick<TaskDeps, 'loadHireable' | 'sandboxes'>,
  task: Pick<TaskRow, 'id' | 'ownerId' | 'agentId' | 'input'>,
  workspaceBytes: number | null,
  work: () => Promise<R>,
): Promise<R> {
  const seller = await loadHireable(agentOf(task));
  const owners = [`buyer ${task.ownerId}`, ...(seller ? [`seller ${seller.ownerId}`] : [])];
  const least = leastShare * sandboxes.weightOf(task.input);
  return judging(Math.max(least, workspaceBytes ?? 0), work, owners);
}

/** Whether the gate only looks at the output, which takes it a moment, and its verdict decides. */
export const isJudgedAtOnce = (task: TaskRow, workspaceBytes: number | null): boolean =>
  task.groupTasks === null && !opensSandbox(task, workspaceBytes) && task.input.acceptance?.schema === undefined;

/**
 * Runs the gate when it is its turn, if it has to look at a workspace or run commands; at once otherwise. The
 * workspace is read only then, so that a queue of deliveries costs no memory.
 */
export function runGateInTurn(deps: TaskDeps, task: TaskRow, workspaceBytes: number | null): Promise<TaskRow> {
  if (!opensSandbox(task, workspaceBytes)) return deps.gate.run(task, null);
  const { gates } = deps.underWay;
  const existing = gates.get(task.id);
  if (existing) return existing;
  const judge = async (missing: string | null) => {
    const workspace = await deps.deliveries.read(task.id);
    // Never without what was delivered.
    if (workspace === null && workspaceBytes !== null)
      return deps.gate.putOff(task, new Error('the delivered workspace is not as it was put'));
    // A server that stops waits for the gates that run; the others are run after its next start.
    return deps.stopping.aborted ? task : deps.gate.run(task, workspace, missing);
  };
  // Cloned and installed before its turn: what takes its time must not hold a place among the gates.
  const work = deps.inputs
    .missing(task)
    .then(async (missing) => {
      if (missing === null) await installed(deps, task);
      return missing;
    })
    .then((missing) => queueGate(deps, task, workspaceBytes, () => judge(missing)))
    .catch((error) => deps.gate.putOff(task, error))
    .finally(() => gates.delete(task.id));
  gates.set(task.id, work);
  return work;
}

/** What hinders this the gate meets again in its turn. */
async function installed(deps: TaskDeps, task: TaskRow): Promise<void> {
  if (!runsCommands(task) || task.inputExpiresAt === null) return;
  try {
    const { files } = await deps.inputs.originals(task);
    await packagesOf(deps, task, { originalFiles: files });
  } catch (error) {
    deps.log.info({ err: error, taskId: task.id }, 'packages for a gate could not be installed before its turn');
  }
}

/**
 * Runs gates that a crash or a fault of ours left without an answer. Those that open a sandbox can take minutes, so
 * they are started and not waited for.
 */
export async function resumeGates(deps: TaskDeps): Promise<number> {
  const now = deps.clock.now();
  const here = { host: deps.hosts.id, store: deps.hosts.store };
  let count = 0;
  for (;;) {
    const { resumed } = deps.underWay;
    const most = resumedAtOnce - resumed.size;
    if (most <= 0 || deps.stopping.aborted) return count;
    const share = ownersShare(resumedAtOnce * deps.hosts.countOf('gate'), buyersPart);
    const leaseUntil = new Date(now.getTime() + gateLeaseMs);
    const due = await leaseGateRuns(deps.pool, { now, leaseUntil, most, share }, here);
    const quick = due.map((task) => resume(deps, task));
    await withTimeout(systemClock, atOnceMs, Promise.all(quick));
    count += due.length;
    // Behind those of an owner that has its share others may be due.
    if (due.length === 0) return count;
  }
}

/** What a lease needs to become a run, at the very most. */
const beginMs = 10_000;

/** Gates that this process leased and does not run are resumed at once, not when their long lease ends. */
export async function reviveGates({ pool, clock, hosts, underWay, gate }: TaskDeps): Promise<void> {
  const now = clock.now();
  const leasedUntil = new Date(now.getTime() + gateLeaseMs - beginMs);
  const running = [...underWay.gates.keys(), ...gate.running()];
  await reviveLostGates(pool, { now, leasedUntil, host: hosts.id, running });
}

async function resume(deps: TaskDeps, { workspaceBytes, ...task }: DueGate): Promise<void> {
  // It is under way here, and has only waited for longer than its lease.
  if (deps.underWay.gates.has(task.id)) return;
  const { resumed } = deps.underWay;
  resumed.add(task.id);
  const work = runGateInTurn(deps, task, workspaceBytes).finally(() => resumed.delete(task.id));
  if (!opensSandbox(task, workspaceBytes)) await work;
}
