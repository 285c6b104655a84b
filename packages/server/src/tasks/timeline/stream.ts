import { type Operations, type TaskStatus, terminalStatuses } from '@agora-market/contract';
import { type ToldEvent, taskStatusIn } from '../../events/index.ts';
import { ApiError, type Call } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { taskEvents } from '../sql.ts';
import { readerAgent, roleOf } from '../view.ts';
import { type FrameWriter, frame, frameWriter, lastWord } from './stream-connection.ts';

const heartbeatMs = 15_000;
const pageSize = 100;
/** Streams that one caller may have open; each is a connection and a listener here. */
const maxOpen = 50;
/** Nobody knows when a caller closes one; so many seconds keep a client that tries again from trying at once. */
const retryAfter = 5;

type StreamCall = Call<Operations['tasks.stream']>;

/** Counts a stream of the caller; the returned function ends it. */
function countStream({ streams }: TaskDeps['underWay'], { caller, raw }: StreamCall): () => void {
  const key = caller.kind === 'agent' ? caller.agentId : caller.ownerId;
  if (streams.of(key) >= maxOpen) {
    raw.header('retry-after', retryAfter);
    throw new ApiError('RATE_LIMITED', `At most ${maxOpen} streams can be open at once. Close one first.`, {
      limit: maxOpen,
      retryAfter,
    });
  }
  return streams.add(key);
}

/**
 * Progress as Server-Sent Events: replays the task's log from `Last-Event-ID`, then follows it. Ends with `complete`
 * (output and score) or `error` once the task has ended, and without a last word where the caller may see no more.
 */
export async function streamTask(deps: TaskDeps, call: StreamCall): Promise<void> {
  const { task } = await partyTask(deps, call.params.taskId, call.caller);
  const uncount = countStream(deps.underWay, call);
  const reply = call.raw;
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const gone = call.whenGone();
  const wake = waker(deps, task.id, gone);
  try {
    await follow({ deps, call, taskId: task.id, wake, gone, out: frameWriter(reply.raw) });
  } catch (error) {
    // The status has been sent; the client sees the end, comes back and resumes.
    deps.log.warn({ err: error, correlationId: call.correlationId }, 'a stream was cut short');
  } finally {
    wake.close();
    uncount();
    reply.raw.end();
  }
}

interface Following {
  deps: TaskDeps;
  call: StreamCall;
  taskId: string;
  wake: ReturnType<typeof waker>;
  gone: AbortSignal;
  out: FrameWriter;
}

async function follow({ deps, call, taskId, wake, gone, out }: Following): Promise<void> {
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
    if (await wake.next()) await out.write(': still here\n\n');
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

/** Waits for the next change; a change between two waits is not missed. `next` gives true if only time has passed. */
function waker(deps: TaskDeps, taskId: string, signal: AbortSignal) {
  let changed = false;
  let resume: ((idle: boolean) => void) | null = null;
  const notice = () => {
    changed = true;
    resume?.(false);
  };
  const unsubscribe = deps.hub.subscribe(`task:${taskId}`, notice);
  signal.addEventListener('abort', notice);
  deps.stopping.addEventListener('abort', notice);
  return {
    next: () =>
      new Promise<boolean>((resolve) => {
        const cancel = deps.clock.after(heartbeatMs, () => resume?.(true));
        resume = (idle) => {
          cancel();
          resume = null;
          changed = false;
          resolve(idle);
        };
        if (changed) resume(false);
      }),
    close: () => {
      unsubscribe();
      signal.removeEventListener('abort', notice);
      deps.stopping.removeEventListener('abort', notice);
    },
  };
}
