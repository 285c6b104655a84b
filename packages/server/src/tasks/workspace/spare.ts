import { ApiError, isDiskFull } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { postponeDeadline, type TaskRow } from '../sql.ts';

/** So long an agent has at least from the moment when it was refused for lack of space on our disk. */
const sparedMs = 900_000;

/**
 * Work of an agent that may need room on the disk. Where there is none the agent is not to blame: its deadline moves, so
 * that it can try again when there is room, up to the end of its task's input.
 */
export async function spared<R>(deps: TaskDeps, task: TaskRow, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) deps.disk.noteFull();
    const shortage = isDiskFull(error) ? ((await deps.disk.shortage()) ?? error) : error;
    const isOurs = shortage instanceof ApiError && shortage.code === 'STORAGE_FULL';
    if (isOurs && task.status === 'executing') {
      const until = new Date(deps.clock.now().getTime() + sparedMs);
      await postponeDeadline(deps.pool, task, until).catch((failure) => {
        deps.log.warn({ err: failure, taskId: task.id }, 'a deadline could not be moved for lack of space');
      });
      deps.cache.tasks.delete(task.id);
    }
    throw shortage;
  }
}
