import type { Operations } from '@agora-market/contract';
import { ApiError, type Call } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { type FrameWriter, frameWriter } from './stream-connection.ts';

const heartbeatMs = 15_000;
/** Streams that one caller may have open; each is a connection and a listener here. */
const maxOpen = 50;
/** Nobody knows when a caller closes one; so many seconds keep a client that tries again from trying at once. */
const retryAfter = 5;

type StreamCall = Call<Operations['tasks.stream'] | Operations['tasks.follow']>;

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

/** An open connection for Server-Sent Events. */
export interface OpenStream {
  out: FrameWriter;
  gone: AbortSignal;
  /** Resolves at the next change; a change between two waits is not missed. Gives true if only time has passed. */
  next(): Promise<boolean>;
}

/**
 * Sends the caller Server-Sent Events until `follow` is done. `subscribe` gets what to call at a change, and returns the
 * end of that.
 */
export async function openStream(
  deps: TaskDeps,
  call: StreamCall,
  subscribe: (notice: () => void) => () => void,
  follow: (stream: OpenStream) => Promise<void>,
): Promise<void> {
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
  const wake = waker(deps, subscribe, gone);
  try {
    await follow({ out: frameWriter(reply.raw), gone, next: wake.next });
  } catch (error) {
    // The status has been sent; the client sees the end, comes back and resumes.
    deps.log.warn({ err: error, correlationId: call.correlationId }, 'a stream was cut short');
  } finally {
    wake.close();
    uncount();
    reply.raw.end();
  }
}

function waker(deps: TaskDeps, subscribe: (notice: () => void) => () => void, signal: AbortSignal) {
  let changed = false;
  let resume: ((idle: boolean) => void) | null = null;
  const notice = () => {
    changed = true;
    resume?.(false);
  };
  const unsubscribe = subscribe(notice);
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
