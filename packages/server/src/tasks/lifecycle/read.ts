import { type Operations, type ReplyOf, type TaskView, toId } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, pageOf } from '../../platform/index.ts';
import { partyTask, readableTask } from '../access.ts';
import { withBuyers } from '../buyers.ts';
import type { TaskDeps } from '../deps.ts';
import { cloneWarnings } from '../inputs/sql.ts';
import { taskPage } from '../list/task-page.ts';
import { withPullRequests } from '../pulls/view.ts';
import { withWaiting } from '../queue/waiting.ts';
import { earlierOf, listWaiting, taskEvents } from '../sql.ts';
import { eventView, readerAgent, taskView } from '../view.ts';

export async function getTask(deps: TaskDeps, call: Call<Operations['tasks.get']>): Promise<TaskView> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  const view = taskView(task, role);
  if (role !== 'submitter') return (await withBuyers(deps.pool, [view], [task.ownerId]))[0] ?? view;
  const [shown = view] = await withWaiting(deps, task.ownerId, await withPullRequests(deps, [task], [view]));
  const { repo, files } = task.input;
  if (repo === undefined && files === undefined) return shown;
  const ofClone = repo === undefined ? [] : await cloneWarnings(deps.pool, task.id);
  const lacking = (await earlierOf(deps.pool, task))?.problems ?? [];
  return { ...shown, inputWarnings: [...ofClone, ...lacking.map(({ message }) => message)] };
}

/** Tasks waiting for the calling agent; with `wait`, answers as soon as one arrives. */
export async function assignedTasks(deps: TaskDeps, call: Call<Operations['tasks.assigned']>) {
  const { caller, query } = call;
  const after = decodeCursor(query.cursor, z.uuid());
  deps.liveness.seen(caller.agentId);
  deps.queue.mayBeFree(caller.agentId);
  return lookOrWait(deps, call, async () => {
    const buyers: string[] = [];
    const page = await taskPage({
      pageSize: query.pageSize,
      from: after,
      look: (last, limit) => listWaiting(deps.pool, caller.agentId, last, limit),
      placeOf: ({ id }) => id,
      view: (task) => {
        buyers.push(task.ownerId);
        return taskView(task, 'assignee');
      },
    });
    return { ...page, data: await withBuyers(deps.pool, page.data, buyers) };
  });
}

async function lookOrWait<P extends { data: unknown[] }>(
  deps: TaskDeps,
  call: Call<Operations['tasks.assigned']>,
  look: () => Promise<P>,
): Promise<P> {
  const { caller, query } = call;
  if (query.wait === 0) return look();
  const seen = new AbortController();
  const signal = AbortSignal.any([call.whenGone(), seen.signal]);
  // Listens before it looks: a task that arrives in between must not wait for the end of the poll.
  const notified = untilNotified(deps, `agent:${caller.agentId}`, query.wait * 1000, signal);
  try {
    const found = await look();
    if (found.data.length > 0 || !(await notified)) return found;
    const refusal = await call.refusedNow();
    if (refusal !== null) throw refusal;
    // It has been there all the while.
    deps.liveness.seen(caller.agentId);
    return await look();
  } finally {
    seen.abort();
  }
}

/** Resolves true at a notification or when the time is up, false if client or server go away. */
function untilNotified(deps: TaskDeps, topic: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (woken: boolean) => {
      cancel();
      unsubscribe();
      signal.removeEventListener('abort', leave);
      deps.stopping.removeEventListener('abort', leave);
      resolve(woken);
    };
    const leave = () => finish(false);
    const cancel = deps.clock.after(timeoutMs, () => finish(true));
    const unsubscribe = deps.hub.subscribe(topic, () => finish(true));
    signal.addEventListener('abort', leave);
    deps.stopping.addEventListener('abort', leave);
    if (deps.stopping.aborted || signal.aborted) leave();
  });
}

export async function listEvents(
  deps: TaskDeps,
  call: Call<Operations['tasks.events']>,
): Promise<ReplyOf<Operations['tasks.events']>> {
  const { task, role } = await readableTask(deps, call.params.taskId, call.caller);
  const { query } = call;
  const after = decodeCursor(query.cursor, z.int().min(0)) ?? 0;
  const shown = { taskId: task.id, agentId: readerAgent(task, role) };
  const found = await taskEvents(deps.pool, shown, after, query.pageSize + 1);
  return pageOf(
    found,
    query.pageSize,
    (last) => last.seq,
    (event) => eventView(event, toId('task', task.id)),
  );
}
