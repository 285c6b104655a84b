import { type Config, hasCome } from '../../platform/index.ts';
import { noteUnanswered } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { routedTo } from '../sql.ts';

/** From so long before it is due a task that nobody answered may count as silence of its agent. */
const sightMs = ({ AGENT_SILENT_MS: silentMs, ACCEPT_DEADLINE_MS: acceptMs }: Config) =>
  silentMs === 0 ? 0 : Math.max(0, acceptMs - silentMs);

/** Whether a task is due or in sight at the time `$1`. */
export const inSight = (config: Config): string => hasCome('due_at', 'tasks', -sightMs(config));

/**
 * Notes since when agents leave tasks that were routed to them unanswered, once that is `AGENT_SILENT_MS`. A task is due a
 * fixed time after its assignment, so a sweep looks only at those that have come into sight since the last one.
 */
export function createSilenceWatch({ pool, clock, config }: TaskDeps): () => Promise<void> {
  let lookedUpTo: string | null = null;
  return async () => {
    if (config.AGENT_SILENT_MS === 0) return;
    const upTo = new Date(clock.now().getTime() + sightMs(config)).toISOString();
    await noteUnanswered(pool, await routedTo(pool, lookedUpTo, upTo));
    lookedUpTo = upTo;
  };
}
