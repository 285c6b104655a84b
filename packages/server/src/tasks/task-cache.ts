import { type can, type TaskRole, toUuid } from '@agora-market/contract';
import { type AgentCaller, type Clock, type Config, createCache } from '../platform/index.ts';
import { partyTask, permit } from './access.ts';
import type { RememberedTask, TaskDeps } from './deps.ts';
import type { TaskRow } from './sql.ts';
import { roleOf } from './view.ts';

const maxAgeMs = 600_000;

interface PartysTask {
  task: TaskRow;
  role: TaskRole;
  /** Undefined for a task that was just read from the database. */
  inputBytes?: number;
}

/** Memory for some 10,000 small tasks and as many agents. No input outlives its erasure here. */
export const createTaskCache = (clock: Clock, { INPUT_TTL_MS }: Pick<Config, 'INPUT_TTL_MS'>): TaskDeps['cache'] => ({
  tasks: createCache<RememberedTask>(clock, { maxBytes: 16 * 1024 ** 2, maxAgeMs: Math.min(maxAgeMs, INPUT_TTL_MS) }),
  hireables: createCache(clock, { maxBytes: 4 * 1024 ** 2, maxAgeMs }),
  paces: createCache(clock, { maxBytes: 1024 ** 2, maxAgeMs: 10_000 }),
  schemas: createCache(clock, { maxBytes: 1024 ** 2, maxAgeMs: 24 * 60 * 60_000 }),
});

/**
 * The task that a party wants to change, from the cache or read. If the cached task would refuse the party, it is read
 * again. If it permits, the step checks again.
 */
export async function taskFor(
  deps: Pick<TaskDeps, 'loadTask' | 'cache'>,
  taskId: string,
  caller: AgentCaller,
  allows: (task: TaskRow, role: TaskRole) => ReturnType<(typeof can)['start']>,
): Promise<PartysTask> {
  const uuid = toUuid('task', taskId);
  const known = uuid === null ? undefined : deps.cache.tasks.get(uuid);
  if (known) {
    const { task, inputBytes } = known;
    const role = roleOf(task, caller);
    if (role !== 'none' && allows(task, role).ok) return { task, role, inputBytes };
    deps.cache.tasks.delete(task.id);
  }
  const found = await partyTask(deps, taskId, caller);
  permit(allows(found.task, found.role));
  return found;
}

/** Size limit of a cached task: a few large ones must not displace many small ones. */
const maxInputBytes = 16_384;

/** Keeps a task for the steps that follow on this one. Its input never changes, so it is weighed only where nobody has. */
export function remember(
  { cache }: Pick<TaskDeps, 'cache'>,
  task: TaskRow,
  inputBytes = Buffer.byteLength(JSON.stringify(task.input)),
): void {
  if (inputBytes <= maxInputBytes) cache.tasks.set(task.id, { task, inputBytes }, 1_000 + inputBytes);
}
