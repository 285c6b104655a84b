import type { Operations } from '@agora-market/contract';
import { countUnread } from '../../embassy/index.ts';
import type { Call } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import type { News, OwnersNews } from './news.ts';
import { openStream } from './open-stream.ts';
import { frame } from './stream-connection.ts';

/** Tasks in one frame. */
const mostInFrame = 200;

/**
 * What changes for an owner, as Server-Sent Events: its tasks, and how many notifications are unread. It tells of what
 * happens from now on, so it begins with `reset`, as it does again where something may have been missed.
 */
export async function followTasks(
  deps: TaskDeps,
  owners: OwnersNews,
  call: Call<Operations['tasks.follow']>,
): Promise<void> {
  const { ownerId } = call.caller;
  let listener: ReturnType<OwnersNews['listen']> | undefined;
  const subscribe = (notice: () => void) => {
    listener = owners.listen(ownerId, notice);
    return listener.close;
  };
  await openStream(deps, call, subscribe, async ({ out, gone, next }) => {
    await out.write('retry: 1000\n\n');
    for (let news: News = { isMissing: true, tasks: [], isTold: true }; !gone.aborted && !deps.stopping.aborted; ) {
      // The credential may have been revoked.
      if (await call.refusedNow()) return;
      if (news.isMissing) await out.write(frame(null, 'reset', {}));
      for (let at = 0; at < news.tasks.length; at += mostInFrame)
        await out.write(frame(null, 'tasks', { tasks: news.tasks.slice(at, at + mostInFrame) }));
      if (news.isTold) await out.write(frame(null, 'notifications', { unread: await countUnread(deps.pool, ownerId) }));
      if (await next()) await out.write(': still here\n\n');
      news = listener?.take() ?? news;
    }
  });
}
