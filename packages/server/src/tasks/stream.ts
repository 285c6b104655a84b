import { type Operations, type TaskStatus, terminalStatuses } from '@agora/contract';
import type { ToldEvent } from '../events/index.ts';
import { ApiError, type Call } from '../platform/index.ts';
import { partyTask } from './access.ts';
import type { TaskDeps } from './deps.ts';
import { type TaskRow, taskEvents } from './sql.ts';

const heartbeatMs = 15_000;
const pageSize = 100;
/** Streams that one caller may have open; each is a connection and a listener here. */
const maxOpen = 50;
/** Nobody knows when a caller closes one; so many seconds keep a client that tries again from trying at once. */
const retryAfter = 5;
const openStreams = new Map<string, number>();

/** Counts a stream of the caller; the returned function ends it. */
function countStream({ caller, raw }: Call<Operations['tasks.stream']>): () => void {
  const key = caller.kind === 'agent' ? caller.agentId : caller.ownerId;
  const open = openStreams.get(key) ?? 0;
  if (open >= maxOpen) {
    raw.header('retry-after', retryAfter);
    throw new ApiError('RATE_LIMITED', `At most ${maxOpen} streams at once; close one.`, {
      limit: maxOpen,
      retryAfter,
    });
  }
  openStreams.set(key, open + 1);
  return () => {
    const left = (openStreams.get(key) ?? 1) - 1;
    if (left > 0) openStreams.set(key, left);
    else openStreams.delete(key);
  };
}

/**
 * Progress as Server-Sent Events: replays the task's log from `Last-Event-ID`, then follows it. Ends with `complete`
 * (output and score) or `error` once the task has ended.
 */
export async function streamTask(deps: TaskDeps, call: Call<Operations['tasks.stream']>): Promise<void> {
  const { task } = await partyTask(deps, call.params.taskId, call.caller);
  const uncount = countStream(call);
  try {
    await serve(deps, call, task.id);
  } finally {
    uncount();
  }
}

async function serve(deps: TaskDeps, call: Call<Operations['tasks.stream']>, taskId: string): Promise<void> {
  const reply = call.raw;
  const given = Number(reply.request.headers['last-event-id'] ?? 0);
  let after = Number.isSafeInteger(given) && given >= 0 ? given : 0;

  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  reply.raw.write('retry: 1000\n\n');

  const gone = call.whenGone();
  const wake = waker(deps, taskId, gone);
  const write = (text: string) => reply.raw.write(text);
  try {
    while (!gone.aborted && !deps.stopping.aborted) {
      // The task before its events: where it has ended, its last event is among them or was seen already.
      const task = await deps.loadTask(taskId);
      const events = await taskEvents(deps.pool, taskId, after, pageSize);
      for (const event of events) {
        after = event.seq;
        if (await send(deps, taskId, event, write)) return;
      }
      if (events.length === pageSize) continue;
      if (task && isTerminal(task.status)) {
        write(lastWord(task, after));
        return;
      }
      if (await wake.next()) write(': still here\n\n');
    }
  } finally {
    wake.close();
    reply.raw.end();
  }
}

const isTerminal = (status: TaskStatus) => (terminalStatuses as readonly string[]).includes(status);

const frame = (id: number | null, name: string, data: unknown) =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Writes what an event shows; true once the stream has said its last word. */
async function send(deps: TaskDeps, taskId: string, event: ToldEvent, write: (text: string) => void): Promise<boolean> {
  const status = event.data.status as TaskStatus | undefined;
  if (status === undefined) return false;
  const ends = isTerminal(status);
  // Two frames tell of the end. Only the second carries the id, for who has lost it must get it after a reconnect.
  write(frame(ends ? null : event.seq, 'status', { status }));
  if (!ends) return false;
  const task = await deps.loadTask(taskId);
  if (task) write(lastWord(task, event.seq));
  return true;
}

/** A task that was refunded had completed. */
function lastWord(task: TaskRow, id: number): string {
  if (task.status === 'failed') return frame(id, 'error', { errorMessage: task.errorMessage });
  return frame(id, 'complete', { output: task.output, qualityScore: task.qualityScore });
}

/** Waits for the next change; a change between two waits is not missed. `next` gives true when only time has passed. */
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
        const timer = setTimeout(() => resume?.(true), heartbeatMs);
        resume = (idle) => {
          clearTimeout(timer);
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
