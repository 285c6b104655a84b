import { isWorking, toId } from '@agora-market/contract';
import type { Dependencies } from '../../dependencies/index.ts';
import type { Environments } from '../../environments/index.ts';
import { type ObjectStore, storeOf } from '../../objects/index.ts';
import {
  ApiError,
  type Disk,
  ensure,
  type Hosts,
  type Logger,
  newUuid,
  type Pool,
  violates,
} from '../../platform/index.ts';
import type { Sandboxes } from '../../sandbox/index.ts';
import { type StartingPoint, startingPointOf } from '../inputs/starting-point.ts';
import { agentOf, attachSandbox, earlierOf, passedOnAmong, type SandboxRow, type TaskRow } from '../sql.ts';
import { checkShare, overShareOf, shareOfOwner, weightOfAll } from './limits.ts';
import {
  type EarlierWork,
  inSandbox,
  keepWork,
  SessionElsewhere,
  stopping,
  type WorkDeps,
  type WorkspaceSession,
  withoutSnapshot,
} from './session.ts';
import { findMissingWork, insertReadySandbox, insertSandbox, type LastWork, setSandboxStatus } from './sql.ts';
import type { Storage } from './storage.ts';

/** Which tasks have a sandbox in this process: how one begins and how it ends. */

export interface SessionDeps extends WorkDeps {
  disk: Disk;
  storage: Storage;
  log: Logger;
  sandboxes: Sandboxes;
  objects: ObjectStore;
  environments: Environments;
  dependencies: Dependencies;
  /** Moves into the bucket, if there is one, what this disk has of it. */
  carryOver(signal: AbortSignal): Promise<void>;
  /** Aborts when the server stops: no sandbox is started any more. */
  stopping: AbortSignal;
  hosts: Hosts;
}

interface EntryOf {
  agentId: string;
  /** The buyer. */
  ownerId: string;
  weight: number;
  ready: Promise<WorkspaceSession>;
  /** Once it is ready. */
  current?: WorkspaceSession;
}

type Entries = Map<string, EntryOf>;

export const idOf = ({ row }: WorkspaceSession) => toId('sandbox', row.id);

export type SessionRegistry = ReturnType<typeof createSessionRegistry>;

export function createSessionRegistry(deps: SessionDeps) {
  const { pool, clock, sandboxes, workspaces, snapshots } = deps;
  /** By task, oldest first. A task that never used a sandbox costs nothing here. */
  const held: Entries = new Map();
  /** Sandboxes of dry runs, by id. */
  const inDryRuns = new Map<string, { weight: number }>();
  const ready = async (taskId: string) => held.get(taskId)?.ready.catch(() => null);

  async function startShared(task: TaskRow, reopened: EarlierWork | null): Promise<WorkspaceSession> {
    ensure(!deps.stopping.aborted, 'NOT_READY', stopping);
    await deps.disk.requireRoom();
    await checkShare(deps, held, task, weightOfAll(inDryRuns));
    await deps.storage.setAside(task);
    const started = await start(deps, task, await startFor(deps, task), reopened);
    const { ending, closed } = started.sandbox;
    const keepLast = () => (started.fate === 'lost' ? void keep(started, announcedMs) : undefined);
    ending.addEventListener('abort', keepLast);
    if (ending.aborted) keepLast();
    void closed.then(() => bury(started));
    return started;
  }

  /** A sandbox that ended, whoever ended it, makes room for a new one. */
  async function bury(current: WorkspaceSession): Promise<void> {
    const { id, taskId } = current.row;
    // The row comes first: whoever finds no sandbox here may then rely on the stored state.
    await setSandboxStatus(pool, id, current.fate, clock.now()).catch(() => undefined);
    if ((await ready(taskId)) === current) held.delete(taskId);
  }

  /** Ends the sandbox with all work in it, and removes its kept workspace. Idempotent. */
  async function end(taskId: string): Promise<void> {
    const current = await ready(taskId);
    await current?.keeping;
    if (current && !current.keeping) {
      current.fate = 'destroyed';
      await setSandboxStatus(pool, current.row.id, 'draining', clock.now());
      await sandboxes.destroy(idOf(current));
      await bury(current);
    }
    // Most tasks never had a sandbox; what another server has kept of one the sweep removes.
    if (current || workspaces.has(taskId)) await workspaces.remove(taskId);
    if (current) await withoutSnapshot(snapshots, current);
    else if (snapshots.has(taskId)) await snapshots.remove(taskId);
  }

  /**
   * Ends a sandbox before its task ends, with the work in it kept if that can be. Where the bucket is away it lives on for a
   * while. Never rejects.
   */
  function keep(current: WorkspaceSession, patienceMs: number): Promise<void> {
    current.keeping ??= endKept(deps, current, patienceMs).then((isEnded) =>
      isEnded ? bury(current) : goOn(deps, current),
    );
    return current.keeping;
  }

  /** The task's sandbox for its agent, started where there is none. */
  async function hold(task: TaskRow, options: { afresh: boolean }): Promise<WorkspaceSession> {
    await deps.hosts.confirm();
    const other = held.get(task.id);
    if (other && other.agentId !== task.agentId) {
      await requireHolder(pool, task);
      if (held.get(task.id) === other) await end(task.id);
    }
    const reopened = held.has(task.id) ? null : await requireWork(deps, task, options);
    const existing = held.get(task.id);
    if (existing) {
      const current = await existing.ready;
      if (!current.keeping) return current;
      await current.keeping;
      return hold(task, options);
    }
    // In its place before it starts, so that starts of one moment count each other.
    const starting = Promise.resolve()
      .then(() => startShared(task, reopened))
      .catch(explainTwin);
    const weight = weightOf(deps, task.input);
    const entry: EntryOf = { agentId: agentOf(task), ownerId: task.ownerId, weight, ready: starting };
    held.set(task.id, entry);
    starting.then(
      (current) => Object.assign(entry, { current }),
      () => held.delete(task.id),
    );
    return starting;
  }

  /** Those that nobody is ending yet. */
  const running = () => [...held.values()].flatMap(({ current }) => (current?.fate === 'lost' ? [current] : []));
  return { held, inDryRuns, ready, hold, end, keep, running };
}

/**
 * With what of the agent's work a sandbox opens: null where there is none yet. Work as of a snapshot, and what is lost, only an
 * agent that provisions again takes leave of.
 */
async function requireWork(
  deps: SessionDeps,
  task: TaskRow,
  { afresh }: { afresh: boolean },
): Promise<EarlierWork | null> {
  if (!isWorking(task)) return null;
  const { workspaces, snapshots } = deps;
  const last = await lastWork(deps, task);
  // A workspace there is older than the agent's latest sandbox, which another process had.
  if (last.missing === null || !last.isOurs) {
    for (const store of [workspaces, snapshots]) await store.remove(task.id);
  }
  if (last.missing !== 'work_lost') return null;
  if (await workspaces.look(task.id)) return { store: workspaces, snapshotAt: null };
  ensure(afresh, 'SANDBOX_LOST');
  const snapshotAt = await snapshotIn(deps, task, last);
  return snapshotAt === null ? null : { store: snapshots, snapshotAt };
}

const lastWork = ({ pool, objects, hosts }: SessionDeps, task: TaskRow): Promise<LastWork> =>
  findMissingWork(pool, task, { host: hosts.id, store: storeOf(objects, hosts) });

const snapshotIn = async ({ snapshots }: SessionDeps, { id }: TaskRow, { isOurs, snapshotAt }: LastWork) =>
  isOurs && snapshotAt !== null && (await snapshots.look(id)) ? snapshotAt : null;

/** As of when the lost work of a task can be had here. */
export async function snapshotOf(deps: SessionDeps, task: TaskRow): Promise<string | null> {
  const last = await lastWork(deps, task);
  return last.missing === 'work_lost' ? snapshotIn(deps, task, last) : null;
}

/** False where its work has to wait for the bucket; a server that stops cannot. */
async function endKept(deps: SessionDeps, current: WorkspaceSession, patienceMs: number): Promise<boolean> {
  const { sandboxes, log, stopping: stopped } = deps;
  const { taskId } = current.row;
  try {
    await keepWork(deps, current, { patienceMs, isStopping: stopped.aborted });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_READY' && !stopped.aborted) return false;
    log.warn({ err: error, taskId }, 'the work in a sandbox could not be kept and is lost');
  }
  await sandboxes.destroy(idOf(current)).catch((error) => {
    log.warn({ err: error, taskId }, 'a sandbox could not be ended; the next sweep tries again');
  });
  return true;
}

/** Until its work is tried again to be kept. */
const goesOnMs = 60_000;

/** The lifetime of a sandbox begins to end once more later. */
async function goOn({ clock, log, sandboxes }: SessionDeps, current: WorkspaceSession): Promise<void> {
  log.warn({ taskId: current.row.taskId }, 'the work in a sandbox could not be kept yet, so it lives on');
  current.row.expiresAt = new Date(clock.now().getTime() + goesOnMs).toISOString();
  // Unless it is paused for a reason of its own.
  if (!sandboxes.pauseOf(idOf(current))) await current.sandbox.resume().catch(() => undefined);
  current.keeping = null;
}

/** Longest for the work of a sandbox whose end was announced: it may be over at any moment. */
const announcedMs = 10_000;

/** As how many ordinary sandboxes one of a task with this input counts. */
export const weightOf = ({ environments, sandboxes }: SessionDeps, { environment }: TaskRow['input']): number =>
  sandboxes.weightOf(environments.limitsOf(environment));

/** What the gate's sandboxes start with too. */
async function startFor(deps: SessionDeps, task: TaskRow): Promise<StartingPoint> {
  const { input } = task;
  const hasFiles = task.inputExpiresAt !== null && (input.repo !== undefined || input.files !== undefined);
  const { files } = hasFiles ? await deps.inputs.originals(task) : { files: [] };
  // Work that was kept goes on with the packages that it began with.
  const earlier = isWorking(task) ? await earlierOf(deps.pool, task) : null;
  return inSandbox(() => startingPointOf(deps, { ...task, files, earlier }));
}

/** Starts a sandbox and stores its row: in one statement with a warm sandbox, otherwise before and after the start. */
async function start(
  deps: SessionDeps,
  task: TaskRow,
  startedWith: StartingPoint,
  reopened: EarlierWork | null,
): Promise<WorkspaceSession> {
  const { pool, clock, config, sandboxes, hosts } = deps;
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + config.SANDBOX_LIFETIME_MS).toISOString();
  const row: SandboxRow = {
    id: newUuid(clock),
    taskId: task.id,
    agentId: agentOf(task),
    host: hosts.id,
    status: 'provisioning',
    expiresAt,
    layer: startedWith.layer,
    lacking: startedWith.problems,
    snapshotAt: reopened?.snapshotAt ?? null,
  };
  const createdAt = now.toISOString();
  const stored = { ...row, createdAt, workedAt: reopened ? createdAt : null };
  const sandboxId = toId('sandbox', row.id);
  const isThere = sandboxes.hasReady(startedWith.start);
  const share = shareOfOwner(deps);
  const sharing = { task, weight: weightOf(deps, task.input), share };
  const made = await (isThere
    ? insertReadySandbox(pool, stored, sandboxId, sharing)
    : insertSandbox(pool, stored, sharing));
  if (made && made.over !== null) throw overShareOf(made.over, share);
  // Others have found this process dead.
  if (!made?.isMade) throw new SessionElsewhere();
  try {
    const { sandbox } = await inSandbox(() => sandboxes.create(sandboxId, { hasQuota: true, ...startedWith.start }));
    if (!isThere) {
      await setSandboxStatus(pool, row.id, 'ready', clock.now());
      await attachSandbox(pool, { id: task.id, agentId: row.agentId }, sandboxId);
    }
    return {
      row: { ...row, status: 'ready' },
      ownerId: task.ownerId,
      sandbox,
      startedWith,
      reopened,
      laid: null,
      worked: reopened ? Promise.resolve() : null,
      writes: new Set(),
      keeping: null,
      changedAtMs: null,
      snapshotting: null,
      fate: 'lost',
    };
  } catch (error) {
    // It may have started before the database failed; nobody would know of it.
    await sandboxes.destroy(sandboxId).catch(() => undefined);
    await setSandboxStatus(pool, row.id, 'failed', clock.now());
    throw error;
  }
}

/** Another process has the task's one sandbox. */
function explainTwin(error: unknown): never {
  if (!violates(error, 'sandboxes_one_live')) throw error;
  throw new SessionElsewhere();
}

/** Which of two agents has the task by now the database knows; a caller may have read it before it moved. */
async function requireHolder(pool: Pool, task: TaskRow): Promise<void> {
  const held = { taskId: task.id, agentId: agentOf(task) };
  ensure((await passedOnAmong(pool, [held])).length === 0, 'NOT_A_PARTY');
}
