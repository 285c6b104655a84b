import { noteUnanswered } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { routedTo } from '../sql.ts';

/**
 * Notes since when agents leave tasks that were routed to them unanswered, once that is `AGENT_SILENT_MS`. A task is due a
 * fixed time after its assignment, so a sweep looks only at those that have come into sight since the last one.
 */
export function createSilenceWatch({ pool, clock, config }: TaskDeps): () => Promise<void> {
  const { AGENT_SILENT_MS: silentMs, ACCEPT_DEADLINE_MS: acceptMs } = config;
  let lookedUpTo: string | null = null;
  return async () => {
    if (silentMs === 0) return;
    const inSight = new Date(clock.now().getTime() + Math.max(0, acceptMs - silentMs)).toISOString();
    await noteUnanswered(pool, await routedTo(pool, lookedUpTo, inSight));
    lookedUpTo = inSight;
  };
}
