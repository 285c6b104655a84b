import { toId } from '@agora/contract';
import { ApiError, type Clock, type Config, ensure, newUuid, type Pool, violates } from '../platform/index.ts';
import { type Sandbox, SandboxError, type SandboxErrorCode, type Sandboxes } from '../sandbox/index.ts';
import { inputFiles } from './input-files.ts';
import {
  attachSandbox,
  buryLostSandboxes,
  insertSandbox,
  type SandboxRow,
  setSandboxStatus,
  type TaskRow,
} from './sql.ts';

/** The sandboxes of tasks: started when first needed, filled once the agent has committed, ended with the task. */
export interface TaskSandboxes {
  /** Starts the sandbox, empty, unless it lives already. */
  provision(task: TaskRow): Promise<SandboxRow>;
  /** The sandbox with the buyer's inputs laid, for a task that is executing. */
  workspace(task: TaskRow): Promise<Sandbox>;
  /** The task's sandbox where it lives. */
  live(taskId: string): Promise<Sandbox | null>;
  /** The task's sandbox where the agent has opened its workspace; the gate takes the delivered work from it. */
  worked(taskId: string): Promise<Sandbox | null>;
  /** Ends the sandbox. Idempotent. */
  end(taskId: string): Promise<void>;
  /** An unrelated, empty sandbox for the gate; the caller destroys it. */
  fresh(): Promise<Sandbox>;
  /** Tasks that have a sandbox in this process. */
  taskIds(): string[];
  /** Ends sandboxes past their lifetime. */
  sweep(): Promise<void>;
  /** Clears away what a crashed predecessor left. */
  reclaim(): Promise<void>;
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

interface Held {
  row: SandboxRow;
  sandbox: Sandbox;
  /** Set once the buyer's inputs are laid or being laid. */
  laid: Promise<void> | null;
}

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  sandboxes: Sandboxes;
  /** Names this process in the rows of its sandboxes. */
  host: string;
}

export function createTaskSandboxes({ pool, clock, config, sandboxes, host }: Deps): TaskSandboxes {
  /** What lives in this process, by task. A task that never used a sandbox costs nothing here. */
  const held = new Map<string, Promise<Held>>();

  async function start(task: TaskRow): Promise<Held> {
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + config.SANDBOX_LIFETIME_MS).toISOString();
    const row: SandboxRow = { id: newUuid(clock), taskId: task.id, host, status: 'provisioning', expiresAt };
    await insertSandbox(pool, { ...row, createdAt: now.toISOString() });
    try {
      const { sandbox } = await inSandbox(() => sandboxes.create(toId('sandbox', row.id)));
      await setSandboxStatus(pool, row.id, 'ready', clock.now());
      await attachSandbox(pool, task.id, toId('sandbox', row.id));
      void sandbox.closed.then(() => bury(task.id, row.id));
      return { row: { ...row, status: 'ready' }, sandbox, laid: null };
    } catch (error) {
      await setSandboxStatus(pool, row.id, 'failed', clock.now());
      throw error;
    }
  }

  /** A sandbox that ended, whoever ended it, makes room for a new one. */
  async function bury(taskId: string, id: string): Promise<void> {
    const current = await held.get(taskId)?.catch(() => null);
    if (current?.row.id === id) held.delete(taskId);
    await setSandboxStatus(pool, id, 'destroyed', clock.now()).catch(() => undefined);
  }

  function hold(task: TaskRow): Promise<Held> {
    const existing = held.get(task.id);
    if (existing) return existing;
    const starting = start(task);
    held.set(task.id, starting);
    starting.catch(() => held.delete(task.id));
    return starting.catch((error) => {
      if (!violates(error, 'sandboxes_one_live')) throw error;
      throw new ApiError('SANDBOX_UNAVAILABLE', 'The sandbox of this task is being started or ended; try again.');
    });
  }

  return {
    provision: async (task) => (await hold(task)).row,
    async workspace(task) {
      const current = await hold(task);
      current.laid ??= lay(current.sandbox, task);
      await current.laid;
      return current.sandbox;
    },
    live: async (taskId) => (await held.get(taskId)?.catch(() => null))?.sandbox ?? null,
    async worked(taskId) {
      const current = await held.get(taskId)?.catch(() => null);
      // Without inputs laid the agent never opened the workspace, so there is no work in it.
      if (!current?.laid) return null;
      await current.laid;
      return current.sandbox;
    },
    async end(taskId) {
      const current = await held.get(taskId)?.catch(() => null);
      if (!current) return;
      await setSandboxStatus(pool, current.row.id, 'draining', clock.now());
      await sandboxes.destroy(toId('sandbox', current.row.id));
      await bury(taskId, current.row.id);
    },
    fresh: async () => (await sandboxes.create(toId('sandbox', newUuid(clock)))).sandbox,
    async sweep() {
      await sandboxes.sweep();
    },
    reclaim: async () => {
      await buryLostSandboxes(pool, clock.now());
    },
    taskIds: () => [...held.keys()],
  };
}

async function lay(sandbox: Sandbox, task: TaskRow): Promise<void> {
  ensure(task.inputExpiresAt !== null, 'INPUT_EXPIRED');
  for (const file of inputFiles(task.input)) await inSandbox(() => sandbox.write(file));
}
