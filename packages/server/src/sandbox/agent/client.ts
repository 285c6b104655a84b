import type { Readable, Writable } from 'node:stream';
import { type InputSource, SandboxError } from '../driver.ts';
import { bytesOf } from '../path-bytes.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { type OutputBudget, outputBudget } from './output-budget.ts';

/**
 * The host's side of the protocol in `native/agent.c`. The other side runs beside untrusted code, so nothing it sends
 * is trusted. A frame out of order ends the connection; output above the cap is refused.
 */

const FRAME = { start: 1, data: 2, kill: 3, grant: 4, hello: 16, stdout: 17, stderr: 18, want: 19, end: 20 } as const;
const HEAD = 9;
const MAX_REPLY_FRAME = 1 << 20;
/** The agent's ceiling for one frame, less some room for the head. */
const MAX_START = 500 * 1024;
const CHUNK = 65_536;
/** How long past its time-out a request may stay unanswered before the sandbox is given up as wedged. */
const GRACE_MS = 5_000;

/** `starved` is set at this end, where the process holds too much output already to take all of it. */
export const END_FLAGS = { timedOut: 1, stdoutCut: 2, stderrCut: 4, refused: 8, starved: 256 } as const;

/** Added to the bytes of each frame of a windowed request, on both sides: small frames cost as much as large ones. */
export const FRAME_COST = 256;
/** Bytes that may exceed a window after a command has ended: the content of both its pipes. */
const LAST_WORDS = 3 << 20;
/** As a cap: none. */
export const NO_CAP = 0xffff_ffff;

const CODES = {
  ...{ exec: 'x', background: 'b', list: 'l', read: 'r', write: 'w', export: 'e', import: 'i' },
  ...{ usage: 'u', pause: 'p', resume: 'c', call: 'd' },
};
export type AgentOperation = keyof typeof CODES;

export type OutputStream = 'stdout' | 'stderr';

export interface AgentRequest {
  operation: AgentOperation;
  strings: string[];
  input?: Buffer | InputSource;
  /** 0: as long as it takes. */
  timeoutMs: number;
  /** Bytes of stdout, and of stderr, that are sent at most. */
  cap: number;
  /** Its output counts in no budget, for something else bounds how many such requests there are. */
  unbudgeted?: boolean;
  /** Output comes only as far as it is granted, so that a command waits for its reader. */
  windowed?: boolean;
  /** Takes the output as it comes; it is not kept then, and the bytes are another's once this has returned. */
  onOutput?: (stream: OutputStream, bytes: Buffer) => void;
}

/** A request under way. */
export interface OpenRequest {
  reply: Promise<AgentReply>;
  /** Lets so many bytes more of a windowed request's output come, each frame counted with its `FRAME_COST`. */
  grant(bytes: number): void;
  /** Ends its process tree; the reply comes nonetheless. */
  kill(): void;
}

export interface AgentReply {
  status: number;
  flags: number;
  stdout: Buffer;
  stderr: Buffer;
}

interface Pending {
  request: AgentRequest;
  resolve: (reply: AgentReply) => void;
  reject: (error: Error) => void;
  kept: Record<OutputStream, GatheredBytes>;
  received: Record<OutputStream, number>;
  frames: number;
  /** `END_FLAGS` for output that the budget had no room for. */
  cut: number;
  granted: number;
  sent: number;
  inputEnded: boolean;
  timer: NodeJS.Timeout | undefined;
}

function frame(type: number, id: number, payload: Buffer): Buffer {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt32LE(payload.length + 5, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(id, 5);
  return payload.length === 0 ? head : Buffer.concat([head, payload]);
}

export function startFrame(id: number, request: AgentRequest): Buffer {
  if (request.strings.some((text) => text.includes('\0'))) {
    throw new SandboxError('REFUSED', 'A path, command or variable contains a NUL character.');
  }
  const strings = bytesOf(request.strings.map((text) => `${text}\0`).join(''));
  if (strings.length > MAX_START || request.strings.length > 1000) {
    throw new SandboxError('REFUSED', 'The command and its environment are too large. Put them into a file.');
  }
  const head = Buffer.alloc(10);
  head.write(CODES[request.operation], 0, 'latin1');
  head.writeUInt32LE(Math.min(0xffff_ffff, Math.max(0, Math.ceil(request.timeoutMs))), 1);
  head.writeUInt32LE(Math.min(0xffff_ffff, request.cap), 5);
  head.writeUInt8((request.input ? 1 : 0) | (request.windowed ? 2 : 0), 9);
  return frame(FRAME.start, id, Buffer.concat([head, strings]));
}

export class AgentClient {
  readonly ready: Promise<void>;
  #stdin: Writable;
  #pending = new Map<number, Pending>();
  #lastId = 0;
  /** Of the frame that is coming in; `body` is made when its head is complete and the rest is not there yet. */
  #incoming = { head: Buffer.alloc(HEAD), headBytes: 0, body: null as Buffer | null, bodyBytes: 0 };
  #gone: SandboxError | undefined;
  #becomeReady: () => void = () => {};
  #refuseReady: (error: Error) => void = () => {};
  #onBroken: (why: string) => void;
  #budget: OutputBudget;

  /** `onBroken` is called once if the sandbox agent fails or cannot be trusted. The caller then ends the sandbox. */
  constructor(stdin: Writable, stdout: Readable, onBroken: (why: string) => void, budget = outputBudget) {
    this.#stdin = stdin;
    this.#budget = budget;
    this.#onBroken = onBroken;
    this.ready = new Promise((resolve, reject) => {
      this.#becomeReady = resolve;
      this.#refuseReady = reject;
    });
    this.ready.catch(() => {});
    stdin.on('error', () => this.#break('its input closed'));
    stdout.on('error', () => this.#break('its output closed'));
    stdout.on('data', (bytes: Buffer) => this.#receive(bytes));
  }

  request(request: AgentRequest): Promise<AgentReply> {
    if (this.#gone) return Promise.reject(this.#gone);
    try {
      return this.open(request).reply;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Throws where the request cannot be made at all. */
  open(request: AgentRequest): OpenRequest {
    if (this.#gone) throw this.#gone;
    do this.#lastId = this.#lastId >= 0x7fff_ffff ? 1 : this.#lastId + 1;
    while (this.#pending.has(this.#lastId));
    const id = this.#lastId;
    const bytes = startFrame(id, request);
    const reply = new Promise<AgentReply>((resolve, reject) => {
      const kept = { stdout: new GatheredBytes(), stderr: new GatheredBytes() };
      const timer = request.timeoutMs > 0 ? this.#expectReply(request.timeoutMs) : undefined;
      const counts = { received: { stdout: 0, stderr: 0 }, frames: 0, cut: 0, granted: 0, sent: 0, inputEnded: false };
      this.#pending.set(id, { request, resolve, reject, kept, timer, ...counts });
    });
    this.#stdin.write(bytes);
    this.#feed(id);
    return { reply, grant: (more) => this.#grant(id, more), kill: () => this.#kill(id) };
  }

  #expectReply(timeoutMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#break('it did not answer in time'), timeoutMs + GRACE_MS);
  }

  #grant(id: number, more: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.granted += more;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(more);
    this.#stdin.write(frame(FRAME.grant, id, bytes));
  }

  #kill(id: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    clearTimeout(pending.timer);
    pending.timer = this.#expectReply(0);
    this.#stdin.write(frame(FRAME.kill, id, Buffer.alloc(0)));
  }

  /** Every request, open or to come, is refused from here on. */
  close(reason: SandboxError): void {
    if (this.#gone) return;
    this.#gone = reason;
    this.#refuseReady(reason);
    for (const pending of this.#pending.values()) {
      this.#settle(pending);
      pending.reject(reason);
    }
    this.#pending.clear();
  }

  #break(why: string): void {
    if (this.#gone) return;
    this.close(new SandboxError('SANDBOX_GONE', 'The sandbox has ended.'));
    this.#onBroken(why);
  }

  #feed(id: number): void {
    const pending = this.#pending.get(id);
    const input = pending?.request.input;
    if (!pending || !input || pending.inputEnded) return;
    const send = (next: Buffer) => this.#send(id, next);
    if (typeof input === 'function') input().then(send, () => send(Buffer.alloc(0)));
    else send(input.subarray(pending.sent, pending.sent + CHUNK));
  }

  #send(id: number, next: Buffer): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.sent += next.length;
    pending.inputEnded = next.length === 0;
    this.#stdin.write(frame(FRAME.data, id, next));
  }

  /** Frames are read in place; only a frame that arrives in parts is copied. */
  #receive(bytes: Buffer): void {
    const incoming = this.#incoming;
    for (let at = 0; at < bytes.length && !this.#gone; ) {
      if (incoming.body === null) {
        const copied = bytes.copy(incoming.head, incoming.headBytes, at, at + HEAD - incoming.headBytes);
        incoming.headBytes += copied;
        at += copied;
        if (incoming.headBytes < HEAD) return;
        const length = incoming.head.readUInt32LE(0) - 5;
        if (length < 0 || length > MAX_REPLY_FRAME - 5) this.#break('it sent a malformed frame');
        else if (bytes.length - at < length) incoming.body = Buffer.allocUnsafe(length);
        else this.#handle(bytes.subarray(at, at + length));
        if (incoming.body === null) at += length;
      } else {
        const copied = bytes.copy(incoming.body, incoming.bodyBytes, at);
        incoming.bodyBytes += copied;
        at += copied;
        if (incoming.bodyBytes === incoming.body.length) this.#handle(incoming.body);
      }
    }
  }

  /** Takes the frame whose head is in. */
  #handle(payload: Buffer): void {
    const { head } = this.#incoming;
    Object.assign(this.#incoming, { headBytes: 0, body: null, bodyBytes: 0 });
    const wrong = this.#take(head.readUInt8(4), head.readUInt32LE(5), payload);
    if (wrong !== undefined) this.#break(wrong);
  }

  /** Returns the problem of the frame, if any. */
  #take(type: number, id: number, payload: Buffer): string | undefined {
    if (type === FRAME.hello) {
      if (payload[0] !== 1) return 'it speaks another version';
      this.#becomeReady();
      return undefined;
    }
    const pending = this.#pending.get(id);
    if (!pending) return 'it answered a request that nobody made';
    if (type === FRAME.stdout || type === FRAME.stderr) {
      return this.#output(pending, type === FRAME.stdout ? 'stdout' : 'stderr', payload);
    }
    if (type === FRAME.want) this.#feed(id);
    else if (type === FRAME.end && payload.length === 5) {
      this.#pending.delete(id);
      this.#settle(pending);
      void this.#answer(pending, payload.readUInt32LE(0), payload.readUInt8(4) | pending.cut);
    } else return 'it sent an unknown frame';
    return undefined;
  }

  #output(pending: Pending, stream: OutputStream, payload: Buffer): string | undefined {
    const { request, received, kept } = pending;
    received[stream] += payload.length;
    pending.frames++;
    const isTooMuch = request.cap !== NO_CAP && received[stream] > request.cap;
    const counted = received.stdout + received.stderr + pending.frames * FRAME_COST;
    if (isTooMuch || (request.windowed && counted > pending.granted + LAST_WORDS)) {
      return 'it sent more than it was asked for';
    }
    if (request.onOutput) request.onOutput(stream, payload);
    else {
      const room = request.unbudgeted ? payload.length : this.#budget.take(kept[stream].length, payload.length);
      kept[stream].append(payload.subarray(0, room));
      if (room < payload.length) {
        pending.cut |= END_FLAGS.starved | (stream === 'stdout' ? END_FLAGS.stdoutCut : END_FLAGS.stderrCut);
      }
    }
    return undefined;
  }

  async #answer({ kept, resolve }: Pending, status: number, flags: number): Promise<void> {
    resolve({ status, flags, stdout: await kept.stdout.bytes(), stderr: await kept.stderr.bytes() });
  }

  #settle({ request, timer, kept }: Pending): void {
    clearTimeout(timer);
    if (!request.unbudgeted) for (const stream of Object.values(kept)) this.#budget.release(stream.length);
  }
}
