import { noteUnanswered } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { routedTo } from '../sql.ts';

/** Up to which due time of tasks a process has looked. */
const lookedUpTo = new WeakMap<TaskDeps, string>();

/**
 * Notes since when agents leave tasks that were routed to them unanswered, once that is `AGENT_SILENT_MS`. A task is due a
 * fixed time after its assignment, so a sweep looks only at those that have come into sight since the last one.
 */
export async function noteSilence(deps: TaskDeps): Promise<void> {
  const { pool, clock, config } = deps;
  const { AGENT_SILENT_MS: silentMs, ACCEPT_DEADLINE_MS: acceptMs } = config;
  if (silentMs === 0) return;
  const inSight = new Date(clock.now().getTime() + Math.max(0, acceptMs - silentMs)).toISOString();
  await noteUnanswered(pool, await routedTo(pool, lookedUpTo.get(deps) ?? null, inSight));
  lookedUpTo.set(deps, inSight);
}
