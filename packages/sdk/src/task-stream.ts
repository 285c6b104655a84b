import type { TaskStatus } from '@agora-market/contract';
import { onAbort } from './abort.ts';
import { AgoraError, ConnectionError } from './errors.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import type { Http } from './http.ts';
import { path } from './path.ts';
import { backoffMs, fewRetries, isTransient, sleep } from './retry.ts';
import type { Reply, RequestOptions } from './types.ts';

/** One event of a task's progress. Pass `id` as `lastEventId` to resume after it. */
export type TaskStreamEvent =
  | { event: 'status'; id: string | null; data: { status: TaskStatus } }
  | { event: 'progress'; id: string | null; data: { percent: number | null; message: string | null } }
  | {
      event: 'message';
      id: string | null;
      /** Of a question also how long its answer is awaited. The text is in `listMessages`. */
      data: {
        messageId: string;
        author: 'submitter' | 'agent' | 'policy';
        kind: Reply<'tasks.postMessage'>['kind'];
        blocking: boolean;
        answers: string | null;
        sha256: string;
        until?: string | null;
      };
    }
  /** The time for the answer to a blocking question is over. */
  | { event: 'unanswered'; id: string | null; data: { messageId: string } }
  | {
      event: 'complete';
      id: string | null;
      data: { output: Record<string, unknown> | null; qualityScore: number | null };
    }
  | { event: 'error'; id: string | null; data: Record<string, unknown> };

export interface StreamOptions extends RequestOptions {
  /** Continues after this event instead of at the start. */
  lastEventId?: string;
}

/** Consecutive reconnects without an event before the stream gives up; their pauses add up to about a minute. */
const maxFruitlessReconnects = 10;
/** A connection that lasted this long counts as a success even without an event: tasks may be silent for hours. */
const standsMs = 10_000;
/** The server sends a sign of life every 15 seconds. A connection without one for this long is dead. */
const silentMs = 45_000;

interface Place {
  lastEventId: string | null;
  retryMs: number | null;
  /** When the connection was opened, by the monotonic clock; infinity until it is. */
  openedAt: number;
  /** Reconnects since the last event. */
  fruitless: number;
}

/** Follows a task until `complete` or `error`, and reconnects if the connection drops. */
export async function* streamTask(http: Http, taskId: string, options: StreamOptions): AsyncGenerator<TaskStreamEvent> {
  const { lastEventId, ...given } = options;
  const request = { maxRetries: fewRetries, ...given };
  const place: Place = {
    lastEventId: lastEventId ?? null,
    retryMs: null,
    openedAt: Number.POSITIVE_INFINITY,
    fruitless: 0,
  };
  for (;;) {
    let drop: unknown;
    try {
      if (yield* eventsOfConnection(http, taskId, request, place)) return;
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (!isTransient(error)) throw error;
      drop = error;
    }
    if (performance.now() - place.openedAt > standsMs) place.fruitless = 0;
    if (++place.fruitless > maxFruitlessReconnects) {
      throw drop ?? dropped('The stream kept ending before the task did.');
    }
    await sleep(Math.max(place.retryMs ?? 0, backoffMs(place.fruitless - 1)), request.signal);
  }
}

/** Returns whether the last event was the task's last. */
async function* eventsOfConnection(
  http: Http,
  taskId: string,
  request: RequestOptions,
  place: Place,
): AsyncGenerator<TaskStreamEvent, boolean> {
  place.openedAt = Number.POSITIVE_INFINITY;
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (place.lastEventId !== null) headers['last-event-id'] = place.lastEventId;
  const target = path`/tasks/${taskId}/stream`;
  const response = await http.open({ method: 'GET', path: target, auth: 'party', headers }, request);
  place.openedAt = performance.now();
  for await (const raw of parseEventStream(bodyChunks(response, request.signal, silentMs))) {
    place.retryMs = raw.retryMs ?? place.retryMs;
    place.lastEventId = raw.id || place.lastEventId;
    place.fruitless = 0;
    const event = taskEvent(raw, place.lastEventId);
    if (event === null) continue;
    yield event;
    if (event.event === 'complete' || event.event === 'error') return true;
  }
  request.signal?.throwIfAborted();
  return false;
}

const dropped = (message: string, cause?: unknown) =>
  new ConnectionError({ status: null, code: 'CONNECTION_ERROR', message, cause });

/**
 * Yields the body's chunks. Leaving the loop or the signal closes the connection. A broken one is a ConnectionError.
 */
export async function* bodyChunks(
  response: Response,
  signal?: AbortSignal,
  silentMs?: number,
): AsyncGenerator<Uint8Array> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    await response.body?.cancel();
    const message = 'The reply is no event stream.';
    throw new AgoraError({ status: response.status, code: 'MALFORMED_REPLY', message });
  }
  const reader = response.body.getReader();
  const cancel = () => reader.cancel().catch(() => {});
  let isSilent = false;
  const silence = () => {
    isSilent = true;
    void cancel();
  };
  const listen = () => (silentMs === undefined ? undefined : setTimeout(silence, silentMs));
  let timer = listen();
  const forget = onAbort(signal, cancel);
  try {
    signal?.throwIfAborted();
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (isSilent) throw dropped('The server has sent no sign of life for too long.');
      if (done) return;
      yield value;
      timer = listen();
    }
  } catch (error) {
    throw dropped('The stream was cut.', error);
  } finally {
    clearTimeout(timer);
    forget();
    await cancel();
  }
}

const kinds = ['status', 'progress', 'message', 'unanswered', 'complete', 'error'];

/** The typed event, or null for an event that this version does not know. */
function taskEvent(raw: ServerSentEvent, id: string | null): TaskStreamEvent | null {
  if (!kinds.includes(raw.event)) return null;
  try {
    const data = raw.data === '' ? {} : JSON.parse(raw.data);
    return { event: raw.event, id, data } as TaskStreamEvent;
  } catch (cause) {
    const message = `The data of a ${raw.event} event is not JSON.`;
    throw new AgoraError({ status: 200, code: 'MALFORMED_REPLY', message, cause });
  }
}
