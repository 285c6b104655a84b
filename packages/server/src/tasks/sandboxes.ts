import { openTasksByTier, toId } from '@agora/contract';
import { ApiError, type Clock, type Config, ensure, newUuid, type Pool, violates } from '../platform/index.ts';
import { type Pause, type Sandbox, SandboxError, type SandboxErrorCode, type Sandboxes } from '../sandbox/index.ts';
import type { Inputs } from './inputs/inputs.ts';
import { agentsOfSameOwner, buryLost, insertReadySandbox, trustTier } from './sandbox-sql.ts';
import {
  attachSandbox,
  burySandboxes,
  insertSandbox,
  passedOnAmong,
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
  /** Why the task's sandbox is paused, if it is. */
  pauseOf(taskId: string): Promise<Pause | undefined>;
  /** Lets it go on. */
  resume(taskId: string): Promise<void>;
  /** Ends the sandbox. Idempotent. */
  end(taskId: string): Promise<void>;
  /** An unrelated, empty sandbox for the gate, which agents cannot use up; the caller destroys it. */
  fresh(): Promise<Sandbox>;
  /** Tasks that have a sandbox in this process. */
  taskIds(): string[];
  /** Ends sandboxes past their lifetime, and those whose agent has lost the task. */
  sweep(): Promise<void>;
  /** Clears away what a crashed predecessor left. */
  reclaim(): Promise<void>;
  /** The process stops and its sandboxes are gone. */
  leave(): Promise<void>;
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

/** The share of the machine's sandboxes that agents may use; the others are the gate's. */
const agentsShare = 0.8;
/** From this part of the agents' share on, an agent gets no more than its tier allows; below it nobody is in want. */
const plenty = 0.5;

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
  inputs: Inputs;
  /** Names this process in the rows of its sandboxes. */
  host: string;
}

interface EntryOf {
  agentId: string;
  /** The buyer. */
  ownerId: string;
  ready: Promise<Held>;
}

type Entries = Map<string, EntryOf>;

export function createTaskSandboxes(deps: Deps): TaskSandboxes {
  const { pool, clock, sandboxes, host } = deps;
  /** What lives in this process, by task, oldest first. A task that never used a sandbox costs nothing here. */
  const held: Entries = new Map();
  const ready = async (taskId: string) => held.get(taskId)?.ready.catch(() => null);

  async function startShared(task: TaskRow): Promise<Held> {
    await checkShare(deps, held, task);
    const started = await start(deps, task);
    void started.sandbox.closed.then(() => bury(task.id, started.row.id));
    return started;
  }

  /** A sandbox that ended, whoever ended it, makes room for a new one. */
  async function bury(taskId: string, id: string): Promise<void> {
    // First the row: whoever finds no sandbox here any more may rely on what is stored.
    await setSandboxStatus(pool, id, 'destroyed', clock.now()).catch(() => undefined);
    if ((await ready(taskId))?.row.id === id) held.delete(taskId);
  }

  async function end(taskId: string): Promise<void> {
    const current = await ready(taskId);
    if (!current) return;
    await setSandboxStatus(pool, current.row.id, 'draining', clock.now());
    await sandboxes.destroy(toId('sandbox', current.row.id));
    await bury(taskId, current.row.id);
  }

  async function hold(task: TaskRow): Promise<Held> {
    const other = held.get(task.id);
    if (other && other.agentId !== task.agentId) {
      await requireHolder(pool, task);
      if (held.get(task.id) === other) await end(task.id);
    }
    const existing = held.get(task.id);
    if (existing) return existing.ready;
    // In its place before it starts, so that starts of one moment count each other.
    const entry = {
      agentId: task.agentId,
      ownerId: task.ownerId,
      ready: Promise.resolve().then(() => startShared(task)),
    };
    held.set(task.id, entry);
    entry.ready.catch(() => held.delete(task.id));
    return entry.ready.catch(explainTwin);
  }

  return {
    async provision(task) {
      // First, so that an agent learns before it commits that the buyer's repository cannot be had.
      await deps.inputs.prepare(task);
      return (await hold(task)).row;
    },
    async workspace(task) {
      const current = await hold(task);
      await filled(deps.inputs, current, task);
      return current.sandbox;
    },
    live: async (taskId) => (await ready(taskId))?.sandbox ?? null,
    async worked(taskId) {
      const current = await ready(taskId);
      // Without inputs laid the agent never opened the workspace, so there is no work in it.
      return current && (await isLaid(current)) ? current.sandbox : null;
    },
    async pauseOf(taskId) {
      const current = await ready(taskId);
      return current ? sandboxes.pauseOf(toId('sandbox', current.row.id)) : undefined;
    },
    async resume(taskId) {
      const current = await ready(taskId);
      if (current) await inSandbox(() => sandboxes.resume(toId('sandbox', current.row.id)));
    },
    end,
    fresh: async () => (await sandboxes.create(toId('sandbox', newUuid(clock)))).sandbox,
    async sweep() {
      await sandboxes.sweep();
      await Promise.all((await outlived(pool, held)).map(end));
      await buryLost(pool, host, [...held.keys()], clock.now());
    },
    reclaim: async () => void (await burySandboxes(pool, 'others', host, clock.now())),
    leave: async () => void (await burySandboxes(pool, 'own', host, clock.now())),
    taskIds: () => [...held.keys()],
  };
}

/** One agent or owner must not take every sandbox, nor all agents together those of the gate. */
async function checkShare({ pool, config }: Deps, held: Entries, task: TaskRow): Promise<void> {
  const ids = [...held.keys()];
  // Those that came later do not count, so that of several at the limit the first is served.
  const earlier = ids.slice(0, ids.indexOf(task.id)).flatMap((id) => held.get(id) ?? []);
  const most = Math.max(1, Math.floor(config.SANDBOX_MAX_LIVE * agentsShare));
  if (earlier.length >= most) {
    throw new ApiError('SANDBOX_UNAVAILABLE', 'All sandboxes for agents are in use on this server; try again later.');
  }
  await checkOwners(pool, earlier, task, Math.max(1, Math.floor(most * config.SANDBOX_OWNER_SHARE)));
  if (earlier.length < most * plenty) return;
  const own = earlier.filter(({ agentId }) => agentId === task.agentId).length;
  const limit = openTasksByTier[await trustTier(pool, task.agentId)];
  if (own < limit) return;
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `Sandboxes are scarce now, and the agent has ${own}, its trust tier's share; end another task or destroy its sandbox.`,
    { limit },
  );
}

/** Neither the tasks of one buyer nor the agents of one seller may have more than an owner's share. */
async function checkOwners(pool: Pool, earlier: EntryOf[], task: TaskRow, limit: number): Promise<void> {
  // Fewer than the share all together: then nobody has more.
  if (earlier.length < limit) return;
  const bought = earlier.filter(({ ownerId }) => ownerId === task.ownerId).length;
  const sisters = await agentsOfSameOwner(pool, task.agentId, [...new Set(earlier.map(({ agentId }) => agentId))]);
  const sold = earlier.filter(({ agentId }) => sisters.has(agentId)).length;
  if (Math.max(bought, sold) < limit) return;
  const whose = bought >= limit ? "The tasks of this task's owner" : 'The agents of this owner';
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `${whose} have ${limit} sandboxes on this server, which is one owner's share; end another task or destroy its sandbox.`,
    { limit },
  );
}

/** Starts a sandbox and stores that it is there: at once where one stands ready, before and after otherwise. */
async function start({ pool, clock, config, sandboxes, host }: Deps, task: TaskRow): Promise<Held> {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + config.SANDBOX_LIFETIME_MS).toISOString();
  const row: SandboxRow = {
    id: newUuid(clock),
    taskId: task.id,
    agentId: task.agentId,
    host,
    status: 'provisioning',
    expiresAt,
  };
  const stored = { ...row, createdAt: now.toISOString() };
  const sandboxId = toId('sandbox', row.id);
  const isThere = sandboxes.hasReady;
  if (isThere) await insertReadySandbox(pool, stored, sandboxId);
  else await insertSandbox(pool, stored);
  try {
    const { sandbox } = await inSandbox(() => sandboxes.create(sandboxId, { hasQuota: true }));
    if (!isThere) {
      await setSandboxStatus(pool, row.id, 'ready', clock.now());
      await attachSandbox(pool, task, sandboxId);
    }
    return { row: { ...row, status: 'ready' }, sandbox, laid: null };
  } catch (error) {
    // It may have started before the database failed; nobody would know of it.
    await sandboxes.destroy(sandboxId).catch(() => undefined);
    await setSandboxStatus(pool, row.id, 'failed', clock.now());
    throw error;
  }
}

/** Lays the buyer's inputs once; after a failure the next call tries again. */
async function filled(inputs: Inputs, current: Held, task: TaskRow): Promise<void> {
  current.laid ??= lay(inputs, current.sandbox, task);
  const { laid } = current;
  try {
    await laid;
  } catch (error) {
    if (current.laid === laid) current.laid = null;
    throw error;
  }
}

/** As they were given at /input, where nobody can change them, and to be worked on in the workspace. */
async function lay(inputs: Inputs, sandbox: Sandbox, task: TaskRow): Promise<void> {
  const { archive } = await inputs.originals(task);
  await inSandbox(() => sandbox.sealInput(archive));
  await inSandbox(() => sandbox.importWorkspace(archive));
}

/** Another process has the task's one sandbox. */
function explainTwin(error: unknown): never {
  if (!violates(error, 'sandboxes_one_live')) throw error;
  throw new ApiError('SANDBOX_UNAVAILABLE', 'The sandbox of this task is being started or ended; try again.');
}

/** Which of two agents has the task by now the database knows; a caller may have read it before it moved. */
async function requireHolder(pool: Pool, { id: taskId, agentId }: TaskRow): Promise<void> {
  ensure((await passedOnAmong(pool, [{ taskId, agentId }])).length === 0, 'NOT_A_PARTY');
}

/** Tasks whose sandbox here belongs to an agent that has lost them. */
async function outlived(pool: Pool, held: Entries): Promise<string[]> {
  const all = [...held].map(([taskId, { agentId }]) => ({ taskId, agentId }));
  return all.length === 0 ? [] : passedOnAmong(pool, all);
}

/** Whether the inputs are laid, or will be in a moment. */
const isLaid = async ({ laid }: Held): Promise<boolean> =>
  (await laid?.then(
    () => true,
    () => false,
  )) ?? false;
