import { ApiError, createFairSemaphore, type Pool, withTimeout } from '../../platform/index.ts';
import { type Sandbox, SandboxError, type SandboxErrorCode } from '../../sandbox/index.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { SandboxRow, TaskRow } from '../sql.ts';
import { maxWorkspaceBytes, type Workspaces } from './archive-store.ts';
import { markWorked } from './sql.ts';

/** A sandbox that lives in this process for a task, what is laid into it, and how the work in it is kept. */
export interface WorkspaceSession {
  row: SandboxRow;
  /** The buyer. */
  ownerId: string;
  sandbox: Sandbox;
  /** It was opened to go on with the work that was kept of an earlier one. */
  reopened: boolean;
  /** Set once the buyer's inputs, or the work that was kept, are laid or being laid. */
  laid: Promise<void> | null;
  /** Set once it is stored, or being stored, that the agent works in it. */
  worked: Promise<void> | null;
  /** Files that are being written. */
  writes: Set<Promise<void>>;
  /** Set from when its work is being kept until it is gone. */
  keeping: Promise<void> | null;
  /** What is stored when it has ended: by itself it takes the work in it along. */
  fate: 'lost' | 'kept' | 'destroyed';
}

/** Another process has the task's one sandbox, or had it until a moment ago: the call is for that one to answer. */
export class SessionElsewhere extends ApiError {
  constructor(code: 'SANDBOX_UNAVAILABLE' | 'NOT_READY' = 'SANDBOX_UNAVAILABLE') {
    super(code, 'Another server has the sandbox of this task, or had it a moment ago. Try again.');
  }
}

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
    if (error instanceof SandboxError) throw new ApiError(codes[error.code], error.message, {}, { cause: error });
    throw error;
  }
}

/** Does once what is kept under a key; after a failure the next call tries again. */
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

/** Whether something is laid, or will be in a moment. */
export const isLaid = async ({ laid }: WorkspaceSession): Promise<boolean> =>
  (await laid?.then(
    () => true,
    () => false,
  )) ?? false;

/** Stores, before the first of its work is done, that the agent works in it. */
export const noteWork = (pool: Pool, current: WorkspaceSession, at: Date): Promise<void> =>
  once(current, 'worked', async () => void (await markWorked(pool, current.row.id, at)));

/** Lays the buyer's inputs at /input, where nobody can change them, and into the workspace what is to be worked on. */
export const layInputs = (
  { inputs, workspaces }: { inputs: Inputs; workspaces: Workspaces },
  current: WorkspaceSession,
  task: TaskRow,
): Promise<void> =>
  once(current, 'laid', async () => {
    const { sandbox, reopened } = current;
    const { archive } = await inputs.originals(task);
    await inSandbox(() => sandbox.sealInput(archive));
    const work = reopened ? await workspaces.read(task.id) : archive;
    // It had to make room for others since.
    if (work === null) throw new ApiError('SANDBOX_LOST');
    await inSandbox(() => sandbox.importWorkspace(work));
    // What is kept is all the work there is for as long as it is kept; from here on it would be out of date.
    if (reopened) await workspaces.remove(task.id);
  });

/** Workspaces being kept at once, each in memory meanwhile; buyers take turns, and none has all places. */
const keeping = createFairSemaphore(4, 3);

/** Keeps what the agent has done in a sandbox that is about to end; rejects where that cannot be. */
export async function keepWork(workspaces: Workspaces, current: WorkspaceSession, patienceMs: number): Promise<void> {
  // Nobody has done anything in it.
  if (current.worked === null) return;
  const { taskId } = current.row;
  const keep = async () => {
    const taken = await withTimeout(patienceMs, takeOut(current));
    if (taken === undefined) throw new Error('taking the workspace out took too long');
    // What was not laid yet is still where it was kept.
    if (taken !== null) await workspaces.put(taskId, taken);
  };
  await keeping(1, keep, current.ownerId);
  current.fate = workspaces.has(taskId) ? 'kept' : 'lost';
}

async function takeOut(current: WorkspaceSession): Promise<Buffer | null> {
  return (await isLaid(current)) ? takeStill(current) : null;
}

/**
 * Takes the workspace out with everything in the sandbox standing still, for whoever runs there could hinder it. A pause
 * stops commands; files that were being written and are acknowledged must be among what is taken.
 */
export async function takeStill({ sandbox, writes }: WorkspaceSession, timeoutMs?: number): Promise<Buffer> {
  await sandbox.pause();
  await Promise.allSettled(writes);
  return sandbox.exportWorkspace(maxWorkspaceBytes, timeoutMs);
}
