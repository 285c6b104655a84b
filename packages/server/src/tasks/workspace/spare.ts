import { type ErrorCode, isWorking } from '@agora-market/contract';
import { ApiError, isDiskFull } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { postponeDeadline, type TaskRow } from '../sql.ts';

/** The least time that an agent has left after a refusal that is no fault of its own. */
const sparedMs = 900_000;
/** What a store without room, or that cannot be reached, refuses with. */
const refusals: readonly ErrorCode[] = ['STORAGE_FULL', 'NOT_READY'];

/**
 * Work of an agent that needs what the platform stores. If that has no room or cannot be reached, the agent is not to
 * blame. Its deadline moves, at most to the end of its task's input, so that it can try again.
 */
export async function spared<R>(deps: TaskDeps, task: TaskRow, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) deps.disk.noteFull();
    const shortage = isDiskFull(error) ? ((await deps.disk.shortage()) ?? error) : error;
    const isOurs = shortage instanceof ApiError && shortage.isOurs && refusals.includes(shortage.code);
    if (isOurs && isWorking(task)) {
      const until = new Date(deps.clock.now().getTime() + sparedMs);
      await postponeDeadline(deps.pool, task, until).catch((failure) => {
        deps.log.warn({ err: failure, taskId: task.id }, 'a deadline could not be moved after a fault of ours');
      });
      deps.cache.tasks.delete(task.id);
    }
    throw shortage;
  }
}
