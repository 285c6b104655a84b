import type { Readable, Writable } from 'node:stream';
import { AgentClient, type AgentOperation, type AgentReply, END_FLAGS } from './agent-client.ts';
import { decodeEntries, decodeText, isText } from './decode.ts';
import type { Enforcement, ExecRequest, ExecResult, Sandbox, SandboxEntry } from './driver.ts';
import { SandboxError, type SandboxFile, type SandboxFileContent, type SandboxLimits } from './driver.ts';
import type { InputDir } from './input-dir.ts';
import { BASE_ENVIRONMENT } from './launch.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { fileError, parsePath, type SandboxPath, showPath } from './paths.ts';

const FILE_TIMEOUT_MS = 30_000;
const ARCHIVE_TIMEOUT_MS = 120_000;
/** Some 100,000 names of ordinary length; past that a listing is no answer any more. */
const LISTING_BYTES = 4 * 1024 * 1024;

const gone = () => new SandboxError('SANDBOX_GONE', 'The sandbox has ended.');

/** A live sandbox seen through its agent. How it is ended belongs to the driver, which passes `end`. */
export class AgentSandbox implements Sandbox {
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly enforcement: Enforcement;
  readonly closed: Promise<void>;
  readonly #client: AgentClient;
  readonly #input: Pick<InputDir, 'fill'>;
  readonly #end: () => Promise<void>;

  constructor(
    fixed: {
      id: string;
      limits: SandboxLimits;
      enforcement: Enforcement;
      closed: Promise<void>;
      input: Pick<InputDir, 'fill'>;
    },
    agent: { stdin: Writable; stdout: Readable },
    end: () => Promise<void>,
  ) {
    this.id = fixed.id;
    this.limits = fixed.limits;
    this.enforcement = fixed.enforcement;
    this.closed = fixed.closed;
    this.#input = fixed.input;
    this.#end = end;
    this.#client = new AgentClient(agent.stdin, agent.stdout, () => void this.destroy().catch(() => {}));
    void this.closed.then(() => this.#client.close(gone()));
  }

  get ready(): Promise<void> {
    return this.#client.ready;
  }

  async exec(request: ExecRequest, keptBytes = this.limits.maxOutputBytes): Promise<ExecResult> {
    const { maxExecMs, execMs = DEFAULT_LIMITS.execMs! } = this.limits;
    const timeoutMs = Math.min(maxExecMs, Math.max(1, request.timeoutMs || execMs));
    const started = performance.now();
    const reply = await this.#client.request({
      operation: 'exec',
      strings: [commandDirectory(request.cwd), request.command, ...environment(request.env)],
      ...(request.stdin === undefined ? {} : { input: Buffer.from(request.stdin) }),
      timeoutMs,
      cap: keptBytes,
    });
    if (reply.flags & END_FLAGS.refused) throw fileError(reply.status, 'the command');
    const cut = {
      stdout: (reply.flags & END_FLAGS.stdoutCut) !== 0,
      stderr: (reply.flags & END_FLAGS.stderrCut) !== 0,
    };
    return {
      exitCode: reply.status,
      stdout: decodeText(reply.stdout, cut.stdout),
      stderr: decodeText(reply.stderr, cut.stderr),
      durationMs: Math.round(performance.now() - started),
      timedOut: (reply.flags & END_FLAGS.timedOut) !== 0,
      truncated: cut.stdout || cut.stderr,
    };
  }

  async list(path: string): Promise<SandboxEntry[]> {
    const at = parsePath(path);
    const reply = await this.#file('list', at, [], { cap: LISTING_BYTES });
    return decodeEntries(reply.stdout, showPath(at));
  }

  async read(path: string): Promise<SandboxFileContent> {
    const at = parsePath(path);
    const { stdout } = await this.#file('read', at, [], { cap: this.limits.maxOutputBytes + 8 });
    const sizeBytes = Number(stdout.readBigUInt64LE(0));
    const bytes = stdout.subarray(8);
    const truncated = bytes.length < sizeBytes;
    const text = isText(bytes, truncated);
    const content = text ? decodeText(bytes, truncated) : bytes.toString('base64');
    return { path: showPath(at), content, encoding: text ? 'utf8' : 'base64', sizeBytes, truncated };
  }

  async write(file: SandboxFile): Promise<void> {
    const mode = file.executable === undefined ? '0' : file.executable ? '755' : '644';
    await this.#file('write', parsePath(file.path), [mode], { input: file.content });
  }

  async exportWorkspace(maxBytes: number): Promise<Buffer> {
    const options = { cap: Math.min(maxBytes, 0x7fff_0000), timeoutMs: ARCHIVE_TIMEOUT_MS };
    const reply = await this.#file('export', { base: '/workspace', relative: '' }, undefined, options);
    return reply.stdout;
  }

  async importWorkspace(archive: Buffer): Promise<void> {
    const options = { input: archive, timeoutMs: ARCHIVE_TIMEOUT_MS };
    await this.#file('import', { base: '/workspace', relative: '' }, undefined, options);
  }

  sealInput(archive: Buffer): Promise<void> {
    return this.#input.fill(archive);
  }

  destroy(): Promise<void> {
    this.#client.close(gone());
    return this.#end();
  }

  /** `rest` undefined: the operation is about the base alone. */
  async #file(
    operation: AgentOperation,
    path: SandboxPath,
    rest: string[] | undefined,
    options: { cap?: number; input?: Buffer; timeoutMs?: number },
  ): Promise<AgentReply> {
    const reply = await this.#client.request({
      operation,
      strings: rest ? [path.base, path.relative, ...rest] : [path.base],
      ...(options.input ? { input: options.input } : {}),
      timeoutMs: options.timeoutMs ?? FILE_TIMEOUT_MS,
      cap: options.cap ?? 0,
    });
    const shown = showPath(path);
    if (reply.flags & END_FLAGS.timedOut) throw new SandboxError('EXHAUSTED', `${shown} took too long.`);
    if (reply.flags & END_FLAGS.stdoutCut)
      throw new SandboxError('TOO_LARGE', `${shown} holds more than fits a reply.`);
    if (reply.status !== 0) throw fileError(reply.status, shown);
    return reply;
  }
}

function commandDirectory(cwd = '/workspace'): string {
  return cwd.startsWith('/') ? cwd : `/workspace/${cwd}`;
}

function environment(extra: Record<string, string> = {}): string[] {
  for (const name of Object.keys(extra)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new SandboxError('REFUSED', 'The name of an environment variable may hold letters, digits and _ only.');
    }
  }
  return Object.entries({ ...BASE_ENVIRONMENT, ...extra }).map(([name, value]) => `${name}=${value}`);
}
