import { onAbort } from './abort.ts';
import { AgoraError, ConnectionError } from './errors.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import type { Http } from './http.ts';
import { backoffMs, fewRetries, isTransient, sleep } from './retry.ts';
import type { RequestOptions } from './types.ts';

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

/** A stream of the API. */
interface Source<E> {
  path: string;
  auth: 'party' | 'owner';
  /** The typed event, or null for an event that this version does not know. */
  read(raw: ServerSentEvent, id: string | null): E | null;
  isLast(event: E): boolean;
}

/** Follows a stream until its last event, and reconnects if the connection drops. */
export async function* followStream<E>(http: Http, source: Source<E>, options: StreamOptions): AsyncGenerator<E> {
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
      if (yield* eventsOfConnection(http, source, request, place)) return;
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (!isTransient(error)) throw error;
      drop = error;
    }
    if (performance.now() - place.openedAt > standsMs) place.fruitless = 0;
    if (++place.fruitless > maxFruitlessReconnects) {
      throw drop ?? dropped('The stream kept ending before its last event.');
    }
    await sleep(Math.max(place.retryMs ?? 0, backoffMs(place.fruitless - 1)), request.signal);
  }
}

/** Returns whether the last event of all has come. */
async function* eventsOfConnection<E>(
  http: Http,
  { path, auth, read, isLast }: Source<E>,
  request: RequestOptions,
  place: Place,
): AsyncGenerator<E, boolean> {
  place.openedAt = Number.POSITIVE_INFINITY;
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (place.lastEventId !== null) headers['last-event-id'] = place.lastEventId;
  const response = await http.open({ method: 'GET', path, auth, headers }, request);
  place.openedAt = performance.now();
  for await (const raw of parseEventStream(bodyChunks(response, request.signal, silentMs))) {
    place.retryMs = raw.retryMs ?? place.retryMs;
    place.lastEventId = raw.id || place.lastEventId;
    place.fruitless = 0;
    const event = read(raw, place.lastEventId);
    if (event === null) continue;
    yield event;
    if (isLast(event)) return true;
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

/** Reads the events of these names, whose data is JSON. */
export const readEvent =
  <E>(names: readonly string[]) =>
  (raw: ServerSentEvent, id: string | null): E | null => {
    if (!names.includes(raw.event)) return null;
    try {
      const data = raw.data === '' ? {} : JSON.parse(raw.data);
      return { event: raw.event, id, data } as E;
    } catch (cause) {
      const message = `The data of a ${raw.event} event is not JSON.`;
      throw new AgoraError({ status: 200, code: 'MALFORMED_REPLY', message, cause });
    }
  };
