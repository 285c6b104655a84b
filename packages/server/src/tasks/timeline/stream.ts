import { type Operations, type TaskStatus, terminalStatuses } from '@agora-market/contract';
import { type ToldEvent, taskStatusIn } from '../../events/index.ts';
import type { Call } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { taskEvents } from '../sql.ts';
import { readerAgent, roleOf } from '../view.ts';
import { type OpenStream, openStream } from './open-stream.ts';
import { frame, lastWord } from './stream-connection.ts';

const pageSize = 100;

type Streamed = Call<Operations['tasks.stream']>;

/**
 * Progress as Server-Sent Events: replays the task's log from `Last-Event-ID`, then follows it. Ends with `complete`
 * (output and score) or `error` once the task has ended, and without a last word where the caller may see no more.
 */
export async function streamTask(deps: TaskDeps, call: Streamed): Promise<void> {
  const { task } = await partyTask(deps, call.params.taskId, call.caller);
  const subscribe = (notice: () => void) => deps.hub.subscribe(`task:${task.id}`, notice);
  await openStream(deps, call, subscribe, (stream) => follow({ deps, call, taskId: task.id, ...stream }));
}

interface Following extends OpenStream {
  deps: TaskDeps;
  call: Streamed;
  taskId: string;
}

async function follow({ deps, call, taskId, gone, out, next }: Following): Promise<void> {
  let after = await placeOf(deps, taskId, call.raw.request.headers['last-event-id']);
  await out.write('retry: 1000\n\n');
  while (!gone.aborted && !deps.stopping.aborted) {
    // The task before its events: where it has ended, its last event is among them or was seen already.
    const [task, refusal] = await Promise.all([deps.loadTask(taskId), call.refusedNow()]);
    // The task may have gone to another agent, and the credential may have been revoked.
    if (!task || refusal) return;
    const role = roleOf(task, call.caller);
    if (role === 'none') return;
    const events = await taskEvents(deps.pool, { taskId, agentId: readerAgent(task, role) }, after, pageSize);
    for (const event of events) {
      after = event.seq;
      if (await show(taskId, event, { deps, call, out })) return;
      if (gone.aborted) return;
    }
    if (events.length === pageSize) continue;
    if (isTerminal(task.status)) return out.write(lastWord(task, after));
    if (await next()) await out.write(': still here\n\n');
  }
}

/** The position in the task's log that a client names; one that is not in it means the beginning. */
async function placeOf(deps: TaskDeps, taskId: string, header: string | string[] | undefined): Promise<number> {
  const given = Number(header ?? 0);
  if (!Number.isSafeInteger(given) || given <= 0) return 0;
  const [atOrAfter] = await taskEvents(deps.pool, { taskId, agentId: null }, given - 1, 1);
  return atOrAfter === undefined ? 0 : given;
}

const isTerminal = (status: TaskStatus) => terminalStatuses.includes(status);

/** Writes the frames of an event; true after the last frame of the stream. */
async function show(
  taskId: string,
  event: ToldEvent,
  { deps, call, out }: Pick<Following, 'deps' | 'call' | 'out'>,
): Promise<boolean> {
  if (event.type === 'task.progressed') {
    await out.write(frame(event.seq, 'progress', event.data));
    return false;
  }
  if (event.type === 'message.posted' || event.type === 'message.unanswered') {
    const name = event.type === 'message.posted' ? 'message' : 'unanswered';
    await out.write(frame(event.seq, name, event.data));
    return false;
  }
  const status = taskStatusIn(event);
  if (status === undefined) return false;
  const task = isTerminal(status) ? await deps.loadTask(taskId) : undefined;
  // A completed task may have been refunded since, which comes after.
  const ends = isTerminal(status) && (task === undefined || task.status === status);
  // The end has two frames. Only the second carries the id, so that a client that lost it gets it after a reconnect.
  await out.write(frame(ends ? null : event.seq, 'status', { status }));
  if (!ends) return false;
  if (task && roleOf(task, call.caller) !== 'none') await out.write(lastWord(task, event.seq));
  return true;
}
