import type { Operations, ReplyOf } from '@agora-market/contract';
import { ApiError, type Call } from '../../platform/index.ts';
import { isText, type OutputChunk, wholeCharacters } from '../../sandbox/index.ts';
import type { TaskDeps } from '../deps.ts';

const heartbeatMs = 15_000;
/** A reader that takes nothing for this long counts as disconnected. */
const stalledMs = 60_000;

const frame = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * A command's output as Server-Sent Events while it is written. Nothing is gathered here: while the connection takes
 * no more, the command waits. It is ended when its reader goes.
 */
export async function streamExec(
  deps: TaskDeps,
  call: Call<Operations['sandbox.exec']>,
  run: (sink: (chunk: OutputChunk) => Promise<void>, signal: AbortSignal) => Promise<unknown>,
): Promise<ReplyOf<Operations['sandbox.exec']>> {
  const { raw } = call;
  const connection = raw.raw;
  const gone = new AbortController();
  const leave = () => gone.abort();
  for (const signal of [call.whenGone(), deps.stopping]) {
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  const text = { stdout: new TextChunks(), stderr: new TextChunks() };
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    raw.hijack();
    connection.writeHead(200, {
      ...(raw.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    connection.flushHeaders();
  };
  const write = async (name: string, data: unknown) => {
    if (!connection.write(frame(name, data))) await drained(connection, gone.signal);
  };
  const sink = async ({ stream, bytes }: OutputChunk) => {
    begin();
    for (const data of text[stream].take(bytes)) await write(stream, data);
  };
  const heartbeat = setInterval(() => {
    if (begun && !connection.writableNeedDrain) connection.write(': still here\n\n');
  }, heartbeatMs);
  try {
    // Its reader went while the workspace was made ready: nothing is run for nobody.
    if (gone.signal.aborted) begin();
    const work = run(sink, gone.signal);
    // Refusals before this are ordinary replies; from here on the command runs.
    const refused = await Promise.race([
      work.then(() => null),
      new Promise<null>((ready) => setImmediate(ready, null)),
    ]);
    if (refused === null) begin();
    const end = await work;
    for (const stream of ['stdout', 'stderr'] as const)
      for (const data of text[stream].rest()) await write(stream, data);
    await write('exit', end);
  } catch (error) {
    if (!begun) throw error;
    const { code, message } = error instanceof ApiError ? error : new ApiError('SANDBOX_UNAVAILABLE');
    if (!gone.signal.aborted) connection.write(frame('error', { code, message }));
  } finally {
    clearInterval(heartbeat);
    deps.stopping.removeEventListener('abort', leave);
    if (begun) connection.end();
  }
  // Nobody reads it: the reply has been written.
  return undefined as never;
}

/** Resolves when the connection takes more; rejects when nobody is there to take it. */
function drained(connection: NodeJS.EventEmitter & { destroy(): void }, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => () => {
      clearTimeout(timer);
      connection.removeListener('drain', take);
      gone.removeEventListener('abort', refuse);
      done();
    };
    const take = settle(resolve);
    const refuse = settle(() => reject(new Error('the reader is gone')));
    const timer = setTimeout(() => connection.destroy(), stalledMs);
    connection.once('drain', take);
    gone.addEventListener('abort', refuse, { once: true });
    if (gone.aborted) refuse();
  });
}

type Piece = { text: string } | { base64: string };

/** Splits a stream of bytes into pieces of whole characters; bytes that are not UTF-8 become base64. */
class TextChunks {
  #rest: Buffer = Buffer.alloc(0);

  *take(bytes: Buffer): Generator<Piece> {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const whole = wholeCharacters(all);
    if (!isText(whole, false)) {
      this.#rest = Buffer.alloc(0);
      yield { base64: all.toString('base64') };
      return;
    }
    // A copy, for the rest of a large chunk would keep all of it.
    this.#rest = Buffer.from(all.subarray(whole.length));
    if (whole.length > 0) yield { text: whole.toString('utf8') };
  }

  *rest(): Generator<Piece> {
    if (this.#rest.length > 0) yield { base64: this.#rest.toString('base64') };
    this.#rest = Buffer.alloc(0);
  }
}
