import type { Readable, Writable } from 'node:stream';
import { SandboxError } from './driver.ts';

/**
 * The host's end of the protocol that `native/agent.c` describes. The other end runs beside untrusted code, so
 * nothing it sends is believed: a frame out of order ends the connection, and output past the cap is refused.
 */

const FRAME = { start: 1, data: 2, kill: 3, grant: 4, hello: 16, stdout: 17, stderr: 18, want: 19, end: 20 } as const;
const HEAD = 9;
const MAX_REPLY_FRAME = 1 << 20;
/** The agent's ceiling for one frame, less some room for the head. */
const MAX_START = 500 * 1024;
const CHUNK = 65_536;
/** How long past its time-out a request may stay unanswered before the sandbox is given up as wedged. */
const GRACE_MS = 5_000;

export const END_FLAGS = { timedOut: 1, stdoutCut: 2, stderrCut: 4, refused: 8 } as const;

/** What may come past a window once a command has ended: what both of its pipes held. */
const LAST_WORDS = 3 << 20;
/** As a cap: none. */
export const NO_CAP = 0xffff_ffff;

const CODES = {
  ...{ exec: 'x', background: 'b', list: 'l', read: 'r', write: 'w', export: 'e', import: 'i' },
  ...{ usage: 'u', pause: 'p', resume: 'c' },
};
export type AgentOperation = keyof typeof CODES;

export type OutputStream = 'stdout' | 'stderr';

export interface AgentRequest {
  operation: AgentOperation;
  strings: string[];
  input?: Buffer;
  /** 0: as long as it takes. */
  timeoutMs: number;
  /** Bytes of stdout, and of stderr, that are sent at most. */
  cap: number;
  /** Output comes only as far as it is granted, so that a command waits for its reader. */
  windowed?: boolean;
  /** Takes the output as it comes; it is not kept then. */
  onOutput?: (stream: OutputStream, bytes: Buffer) => void;
}

/** A request under way. */
export interface OpenRequest {
  reply: Promise<AgentReply>;
  /** Lets so many bytes more of a windowed request's output come. */
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
  chunks: Record<OutputStream, Buffer[]>;
  received: Record<OutputStream, number>;
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
    throw new SandboxError('REFUSED', 'A path, command or variable holds a NUL character.');
  }
  const strings = Buffer.from(request.strings.map((text) => `${text}\0`).join(''));
  if (strings.length > MAX_START || request.strings.length > 1000) {
    throw new SandboxError('REFUSED', 'The command and its environment are too large; put them into a file.');
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
  #held: Buffer[] = [];
  #heldBytes = 0;
  #gone: SandboxError | undefined;
  #becomeReady: () => void = () => {};
  #refuseReady: (error: Error) => void = () => {};
  #onBroken: (why: string) => void;

  /** `onBroken` is told once when the agent can no longer be trusted or reached; the caller ends the sandbox. */
  constructor(stdin: Writable, stdout: Readable, onBroken: (why: string) => void) {
    this.#stdin = stdin;
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
      const [chunks, received] = [
        { stdout: [], stderr: [] },
        { stdout: 0, stderr: 0 },
      ];
      const timer = request.timeoutMs > 0 ? this.#expectReply(request.timeoutMs) : undefined;
      const counts = { granted: 0, sent: 0, inputEnded: false };
      this.#pending.set(id, { request, resolve, reject, chunks, received, timer, ...counts });
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
      clearTimeout(pending.timer);
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
    const next = input.subarray(pending.sent, pending.sent + CHUNK);
    pending.sent += next.length;
    pending.inputEnded = next.length === 0;
    this.#stdin.write(frame(FRAME.data, id, next));
  }

  #receive(bytes: Buffer): void {
    if (this.#gone) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes < HEAD) return;
    let buffer = this.#held.length === 1 ? bytes : Buffer.concat(this.#held);
    let wrong: string | undefined;
    while (buffer.length >= HEAD && !wrong) {
      const length = buffer.readUInt32LE(0);
      if (length < 5 || length > MAX_REPLY_FRAME) wrong = 'it sent a malformed frame';
      else if (buffer.length < length + 4) break;
      else wrong = this.#handle(buffer.readUInt8(4), buffer.readUInt32LE(5), buffer.subarray(HEAD, length + 4));
      if (!wrong) buffer = buffer.subarray(length + 4);
    }
    if (wrong) this.#break(wrong);
    this.#held = [buffer];
    this.#heldBytes = buffer.length;
  }

  /** Returns what is wrong with the frame, if anything. */
  #handle(type: number, id: number, payload: Buffer): string | undefined {
    if (type === FRAME.hello) {
      if (payload[0] !== 1) return 'it speaks another version';
      this.#becomeReady();
      return undefined;
    }
    const pending = this.#pending.get(id);
    if (!pending) return 'it answered a request that nobody made';
    if (type === FRAME.stdout || type === FRAME.stderr) {
      if (!take(pending, type === FRAME.stdout ? 'stdout' : 'stderr', payload))
        return 'it sent more than it was asked for';
    } else if (type === FRAME.want) this.#feed(id);
    else if (type === FRAME.end && payload.length === 5) {
      this.#pending.delete(id);
      clearTimeout(pending.timer);
      const stdout = Buffer.concat(pending.chunks.stdout);
      const stderr = Buffer.concat(pending.chunks.stderr);
      pending.resolve({ status: payload.readUInt32LE(0), flags: payload.readUInt8(4), stdout, stderr });
    } else return 'it sent an unknown frame';
    return undefined;
  }
}

/** False where it is more than was asked for. */
function take({ request, received, granted, chunks }: Pending, stream: OutputStream, payload: Buffer): boolean {
  received[stream] += payload.length;
  if (request.cap !== NO_CAP && received[stream] > request.cap) return false;
  if (request.windowed && received.stdout + received.stderr > granted + LAST_WORDS) return false;
  if (request.onOutput) request.onOutput(stream, payload);
  else chunks[stream].push(payload);
  return true;
}
