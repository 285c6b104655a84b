import {
  ApiError,
  type Clock,
  type Config,
  createFairSemaphore,
  type Pool,
  systemClock,
  withTimeout,
} from '../../platform/index.ts';
import { NoRoom, type Sandbox, SandboxError, type SandboxErrorCode } from '../../sandbox/index.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { StartingPoint } from '../inputs/starting-point.ts';
import type { SandboxRow, TaskRow } from '../sql.ts';
import { maxWorkspaceBytes, type Workspaces } from './archive-store.ts';
import { commitInput } from './commit-input.ts';
import { noRoom } from './limits.ts';
import { markSnapshot, markWorked } from './sql.ts';

/** What fills a sandbox, and takes its work. */
export interface WorkDeps {
  pool: Pool;
  clock: Clock;
  config: Config;
  inputs: Inputs;
  /** Work in sandboxes that ended before their tasks. */
  workspaces: Workspaces;
  /** Work as of a while ago, of sandboxes that live or have ended by themselves. */
  snapshots: Workspaces;
}

/** A live sandbox of this process for a task: what is written into it, and how its work is kept. */
export interface WorkspaceSession {
  row: SandboxRow;
  /** The buyer. */
  ownerId: string;
  sandbox: Sandbox;
  /** What it started with. */
  startedWith: StartingPoint;
  /** The work of an earlier sandbox that it continues with. */
  reopened: EarlierWork | null;
  /** Set once the buyer's inputs or the kept workspace are written, or while they are. */
  laid: Promise<void> | null;
  /** Set once it is stored, or being stored, that the agent works in it. */
  worked: Promise<void> | null;
  /** Files that are being written. */
  writes: Set<Promise<void>>;
  /** Set from when its work is being kept until it is gone. */
  keeping: Promise<void> | null;
  /** Since when something has been done in it that no snapshot has; null where all is in the last one. */
  changedAtMs: number | null;
  /** Set while a snapshot is taken, or waits for its turn. */
  snapshotting: Promise<void> | null;
  /** How its end is stored: a sandbox that ends by itself loses its work. */
  fate: 'lost' | 'kept' | 'destroyed';
}

/** All the work of a task's last sandbox, or as of a snapshot; and where it is. */
export interface EarlierWork {
  store: Workspaces;
  snapshotAt: string | null;
}

/** Another process has the task's one sandbox, or had it until a moment ago: the call is for that one to answer. */
export class SessionElsewhere extends ApiError {
  constructor() {
    // An agent that provisions at two servers at once makes it so.
    const message = 'Another server has the sandbox of this task, or had it a moment ago. Try again.';
    super('NOT_READY', message, {}, { isOurs: false });
  }
}

export const stopping = 'The server is stopping. Try again when it is back.';

const codes = {
  SANDBOX_UNAVAILABLE: 'SANDBOX_UNAVAILABLE',
  SANDBOX_GONE: 'SANDBOX_UNAVAILABLE',
  FILE_NOT_FOUND: 'FILE_NOT_FOUND',
  NOT_A_FILE: 'INVALID_PATH',
  NOT_A_DIRECTORY: 'INVALID_PATH',
  PATH_ESCAPES: 'INVALID_PATH',
  NO_SPACE: 'PAYLOAD_TOO_LARGE',
  TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  REFUSED: 'INVALID_PATH',
  EXHAUSTED: 'SANDBOX_UNAVAILABLE',
  TIMED_OUT: 'SANDBOX_UNAVAILABLE',
  PAUSED: 'SANDBOX_PAUSED',
  TOO_MANY: 'PROCESS_LIMIT_REACHED',
} as const satisfies Record<SandboxErrorCode, string>;

/** Runs a call of the driver; its refusals become ours. */
export async function inSandbox<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // Others of its refusals an agent can bring about, for example by ending its sandbox.
    const isOurs = error.code === 'SANDBOX_UNAVAILABLE';
    const details = error instanceof NoRoom ? noRoom : {};
    throw new ApiError(codes[error.code], error.message, details, { cause: error, isOurs });
  }
}

/** Runs once per key and keeps the result; after a failure the next call tries again. */
async function once(current: WorkspaceSession, key: 'laid' | 'worked', work: () => Promise<void>): Promise<void> {
  current[key] ??= work();
  const tried = current[key];
  try {
    await tried;
  } catch (error) {
    if (current[key] === tried) current[key] = null;
    throw error;
  }
}

/** Whether something has been written, or is being written. */
export const isLaid = async ({ laid }: WorkspaceSession): Promise<boolean> =>
  (await laid?.then(
    () => true,
    () => false,
  )) ?? false;

/** Stores, before the first of its work is done, that the agent works in it. */
export const noteWork = (pool: Pool, current: WorkspaceSession, at: Date): Promise<void> =>
  once(current, 'worked', async () => void (await markWorked(pool, current.row.id, at)));

/** Writes the buyer's inputs to /input, where nobody can change them, and a working copy to the workspace. */
export const layInputs = (deps: WorkDeps, current: WorkspaceSession, task: TaskRow): Promise<void> =>
  once(current, 'laid', async () => {
    const { sandbox, reopened } = current;
    const { archive } = await deps.inputs.originals(task);
    await inSandbox(() => sandbox.writeInput(archive));
    const work = (await earlierWork(deps, current)) ?? archive;
    await inSandbox(() => sandbox.importWorkspace(work));
    if (task.input.repo !== undefined) await inSandbox(() => commitInput(sandbox));
    if (reopened?.snapshotAt !== null) return;
    // While what was kept exists it is all the work; from here on it would be out of date. The next round takes a snapshot.
    current.changedAtMs = 0;
    await reopened.store.remove(task.id);
  });

/** Null where it begins with the buyer's files. */
async function earlierWork({ pool }: WorkDeps, { reopened, row }: WorkspaceSession): Promise<Buffer | null> {
  const work = (await reopened?.store.read(row.taskId)) ?? null;
  if (reopened === null || work !== null) return work;
  // It had to make room for others since, or is damaged.
  await reopened.store.remove(row.taskId);
  if (reopened.snapshotAt === null) throw new ApiError('SANDBOX_LOST');
  // An agent that goes on with a snapshot has taken leave of what was lost, and is told of this by the reply.
  await markSnapshot(pool, row.id, null);
  row.snapshotAt = null;
  return null;
}

/** Removes the snapshot of work that is kept or given up, also one that is being stored at this moment. */
export async function withoutSnapshot(snapshots: Workspaces, current: WorkspaceSession): Promise<void> {
  await snapshots.remove(current.row.taskId);
  void current.snapshotting?.then(() => snapshots.remove(current.row.taskId)).catch(() => undefined);
}

/** Workspaces being kept at once, each in memory meanwhile; buyers take turns, and none has all places. */
const keeping = createFairSemaphore(4, 3);

/** Keeps the agent's work of a sandbox that is about to end; rejects if it cannot. */
export async function keepWork(
  { workspaces, snapshots }: WorkDeps,
  current: WorkspaceSession,
  { patienceMs, isStopping }: { patienceMs: number; isStopping: boolean },
): Promise<void> {
  // Nobody has done anything in it.
  if (current.worked === null) return;
  const { id: sandboxId, taskId } = current.row;
  const work = { taskId, sandboxId };
  const keep = async (): Promise<boolean> => {
    const taken = await withTimeout(systemClock, patienceMs, takeOut(current));
    if (taken === undefined) throw new Error('taking the workspace out took too long');
    // A kept workspace that was not restored yet is still in its place.
    if (taken === null) return workspaces.look(taskId);
    if (isStopping && workspaces.putAside) {
      // A disk without room leaves the bucket.
      await workspaces.putAside(work, taken).catch(() => workspaces.put(work, taken));
      return true;
    }
    await workspaces.put(work, taken);
    const isKept = await workspaces.look(taskId);
    if (isKept) await withoutSnapshot(snapshots, current);
    return isKept;
  };
  current.fate = (await keeping(1, keep, current.ownerId)) ? 'kept' : 'lost';
}

async function takeOut(current: WorkspaceSession): Promise<Buffer | null> {
  return (await isLaid(current)) ? takeStill(current) : null;
}

/**
 * Exports the workspace while everything in the sandbox is paused, because running processes could interfere. A pause
 * stops only commands, so the export waits for file writes that are acknowledged.
 */
export async function takeStill(current: WorkspaceSession, timeoutMs?: number): Promise<Buffer> {
  await current.sandbox.pause();
  return stillWork(current, timeoutMs);
}

/** The workspace of a sandbox whose commands stand still. */
export async function stillWork({ sandbox, writes }: WorkspaceSession, timeoutMs?: number): Promise<Buffer> {
  await Promise.allSettled(writes);
  return sandbox.exportWorkspace(maxWorkspaceBytes, timeoutMs);
}
