import { type Operations, type TaskStatus, terminalStatuses } from '@agora/contract';
import type { Call } from '../platform/index.ts';
import { partyTask } from './access.ts';
import type { TaskDeps } from './deps.ts';
import { type EventRow, taskEvents } from './sql.ts';

const heartbeatMs = 15_000;
const pageSize = 100;

/**
 * Progress as Server-Sent Events: replays the task's log from `Last-Event-ID`, then follows it. Ends with `complete`
 * (output and score) or `error` once the task has ended.
 */
export async function streamTask(deps: TaskDeps, call: Call<Operations['tasks.stream']>): Promise<void> {
  const { task } = await partyTask(deps, call.params.taskId, call.caller);
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
  const wake = waker(deps, task.id, gone);
  try {
    while (!gone.aborted && !deps.stopping.aborted) {
      const events = await taskEvents(deps.pool, task.id, after, pageSize);
      for (const event of events) {
        after = event.seq;
        if (await send(deps, task.id, event, (text) => reply.raw.write(text))) return;
      }
      if (events.length === pageSize) continue;
      if (await wake.next()) reply.raw.write(': still here\n\n');
    }
  } finally {
    wake.close();
    reply.raw.end();
  }
}

/** Writes what an event shows; true once the stream has said its last word. */
async function send(deps: TaskDeps, taskId: string, event: EventRow, write: (text: string) => void): Promise<boolean> {
  const status = event.data.status as TaskStatus | undefined;
  if (status === undefined) return false;
  const frame = (name: string, data: unknown) =>
    write(`id: ${event.seq}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  frame('status', { status });
  if (!(terminalStatuses as readonly string[]).includes(status)) return false;
  if (status === 'failed') {
    frame('error', { errorMessage: event.data.errorMessage ?? null });
    return true;
  }
  const task = await deps.loadTask(taskId);
  frame('complete', { output: task?.output ?? null, qualityScore: task?.qualityScore ?? null });
  return true;
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
