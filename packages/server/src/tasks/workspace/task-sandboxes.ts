import { toId } from '@agora-market/contract';
import { storeOf } from '../../objects/index.ts';
import { ApiError, newUuid, type Pool, systemClock, withTimeout } from '../../platform/index.ts';
import { type CreateOptions, type Pause, type Sandbox, SandboxError, type SandboxFile } from '../../sandbox/index.ts';
import type { StartingPoint } from '../inputs/starting-point.ts';
import { passedOnAmong, type SandboxRow, type TaskRow } from '../sql.ts';
import type { Workspaces } from './archive-store.ts';
import { forgetCommit } from './commit-input.ts';
import { exportMs } from './lanes.ts';
import { mostInUse, noneFree, noRoom, roomFor, weightOfAll } from './limits.ts';
import { inSandbox, isLaid, layInputs, noteWork, takeStill, type WorkspaceSession } from './session.ts';
import {
  createSessionRegistry,
  idOf,
  type SessionDeps,
  type SessionRegistry,
  snapshotOf,
  weightOf,
} from './session-registry.ts';
import { createSnapshots } from './snapshots.ts';
import { buryLost, burySandboxes, findMissingWork, forgoWork } from './sql.ts';

/** The delivered work for the gate. */
export interface DeliveredWorkspace {
  /** The workspace. A live sandbox is paused from here on. */
  take(): Promise<Buffer>;
  /** The delivery did not happen: resumes the paused sandbox. */
  goOn(): Promise<void>;
}

/**
 * The sandboxes of tasks. They are started when first needed, filled once the agent has committed, and ended with the
 * task. If a sandbox ends before its task, its work is kept and restored in the next one. If the work is lost, only
 * `provision` starts another sandbox.
 */
export interface TaskSandboxes {
  /**
   * Starts the sandbox, empty or with the kept workspace, unless it runs already. Starts again if the work was lost.
   */
  provision(task: TaskRow): Promise<SandboxRow>;
  /** The sandbox of an executing task with the buyer's inputs or the kept workspace: to look at, or to work in. */
  workspace(task: TaskRow, use: 'look' | 'work'): Promise<Sandbox>;
  /** Writes a file into it. */
  write(task: TaskRow, file: SandboxFile): Promise<void>;
  /** The task's sandbox where it lives. */
  live(taskId: string): Promise<Sandbox | null>;
  /** What it started with. */
  startedWith(taskId: string): Promise<StartingPoint | null>;
  /** Whether the task's sandbox ended with its work kept. */
  isKept(taskId: string): Promise<boolean>;
  /** As of when there is a snapshot here of the work that was lost with the task's sandbox; null where there is none. */
  snapshotOf(task: TaskRow): Promise<string | null>;
  /** The workspace that the agent opened, in its sandbox or kept; null if there is none. */
  worked(task: TaskRow): Promise<DeliveredWorkspace | null>;
  /** Why the task's sandbox is paused, if it is. */
  pauseOf(taskId: string): Promise<Pause | undefined>;
  /** Resumes it. */
  resume(taskId: string): Promise<void>;
  /** Ends the sandbox with all work in it. Idempotent. */
  end(taskId: string): Promise<void>;
  /** The same at the agent's request: it gives up kept or lost work. */
  forgo(task: TaskRow): Promise<void>;
  /** An unrelated sandbox for the gate, which agents cannot use up; the caller destroys it. */
  fresh(start?: CreateOptions): Promise<Sandbox>;
  /** The same for a dry run, out of the part of the agents. */
  forDryRun(start: CreateOptions): Promise<Sandbox>;
  /** As how many ordinary sandboxes one of the task counts. */
  weightOf(input: TaskRow['input']): number;
  /** For how many ordinary sandboxes of tasks there is room here. */
  room(): number;
  /** Tasks that have a sandbox in this process, or work of one. */
  taskIds(): string[];
  /** Removes kept work of tasks that have ended, whichever server kept it; of some at a time. */
  clearKept(): Promise<void>;
  /** Stores work in live sandboxes that was done a while ago. */
  takeSnapshots(): Promise<void>;
  /** Ends sandboxes past their lifetime with their work kept, and those whose agent has lost the task. */
  sweep(): Promise<void>;
  /** Ends the rows of sandboxes that this process no longer has. */
  buryLost(): Promise<void>;
  /** Others have taken over what this process had: ends its sandboxes with all work in them. */
  letGo(): Promise<void>;
  /** Whether the task's sandbox is in this process. */
  holds(taskId: string): boolean;
  /** The process stops: the work in its sandboxes is kept. None is started from here on. */
  keepAll(): Promise<void>;
  /** The process stops and its sandboxes are gone. */
  leave(): Promise<void>;
}

/** The longest that keeping one workspace may take at the end of its lifetime, and where the process stops. */
const patienceMs = { lifetime: exportMs, stop: 5_000 };
/** A stop that takes 20 s is cut short. */
const stopMs = 12_000;
/** A sweep has more to do than to wait for that. */
const sweepMs = 2_000;

export function createTaskSandboxes(deps: SessionDeps): TaskSandboxes {
  const { pool, clock, sandboxes, objects, workspaces, snapshots, hosts } = deps;
  const holding = createSessionRegistry(deps);
  const { held, inDryRuns, ready, hold, end, keep, running } = holding;
  const room = () => roomFor(deps.config, weightOfAll(held) + weightOfAll(inDryRuns), sandboxes.size);
  return {
    async provision(task) {
      const weight = weightOf(deps, task.input);
      if (!held.has(task.id) && weight > room()) {
        // Where the gate's fill the machine, no agent can help it.
        const isOurs = sandboxes.size + weight > deps.config.SANDBOX_MAX_LIVE;
        throw new ApiError('SANDBOX_UNAVAILABLE', noneFree, noRoom, { isOurs });
      }
      // First, so that an agent learns before it commits that the buyer's repository cannot be had.
      await deps.inputs.prepare(task);
      return (await hold(task, { afresh: true })).row;
    },
    workspace: async (task, use) => (await opened(deps, holding, task, use)).sandbox,
    async write(task, file) {
      let current = await opened(deps, holding, task, 'work');
      while (current.keeping) current = await opened(deps, holding, task, 'work');
      const { sandbox, writes } = current;
      const written = inSandbox(() => sandbox.write(file));
      writes.add(written);
      await written.finally(() => writes.delete(written));
    },
    async live(taskId) {
      const current = await ready(taskId);
      return current && !current.keeping ? current.sandbox : null;
    },
    startedWith: async (taskId) => (await ready(taskId))?.startedWith ?? null,
    isKept: workspaces.look,
    snapshotOf: (task) => snapshotOf(deps, task),
    takeSnapshots: createSnapshots(deps, running),
    async worked(task) {
      await hosts.confirm();
      const current = await ready(task.id);
      await current?.keeping;
      // If nothing was written into it, the agent never opened the workspace, so there is no work in it.
      if (current && !current.keeping && (await isLaid(current))) return deliveredOf(current, task, sandboxes);
      if (!workspaces.has(task.id)) return null;
      const store = storeOf(objects, hosts);
      const { missing, isOurs } = await findMissingWork(pool, task, { host: hosts.id, store });
      if (missing !== 'work_lost' || !isOurs || !(await workspaces.look(task.id))) return null;
      return { take: () => readKept(workspaces, task.id), goOn: async () => undefined };
    },
    async pauseOf(taskId) {
      const current = await ready(taskId);
      return current ? sandboxes.pauseOf(idOf(current)) : undefined;
    },
    async resume(taskId) {
      const current = await ready(taskId);
      if (!current) return;
      await inSandbox(() => sandboxes.resume(idOf(current)));
      current.changedAtMs ??= clock.now().getTime();
    },
    end,
    async forgo(task) {
      await end(task.id);
      for (const store of [workspaces, snapshots]) await store.remove(task.id);
      await forgoWork(pool, task);
    },
    fresh: async (start) => (await sandboxes.create(toId('sandbox', newUuid(clock)), start)).sandbox,
    weightOf: (input) => weightOf(deps, input),
    room,
    async forDryRun(start) {
      const weight = sandboxes.weightOf(start.limits);
      if (weightOfAll(held) + weightOfAll(inDryRuns) + weight > mostInUse(deps.config))
        throw new SandboxError('SANDBOX_UNAVAILABLE', noneFree);
      const id = toId('sandbox', newUuid(clock));
      const forget = () => inDryRuns.delete(id);
      inDryRuns.set(id, { weight });
      const starting = sandboxes.create(id, start);
      starting.then(({ sandbox }) => sandbox.closed.then(forget, forget), forget);
      return (await starting).sandbox;
    },
    async sweep() {
      const over = running().filter(({ row }) => Date.parse(row.expiresAt) <= clock.now().getTime());
      await withTimeout(clock, sweepMs, Promise.all(over.map((current) => keep(current, patienceMs.lifetime))));
      const ours = new Set([...held.values()].flatMap(({ current }) => (current ? [idOf(current)] : [])));
      await sandboxes.sweep((id) => ours.has(id));
      await Promise.all((await outlived(pool, held)).map(end));
    },
    buryLost: async () => void (await buryLost(pool, hosts.id, [...held.keys()], clock.now())),
    async letGo() {
      await Promise.all(running().map((current) => sandboxes.destroy(idOf(current))));
    },
    holds: (taskId) => held.has(taskId),
    async keepAll() {
      // In a sandbox that is still starting nothing was done, and the workspace for it is still kept.
      const kept = Promise.all(running().map((current) => keep(current, patienceMs.stop)));
      const carried = kept.then(() => deps.carryOver(AbortSignal.timeout(stopMs)));
      await withTimeout(systemClock, stopMs, carried);
    },
    leave: async () => void (await burySandboxes(pool, hosts.id, clock.now())),
    taskIds: () => [...held.keys(), ...workspaces.taskIds(), ...snapshots.taskIds()],
    async clearKept() {
      for (const store of [workspaces, snapshots]) await store.clear(clock.now());
    },
  };
}

/** The filled sandbox of the task. Before anything is done in it, that is stored. */
async function opened(
  deps: SessionDeps,
  { hold, keep }: SessionRegistry,
  task: TaskRow,
  use: 'look' | 'work',
): Promise<WorkspaceSession> {
  for (;;) {
    const current = await hold(task, { afresh: false });
    await layInputs(deps, current, task).catch(async (error) => {
      // It holds nothing: the work that it was opened for has gone.
      if (error instanceof ApiError && error.code === 'SANDBOX_LOST') await keep(current, patienceMs.stop);
      throw error;
    });
    if (use === 'work') await noteWork(deps.pool, current, deps.clock.now());
    if (use === 'work') current.changedAtMs ??= deps.clock.now().getTime();
    // Its lifetime may have ended meanwhile.
    if (!current.keeping) return current;
  }
}

const deliveredOf = (
  current: WorkspaceSession,
  { input }: TaskRow,
  sandboxes: SessionDeps['sandboxes'],
): DeliveredWorkspace => ({
  async take() {
    if (input.repo !== undefined) await forgetCommit(current.sandbox);
    return takeStill(current, exportMs);
  },
  async goOn() {
    // Unless it is paused for a reason of its own, or about to end.
    if (current.keeping || sandboxes.pauseOf(idOf(current))) return;
    await current.sandbox.resume().catch(() => undefined);
  },
});

async function readKept(workspaces: Workspaces, taskId: string): Promise<Buffer> {
  const work = await workspaces.read(taskId);
  if (work === null) throw new SandboxError('SANDBOX_GONE', 'The workspace of this task is no longer kept.');
  return work;
}

/** Tasks whose sandbox here belongs to an agent that has lost them. */
async function outlived(pool: Pool, held: SessionRegistry['held']): Promise<string[]> {
  const all = [...held].map(([taskId, { agentId }]) => ({ taskId, agentId }));
  return all.length === 0 ? [] : passedOnAmong(pool, all);
}
