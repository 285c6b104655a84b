import type { OutputChunk, OutsideCall } from '../driver.ts';
import { pathOf } from '../path-bytes.ts';
import type { AgentClient, OpenRequest } from './client.ts';
import { FRAME_COST, NO_CAP } from './client.ts';

/**
 * The host's side of calls from inside the sandbox, see `native/delivered.c`. Any process in the sandbox can call, so
 * nothing is trusted: a malformed call is ended, and only that one.
 */

/** Bytes that a caller may send before they are checked. */
const WINDOW_BYTES = 128 * 1024;
const MAX_HEADER_BYTES = 100 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** If waiting for a call failed, the sandbox is at its limit; the check may have calmed down after this time. */
const PAUSE_MS = 100;

const KINDS = { stdout: 1, stderr: 2, exit: 3 } as const;

/**
 * Frames that arrive before somebody asks for their bytes. `taken` is called with the part of the window that was read.
 */
class Inlet {
  #chunks: Buffer[] = [];
  #ended = false;
  #wake: () => void = () => {};
  readonly #taken: (bytes: number) => void;

  constructor(taken: (bytes: number) => void) {
    this.#taken = taken;
  }

  push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** At least one byte and at most so many; empty at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#chunks.length === 0) {
      if (this.#ended) return Buffer.alloc(0);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const first = this.#chunks[0] as Buffer;
    const part = first.subarray(0, most);
    if (part.length < first.length) this.#chunks[0] = first.subarray(part.length);
    else this.#chunks.shift();
    this.#taken(part.length < first.length ? part.length : part.length + FRAME_COST);
    return part;
  }

  /** Exactly so many; null if they do not come. */
  async whole(length: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for (let got = 0; got < length; ) {
      const part = await this.some(length - got);
      if (part.length === 0) return null;
      parts.push(part);
      got += part.length;
    }
    return Buffer.concat(parts);
  }
}

/** Bytes that wait until the other side takes them. */
class Outlet {
  #waiting: { bytes: Buffer; taken: () => void }[] = [];
  #wanted: ((bytes: Buffer) => void) | undefined;
  #closed = false;

  /** Resolves when it was taken, or will never be. */
  put(bytes: Buffer): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, taken: resolve });
      this.#serve();
    });
  }

  next(): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#wanted = resolve;
      this.#serve();
    });
  }

  /** Sends what is waiting, then the end. */
  close(): void {
    this.#closed = true;
    this.#serve();
  }

  /** Nobody takes anything any more. */
  drop(): void {
    this.close();
    for (const { taken } of this.#waiting.splice(0)) taken();
  }

  #serve(): void {
    if (!this.#wanted || (this.#waiting.length === 0 && !this.#closed)) return;
    const wanted = this.#wanted;
    this.#wanted = undefined;
    const next = this.#waiting.shift();
    wanted(next?.bytes ?? Buffer.alloc(0));
    next?.taken();
  }
}

function framed(kind: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32LE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** The request of a caller; null if it is malformed. */
async function readHeader(inlet: Inlet): Promise<Pick<OutsideCall, 'argv' | 'cwd' | 'env'> | null> {
  const length = (await inlet.whole(4))?.readUInt32LE(0) ?? 0;
  if (length < 4 || length > MAX_HEADER_BYTES) return null;
  const bytes = await inlet.whole(length);
  if (bytes?.at(-1) !== 0) return null;
  const [cwd = '', count = '', ...rest] = pathOf(bytes.subarray(0, length - 1)).split('\0');
  const given = /^[0-9]{1,6}$/.test(count) ? Number(count) : 0;
  if (!cwd.startsWith('/') || given < 1 || rest.length < given) return null;
  const env: Record<string, string> = {};
  for (const variable of rest.slice(given)) {
    const [, name, value] = /^([A-Z_]{1,40})=(.*)$/s.exec(variable) ?? [];
    if (name === undefined || value === undefined) return null;
    env[name] = value;
  }
  return { cwd, argv: rest.slice(0, given), env };
}

/** The caller's standard input from its frames; at most the rest of the current frame at a time. */
function stdinOf(inlet: Inlet): OutsideCall['stdin'] {
  let left = 0;
  let ended = false;
  return async () => {
    if (left === 0 && !ended) {
      left = (await inlet.whole(4))?.readUInt32LE(0) ?? 0;
      ended = left === 0;
    }
    const bytes = ended ? Buffer.alloc(0) : await inlet.some(Math.min(left, CHUNK_BYTES));
    left -= bytes.length;
    ended ||= bytes.length === 0;
    return bytes;
  };
}

/** Takes output in pieces that one frame of the agent can hold. */
async function writeTo(outlet: Outlet, { stream, bytes }: OutputChunk): Promise<void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES - 5) {
    await outlet.put(framed(KINDS[stream], bytes.subarray(at, at + CHUNK_BYTES - 5)));
  }
}

export function answerCalls(
  client: AgentClient,
  atOnce: number,
  answer: (call: OutsideCall) => Promise<number>,
): () => void {
  const open = new Set<OpenRequest>();
  let waiting = false;
  let stopped = false;

  async function talk(inlet: Inlet, outlet: Outlet, signal: AbortSignal): Promise<void> {
    const asked = await readHeader(inlet);
    if (asked === null || signal.aborted) return outlet.close();
    const call = { ...asked, stdin: stdinOf(inlet), write: (chunk: OutputChunk) => writeTo(outlet, chunk), signal };
    const exitCode = await answer(call);
    void outlet.put(framed(KINDS.exit, Buffer.from([exitCode & 255])));
    outlet.close();
  }

  /** Waits for the next call, and as soon as it is there, for the one after it. */
  function wait(): void {
    if (stopped || waiting || open.size >= atOnce) return;
    waiting = true;
    const gone = new AbortController();
    const outlet = new Outlet();
    const inlet = new Inlet((bytes) => request?.grant(bytes));
    let talking: Promise<void> | undefined;
    const begin = () => {
      waiting = false;
      talking = talk(inlet, outlet, gone.signal).catch(() => outlet.close());
      wait();
    };
    let request: OpenRequest | undefined;
    try {
      request = client.open({
        operation: 'call',
        strings: ['/workspace'],
        input: () => outlet.next(),
        timeoutMs: 0,
        cap: NO_CAP,
        windowed: true,
        onOutput: (stream, bytes) => {
          // The other stream has nothing of a caller's, and the bytes are the agent's to use again.
          if (stream === 'stdout') inlet.push(Buffer.from(bytes));
          if (!talking) begin();
        },
      });
    } catch {
      // The sandbox has ended, and with it everybody who could call.
      return;
    }
    const opened = request;
    open.add(opened);
    opened.grant(WINDOW_BYTES);
    const over = () => {
      gone.abort();
      inlet.end();
      outlet.drop();
      open.delete(opened);
      if (talking) return wait();
      waiting = false;
      setTimeout(wait, PAUSE_MS).unref();
    };
    opened.reply.then(over, () => {
      stopped = true;
      over();
    });
  }

  wait();
  return () => {
    stopped = true;
    for (const request of open) request.kill();
  };
}
