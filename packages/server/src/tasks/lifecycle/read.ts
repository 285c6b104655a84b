import { type Operations, type ReplyOf, type TaskView, toId } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, encodeCursor, invalidField, pageOf } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import { withBuyers } from '../buyers.ts';
import type { TaskDeps } from '../deps.ts';
import { cloneWarnings } from '../inputs/sql.ts';
import { withPullRequests } from '../pulls/view.ts';
import { withWaiting } from '../queue/waiting.ts';
import { earlierOf, listTasks, listWaiting, type TaskFilter, type TaskRow, taskEvents } from '../sql.ts';
import { eventView, readerAgent, roleOf, taskView } from '../view.ts';

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

export async function listOwnTasks(deps: TaskDeps, call: Call<Operations['tasks.list']>) {
  const { caller, query } = call;
  const before = decodeCursor(query.cursor, z.uuid());
  const filter = filterOf(caller, query.role);
  const tasks: TaskRow[] = [];
  const page = await taskPage({
    pageSize: query.pageSize,
    from: before,
    look: (last, limit) => listTasks(deps.pool, filter, query, last, limit),
    view: (task) => {
      tasks.push(task);
      return taskView(task, roleOf(task, caller));
    },
  });
  const isBuyer = caller.kind === 'owner';
  const data = isBuyer ? await withPullRequests(deps, tasks, page.data) : page.data;
  return { ...page, data: await withWaiting(deps, caller.ownerId, data) };
}

/** Input and output in one page, in bytes of their text; with the task that crosses it the page ends. */
const pageBytes = 1024 ** 2;
/** Tasks read at once: a task may carry a megabyte of text, so many are read only after small ones. */
const fewAtOnce = 3;
const manyAtOnce = 10;

interface TaskPage {
  pageSize: number;
  /** The last task of the page before. */
  from: string | null;
  look(last: string | null, limit: number): Promise<TaskRow[]>;
  view(task: TaskRow): TaskView;
}

/** A page that ends early, with a cursor, where its tasks are large: a hundred of them would be some 50 MB. */
async function taskPage({ pageSize, from, look, view }: TaskPage) {
  const data: TaskView[] = [];
  let last = from;
  for (let bytes = 0; ; ) {
    const areSmall = bytes * manyAtOnce < pageBytes * data.length;
    // One row more than fits shows that there is a next page.
    const limit = Math.min(areSmall ? manyAtOnce : fewAtOnce, pageSize + 1 - data.length);
    const found = await look(last, limit);
    for (const task of found) {
      if (data.length === pageSize || bytes >= pageBytes) {
        return { data, pagination: { pageSize, nextCursor: encodeCursor(last) } };
      }
      const shown = view(task);
      bytes += Buffer.byteLength(JSON.stringify([shown.input, shown.output]));
      data.push(shown);
      last = task.id;
    }
    if (found.length < limit) return { data, pagination: { pageSize, nextCursor: null } };
  }
}

function filterOf(
  caller: Call<Operations['tasks.list']>['caller'],
  role: 'submitted' | 'assigned' | undefined,
): TaskFilter {
  if (caller.kind === 'agent') return { by: role === 'submitted' ? 'submitter' : 'assignee', agentId: caller.agentId };
  if (role === 'assigned') throw invalidField('role', 'tasks are assigned to agents; list them with an agent key.');
  return { by: 'owner', ownerId: caller.ownerId };
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
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
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
