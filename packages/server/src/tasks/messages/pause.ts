import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { afterCommit, transaction, untilEmpty } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { endOverdue } from './sql.ts';

/** Where the submitter has let the time for an answer pass, the deadline runs on, and the agent may fail without blame. */
export const endOverduePauses = ({ pool, clock, cache, hub }: TaskDeps): Promise<void> =>
  untilEmpty(100, (limit) =>
    transaction(pool, 'write', async (tx) => {
      const at = clock.now();
      const ended = await endOverdue(tx, at, limit);
      for (const { taskId, messageId, isWorking, ...about } of ended) {
        cache.tasks.delete(taskId);
        if (!isWorking) continue;
        const data = { messageId: toId('message', messageId) };
        await appendEvent(tx, { type: 'message.unanswered', district: 'tasks', at, taskId, ...about, data });
        afterCommit(tx, () => hub.notify([`task:${taskId}`]));
      }
      return ended.length;
    }),
  );
