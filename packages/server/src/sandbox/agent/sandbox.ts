import type { Readable, Writable } from 'node:stream';
import { createFairSemaphore } from '../../platform/concurrency/index.ts';
import type { InputDir } from '../bwrap/input-dir.ts';
import { archiveOfDirectory } from '../directory.ts';
import type {
  BackgroundProcesses,
  BackgroundRequest,
  Enforcement,
  ExecEnd,
  ExecRequest,
  ExecResult,
  OutputChunk,
  OutsideCall,
  Sandbox,
  SandboxFile,
  SandboxFileContent,
  SandboxLimits,
  SandboxListing,
  SandboxStart,
  SandboxUsage,
  StreamedRequest,
} from '../driver.ts';
import { SandboxError } from '../driver.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { fileError, parsePath, type SandboxPath, showPath } from '../paths.ts';
import { AgentProcesses } from './background.ts';
import { answerCalls } from './calls.ts';
import { AgentClient, type AgentOperation, type AgentReply, END_FLAGS, type OpenRequest } from './client.ts';
import { commandOf, inputOf } from './command.ts';
import { CpuTime } from './cpu-time.ts';
import { decodeListing, decodeText, fitting, isText, keptText } from './decode.ts';
import { HandOn } from './forward-output.ts';

const FILE_TIMEOUT_MS = 30_000;
const ARCHIVE_TIMEOUT_MS = 120_000;
/** For names and heads: some 100,000 of ordinary length; past that they are no answer any more. */
const LISTING_BYTES = 4 * 1024 * 1024;

/** Output of a streamed command that the reader has not taken yet. */
const STREAM_WINDOW_BYTES = 128 * 1024;
/** Commands with a waiting caller, besides those in the background. Each may hold its output twice. */
const OPEN_COMMANDS = 24;
/** The agent answers these itself and at once, unless its whole machine is at its limit. */
const CONTROL_TIMEOUT_MS = 30_000;

const gone = () => new SandboxError('SANDBOX_GONE', 'The sandbox has ended.');

/** Layers in the memory of this process at once, for each may have half a gigabyte. */
const copying = createFairSemaphore(1);

/** A live sandbox seen through its agent. How it is ended belongs to the driver, which passes `end`. */
export class AgentSandbox implements Sandbox {
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly enforcement: Enforcement;
  readonly closed: Promise<void>;
  readonly ending: AbortSignal;
  readonly layered: readonly string[];
  readonly #client: AgentClient;
  readonly #start: SandboxStart;
  readonly #input: Pick<InputDir, 'fill'>;
  readonly #end: () => Promise<void>;
  readonly #cpuTime: CpuTime;
  readonly processes: BackgroundProcesses;
  #paused = false;
  /** Set while commands wait for work that wants them still. */
  #stilled: Promise<void> | undefined;
  #commands = 0;

  /** `cpuMs`: the CPU time that all of it has used, where the host counts it. `ending`: where its end is known before. */
  constructor(
    fixed: {
      id: string;
      limits: SandboxLimits;
      enforcement: Enforcement;
      closed: Promise<void>;
      ending?: AbortSignal;
      input: Pick<InputDir, 'fill'>;
      cpuMs?: (() => number | undefined) | undefined;
      start?: SandboxStart | undefined;
    },
    agent: { stdin: Writable; stdout: Readable },
    end: () => Promise<void>,
  ) {
    this.id = fixed.id;
    this.limits = fixed.limits;
    this.enforcement = fixed.enforcement;
    this.closed = fixed.closed;
    this.ending = fixed.ending ?? new AbortController().signal;
    this.#input = fixed.input;
    this.#start = fixed.start ?? {};
    this.layered = this.#start.layer?.paths ?? [];
    this.#end = end;
    this.#client = new AgentClient(agent.stdin, agent.stdout, () => void this.destroy().catch(() => {}));
    void this.closed.then(() => this.#client.close(gone()));
    this.#cpuTime = new CpuTime(fixed.cpuMs);
    const { background = DEFAULT_LIMITS.background!, backgroundOutputBytes } = this.limits;
    const outputBytes = backgroundOutputBytes ?? DEFAULT_LIMITS.backgroundOutputBytes!;
    const command = (request: BackgroundRequest) => {
      this.#refuseUnlessRunning();
      return commandOf(request, this.#start);
    };
    const bounds = { running: background, outputBytes };
    this.processes = new AgentProcesses(this.#client, bounds, command, () => this.#stilled);
  }

  get ready(): Promise<void> {
    return this.#client.ready;
  }

  async exec(
    request: ExecRequest,
    { signal, keptBytes = this.limits.maxOutputBytes }: { signal?: AbortSignal; keptBytes?: number } = {},
  ): Promise<ExecResult> {
    const started = performance.now();
    const reply = await this.#asCommand(async () =>
      replyOf(this.#client.open(this.#execRequest(request, keptBytes)), signal),
    );
    const end = execEnd(reply, started);
    const stdout = keptText(reply.stdout, (reply.flags & END_FLAGS.stdoutCut) !== 0, keptBytes);
    const stderr = keptText(reply.stderr, (reply.flags & END_FLAGS.stderrCut) !== 0, keptBytes);
    return { ...end, truncated: stdout.isCut || stderr.isCut, stdout: stdout.text, stderr: stderr.text };
  }

  answerCalls(atOnce: number, answer: (call: OutsideCall) => Promise<number>): () => void {
    return answerCalls(this.#client, atOnce, answer);
  }

  async execStreamed(
    request: StreamedRequest,
    sink: (chunk: OutputChunk) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<ExecEnd> {
    signal?.throwIfAborted();
    const started = performance.now();
    const handOn = new HandOn(sink);
    return this.#asCommand(async () => {
      const open = this.#client.open({
        ...this.#execRequest(request, this.limits.maxStreamBytes ?? DEFAULT_LIMITS.maxStreamBytes!),
        windowed: true,
        onOutput: (stream, bytes) => handOn.take(stream, bytes),
      });
      handOn.begin(open);
      open.grant(STREAM_WINDOW_BYTES);
      const reply = await replyOf(open, signal);
      await handOn.done();
      return execEnd(reply, started);
    });
  }

  async #asCommand<T>(work: () => Promise<T>): Promise<T> {
    if (this.#commands >= OPEN_COMMANDS) {
      throw new SandboxError(
        'TOO_MANY',
        `A sandbox runs at most ${OPEN_COMMANDS} commands at once. Wait for one to end.`,
      );
    }
    const started = performance.now();
    this.#commands++;
    try {
      while (this.#stilled) await this.#stilled;
      return await work();
    } finally {
      this.#commands--;
      this.#cpuTime.add(performance.now() - started);
    }
  }

  async usage(): Promise<SandboxUsage> {
    const { stdout } = await this.#control('usage', 16);
    if (stdout.length !== 16) throw new SandboxError('REFUSED', 'The agent gave no figures.');
    const cpuMs = this.#cpuTime.isCountedByHost ? this.cpuMs() : Number(stdout.readBigUInt64LE(0));
    return { cpuMs, diskBytes: Number(stdout.readBigUInt64LE(8)) };
  }

  cpuMs(): number {
    return this.#cpuTime.ms;
  }

  /** Whether its commands are stopped, so that nobody else resumes them. */
  get paused(): boolean {
    return this.#paused || this.#stilled !== undefined;
  }

  get isBusy(): boolean {
    if (this.#paused) return false;
    return this.#commands > 0 || this.processes.list().some(({ state }) => state === 'running');
  }

  async pause(): Promise<void> {
    this.#paused = true;
    await this.#control('pause', 0);
  }

  async resume(): Promise<void> {
    if (!this.#stilled) await this.#control('resume', 0);
    this.#paused = false;
  }

  async still<R>(work: () => Promise<R>): Promise<R> {
    while (this.#stilled) await this.#stilled;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stilled = promise;
    try {
      await this.#control('pause', 0);
      return await work();
    } finally {
      this.#stilled = undefined;
      if (!this.#paused) await this.#control('resume', 0).catch(() => undefined);
      resolve();
    }
  }

  #control(operation: AgentOperation, cap: number): Promise<AgentReply> {
    return this.#client.request({ operation, strings: ['/workspace'], timeoutMs: CONTROL_TIMEOUT_MS, cap });
  }

  #refuseUnlessRunning(): void {
    if (this.#cpuTime.isFinal) throw gone();
    if (this.#paused) throw new SandboxError('PAUSED', 'The sandbox is paused. Resume it first.');
  }

  #execRequest(request: StreamedRequest, cap: number) {
    this.#refuseUnlessRunning();
    const { maxExecMs, execMs = DEFAULT_LIMITS.execMs! } = this.limits;
    return {
      operation: 'exec' as const,
      strings: commandOf(request, this.#start),
      ...(request.stdin === undefined ? {} : { input: inputOf(request.stdin) }),
      timeoutMs: Math.min(maxExecMs, Math.max(1, request.timeoutMs || execMs)),
      cap,
    };
  }

  async list(path: string, page = { count: 100, after: '' }): Promise<SandboxListing> {
    const at = parsePath(path, 'read');
    const reply = await this.#file('list', at, [page.after, String(page.count)], { cap: LISTING_BYTES });
    return decodeListing(reply.stdout, showPath(at));
  }

  async read(path: string): Promise<SandboxFileContent> {
    const at = parsePath(path, 'read');
    const { stdout } = await this.#file('read', at, [], { cap: this.limits.maxOutputBytes + 8 });
    const sizeBytes = Number(stdout.readBigUInt64LE(0));
    const bytes = stdout.subarray(8);
    const truncated = bytes.length < sizeBytes;
    const text = isText(bytes, truncated) && fitting(bytes, this.limits.maxOutputBytes) === bytes;
    const content = text ? decodeText(bytes, truncated) : bytes.toString('base64');
    return { path: showPath(at), content, encoding: text ? 'utf8' : 'base64', sizeBytes, truncated };
  }

  async write(file: SandboxFile): Promise<void> {
    const mode = file.executable === undefined ? '0' : file.executable ? '755' : '644';
    await this.#file('write', parsePath(file.path), [mode], { input: file.content });
  }

  exportWorkspace(maxBytes: number, timeoutMs = ARCHIVE_TIMEOUT_MS): Promise<Buffer> {
    return this.#export(['', ''], { cap: Math.min(maxBytes, 0x7fff_0000), timeoutMs });
  }

  async snapshot(bounds: { maxFileBytes: number; maxBytes: number; timeoutMs?: number }): Promise<Buffer> {
    const { maxFileBytes, maxBytes, timeoutMs = ARCHIVE_TIMEOUT_MS } = bounds;
    // Room for names and heads. A workspace with more files than that is refused.
    return this.#export([String(maxFileBytes), String(maxBytes)], { cap: maxBytes + LISTING_BYTES, timeoutMs });
  }

  async #export(bounds: [string, string], options: { cap: number; timeoutMs: number }): Promise<Buffer> {
    const strings = ['/workspace', ...bounds, ...this.layered];
    const reply = await this.#client.request({ operation: 'export', strings, ...options, unbudgeted: true });
    return checked(reply, '/workspace').stdout;
  }

  async importWorkspace(archive: Buffer): Promise<void> {
    await this.#import(archive, this.layered);
  }

  /** For a driver that cannot mount the layer: writes a copy of it, where there is one. */
  async copyLayer(): Promise<void> {
    const { layer } = this.#start;
    if (layer) await copying(1, async () => this.#import(await archiveOfDirectory(layer.directory), []));
  }

  async #import(archive: Buffer, leftOut: readonly string[]): Promise<void> {
    const strings = ['/workspace', ...leftOut];
    const options = { input: archive, timeoutMs: ARCHIVE_TIMEOUT_MS, cap: 0 };
    checked(await this.#client.request({ operation: 'import', strings, ...options }), '/workspace');
  }

  writeInput(archive: Buffer): Promise<void> {
    return this.#input.fill(archive);
  }

  async destroy(): Promise<void> {
    if (!this.#cpuTime.isCountedByHost) await this.#cpuTime.look(async () => (await this.usage()).cpuMs);
    this.#client.close(gone());
    await this.#end();
  }

  async #file(
    operation: AgentOperation,
    path: SandboxPath,
    rest: string[],
    options: { cap?: number; input?: Buffer },
  ): Promise<AgentReply> {
    const reply = await this.#client.request({
      operation,
      strings: [path.base, path.relative, ...rest],
      ...(options.input ? { input: options.input } : {}),
      timeoutMs: FILE_TIMEOUT_MS,
      cap: options.cap ?? 0,
    });
    return checked(reply, showPath(path));
  }
}

function checked(reply: AgentReply, shown: string): AgentReply {
  if (reply.flags & END_FLAGS.timedOut) throw new SandboxError('TIMED_OUT', `${shown} took too long.`);
  if (reply.flags & END_FLAGS.starved) {
    throw new SandboxError('EXHAUSTED', 'The server has no memory for more output at the moment. Try again later.');
  }
  if (reply.flags & END_FLAGS.stdoutCut) throw new SandboxError('TOO_LARGE', `${shown} does not fit into a reply.`);
  if (reply.status !== 0) throw fileError(reply.status, shown);
  return reply;
}

/** The reply to a command, which is ended when the signal aborts. */
async function replyOf({ reply, kill }: OpenRequest, signal: AbortSignal | undefined): Promise<AgentReply> {
  signal?.addEventListener('abort', kill);
  if (signal?.aborted) kill();
  try {
    return await reply;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

function execEnd({ status, flags }: AgentReply, started: number): ExecEnd {
  if (flags & END_FLAGS.refused) throw fileError(status, 'the command');
  return {
    exitCode: status,
    durationMs: Math.round(performance.now() - started),
    timedOut: (flags & END_FLAGS.timedOut) !== 0,
    truncated: (flags & (END_FLAGS.stdoutCut | END_FLAGS.stderrCut)) !== 0,
  };
}
