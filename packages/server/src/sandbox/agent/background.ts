import {
  type BackgroundOutput,
  type BackgroundProcess,
  type BackgroundProcesses,
  type BackgroundRequest,
  SandboxError,
} from '../driver.ts';
import { fileError } from '../paths.ts';
import { type AgentClient, END_FLAGS, FRAME_COST, NO_CAP, type OpenRequest } from './client.ts';
import { OutputTail } from './output-tail.ts';

/** Number of ended processes that are remembered, besides the running ones. */
const REMEMBERED = 8;
/**
 * Bytes a process may write before it is read again, and the least time for that. So a process that floods is slowed to
 * about 6 MiB a second and cannot keep the server busy.
 */
const WINDOW_BYTES = 64 * 1024;
const READ_EVERY_MS = 10;

interface Entry {
  process: BackgroundProcess;
  startedAt: number;
  tail: OutputTail;
  open: OpenRequest;
  /** Resolves when nothing of it is left; never rejects. */
  ended: Promise<void>;
}

/** The background processes of one sandbox. They are requests to its agent without a time-out, and end with it. */
export class AgentProcesses implements BackgroundProcesses {
  readonly #client: AgentClient;
  readonly #bounds: { running: number; outputBytes: number };
  readonly #commandOf: (request: BackgroundRequest) => string[];
  readonly #whenFree: () => Promise<void> | undefined;
  readonly #entries = new Map<string, Entry>();

  constructor(
    client: AgentClient,
    bounds: { running: number; outputBytes: number },
    commandOf: (request: BackgroundRequest) => string[],
    whenFree: () => Promise<void> | undefined,
  ) {
    this.#client = client;
    this.#bounds = bounds;
    this.#commandOf = commandOf;
    this.#whenFree = whenFree;
  }

  async start(id: string, request: BackgroundRequest): Promise<BackgroundProcess> {
    for (let wait = this.#whenFree(); wait; wait = this.#whenFree()) await wait;
    if (this.#entries.has(id)) throw new SandboxError('REFUSED', `Process ${id} already exists.`);
    const running = [...this.#entries.values()].filter(({ process }) => process.state === 'running').length;
    if (running >= this.#bounds.running) {
      throw new SandboxError('TOO_MANY', `Background process limit of ${this.#bounds.running} reached. End one first.`);
    }
    const tail = new OutputTail(this.#bounds.outputBytes);
    let unread = 0;
    const read = () => {
      open.grant(unread);
      unread = 0;
    };
    const open = this.#client.open({
      operation: 'background',
      strings: this.#commandOf(request),
      timeoutMs: 0,
      cap: NO_CAP,
      windowed: true,
      onOutput: (_stream, bytes) => {
        tail.append(bytes);
        if (unread === 0) setTimeout(read, READ_EVERY_MS).unref();
        unread += bytes.length + FRAME_COST;
      },
    });
    open.grant(WINDOW_BYTES);
    const startedAt = performance.now();
    const { command } = request;
    const fresh = {
      id,
      command,
      state: 'running',
      exitCode: null,
      killed: false,
      durationMs: 0,
      outputBytes: 0,
    } as const;
    const entry: Entry = { process: fresh, startedAt, tail, open, ended: Promise.resolve() };
    const end = (exitCode: number) => {
      entry.process = { ...this.#view(entry), state: 'exited', exitCode };
    };
    entry.ended = open.reply.then(
      ({ status, flags }) => {
        if (flags & END_FLAGS.refused) tail.append(Buffer.from(`${fileError(status, 'the command').message}\n`));
        end(flags & END_FLAGS.refused ? 126 : status);
      },
      () => end(137),
    );
    this.#entries.set(id, entry);
    this.#forget();
    return this.#view(entry);
  }

  list(): BackgroundProcess[] {
    return [...this.#entries.values()].map((entry) => this.#view(entry));
  }

  output(id: string, after: number): BackgroundOutput | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    const { from, bytes } = entry.tail.read(after);
    return { process: this.#view(entry), bytes, from, next: from + bytes.length };
  }

  async kill(id: string): Promise<BackgroundProcess | undefined> {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    if (entry.process.state === 'running') {
      entry.process = { ...entry.process, killed: true };
      entry.open.kill();
    }
    await entry.ended;
    return this.#view(entry);
  }

  #view(entry: Entry): BackgroundProcess {
    const { process, tail, startedAt } = entry;
    if (process.state === 'exited') return { ...process, outputBytes: tail.total };
    return { ...process, durationMs: Math.round(performance.now() - startedAt), outputBytes: tail.total };
  }

  #forget(): void {
    for (const [id, { process }] of this.#entries) {
      if (this.#entries.size <= this.#bounds.running + REMEMBERED) return;
      if (process.state === 'exited') this.#entries.delete(id);
    }
  }
}
