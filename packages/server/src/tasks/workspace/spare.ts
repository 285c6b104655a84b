import { isWorking } from '@agora-market/contract';
import { ApiError, isDiskFull } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { postponeDeadline, type TaskRow } from '../sql.ts';

/** The least time that an agent has left after a refusal for lack of disk space. */
const sparedMs = 900_000;

/**
 * Work of an agent that may need disk space. If there is none, the agent is not to blame. Its deadline moves, at most
 * to the end of its task's input, so that it can try again.
 */
export async function spared<R>(deps: TaskDeps, task: TaskRow, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) deps.disk.noteFull();
    const shortage = isDiskFull(error) ? ((await deps.disk.shortage()) ?? error) : error;
    const isOurs = shortage instanceof ApiError && shortage.code === 'STORAGE_FULL';
    if (isOurs && isWorking(task)) {
      const until = new Date(deps.clock.now().getTime() + sparedMs);
      await postponeDeadline(deps.pool, task, until).catch((failure) => {
        deps.log.warn({ err: failure, taskId: task.id }, 'a deadline could not be moved for lack of space');
      });
      deps.cache.tasks.delete(task.id);
    }
    throw shortage;
  }
}
