/**
 * The interface of a sandbox driver. Everything above this file uses only this interface. So a driver is one file, and
 * the conformance suite runs against each.
 */

/** Ceilings of one sandbox. Every field has a setting; the defaults stand in `platform/config/config.ts`. */
export interface SandboxLimits {
  /** CPU time share, in cores. */
  cpus: number;
  memoryBytes: number;
  processes: number;
  /** Size of `/workspace`. */
  diskBytes: number;
  /** `timeoutMs` of an exec request that names none; 60 s where absent, and never above `maxExecMs`. */
  execMs?: number;
  /** Ceiling of `timeoutMs` in an exec request. */
  maxExecMs: number;
  /** Bytes of stdout and of stderr kept per command; the rest is counted as truncated and thrown away. */
  maxOutputBytes: number;
  /** The same where a command's output is streamed; 64 MiB where absent. */
  maxStreamBytes?: number;
  /** Background processes at once; 8 where absent. */
  background?: number;
  /** Bytes of output kept of each background process, the last ones; 128 KiB where absent. */
  backgroundOutputBytes?: number;
}

/** Whether the kernel enforces every limit, or some only by rlimits and a watchdog; the reasons are for people. */
export interface Enforcement {
  limits: 'enforced' | 'degraded';
  notes: string[];
}

/**
 * Files that lie in the workspace of a sandbox from its start, and are shared by all sandboxes that start with them.
 * Each may change them for itself alone. They are the platform's, so no workspace is exported with them.
 */
export interface Layer {
  /** Tells it from others, on each host. */
  digest: string;
  /** On the host; what is in it appears in `/workspace`. Nobody changes it while a sandbox may use it. */
  directory: string;
  /** The directories that it fills, relative to the workspace. */
  paths: readonly string[];
  /** Directories of programs, relative to the workspace, that commands find before all others. */
  programs: readonly string[];
  /** Variables of commands, unless a command has others. */
  environment: Readonly<Record<string, string>>;
  /** Called when a sandbox is to start with it; the function that comes back is called once that has ended. */
  use?(): () => void;
}

/** Programs that the operator installed beside the system's: a directory of the host that sandboxes read. */
export interface Toolchain {
  /** `go`, for example; it lies at `/opt/tools/<name>`. */
  name: string;
  version: string;
  /** On the host. */
  directory: string;
  /** Directories of programs, relative to it. Commands find them before those of the system. */
  programs: readonly string[];
  /** Variables of commands; `{}` in them stands for its place in the sandbox. */
  variables: Readonly<Record<string, string>>;
}

/** With what a sandbox begins, besides its limits. */
export interface SandboxStart {
  layer?: Layer | undefined;
  toolchains?: readonly Toolchain[] | undefined;
  /** Of a container, one of those that the operator allows; the ordinary one where absent. */
  image?: string | undefined;
  /** Calls off a start that may take long, as that of a Pod does; nothing of it is left then. */
  signal?: AbortSignal;
}

/** A file to write to the workspace; `path` is relative to `/workspace`. */
export interface SandboxFile {
  path: string;
  content: Buffer;
  executable?: boolean;
}

export interface ExecRequest {
  /** Run by `/bin/sh -c`. */
  command: string;
  /** Absolute, or relative to `/workspace`. */
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Buffer;
  timeoutMs?: number;
  /** A command of the platform: it finds no program, and no variable, of the layer. */
  isOwn?: boolean;
}

/** Gives standard input piece by piece, each of at most 64 KiB and only when the last was taken; empty is its end. */
export type InputSource = () => Promise<Buffer>;

/** An exec whose standard input comes while it runs. */
export type StreamedRequest = Omit<ExecRequest, 'stdin'> & { stdin?: string | Buffer | InputSource };

/** A call of the command `delivered`: a program in the sandbox asks for another to be run elsewhere. */
export interface OutsideCall {
  /** Program and arguments, at least the program. */
  argv: string[];
  /** Absolute, as the caller sees it. */
  cwd: string;
  env: Record<string, string>;
  stdin: InputSource;
  /** Hands output on to the caller; resolves when there is room for more. */
  write(chunk: OutputChunk): Promise<void>;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
}

export interface ExecResult {
  /** Exit code; 128 + signal when killed by a signal. */
  exitCode: number;
  stdout: string;
  stderr: string;
  durationMs: number;
  timedOut: boolean;
  /** Whether stdout or stderr went past `maxOutputBytes`. */
  truncated: boolean;
}

export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  bytes: Buffer;
}

/** How a command ended whose output was handed on as it came. */
export type ExecEnd = Omit<ExecResult, 'stdout' | 'stderr'>;

export type BackgroundRequest = Pick<ExecRequest, 'command' | 'cwd' | 'env'>;

/** A background command. It is `running` while any process that it started runs, even a detached one. */
export interface BackgroundProcess {
  id: string;
  command: string;
  state: 'running' | 'exited';
  /** As of an exec; null while it runs. */
  exitCode: number | null;
  /** Whether `kill` ended it. */
  killed: boolean;
  durationMs: number;
  /** Bytes written so far; only the last ones are kept. */
  outputBytes: number;
}

/**
 * Stdout and stderr in order of arrival, from byte `from` to byte `next`. Bytes between `after` and `from` are lost.
 */
export interface BackgroundOutput {
  process: BackgroundProcess;
  bytes: Buffer;
  from: number;
  next: number;
}

export interface BackgroundProcesses {
  /** The id is the caller's and new. TOO_MANY where as many run as may. */
  start(id: string, request: BackgroundRequest): Promise<BackgroundProcess>;
  /** Those that run and the last that have ended, oldest first. */
  list(): BackgroundProcess[];
  /** Undefined if no process has this id. */
  output(id: string, after: number): BackgroundOutput | undefined;
  /** Ends it with everything it started; resolves when that is gone. */
  kill(id: string): Promise<BackgroundProcess | undefined>;
}

/** What a sandbox has used so far. */
export interface SandboxUsage {
  cpuMs: number;
  /** Of `/workspace`. */
  diskBytes: number;
}

export interface SandboxEntry {
  name: string;
  path: string;
  type: 'file' | 'directory' | 'symlink';
  sizeBytes: number;
  modifiedAt: string;
}

/** Entries of a directory in the order of their names' bytes. Of a larger directory 10,000 are looked at. */
export interface SandboxListing {
  entries: SandboxEntry[];
  /** The last name in hex, if there are more entries: the next page begins after it. */
  next: string | null;
  /** There are more than are looked at. */
  truncated: boolean;
}

export interface SandboxFileContent {
  path: string;
  content: string;
  encoding: 'utf8' | 'base64';
  sizeBytes: number;
  truncated: boolean;
}

/** One live sandbox. Every method rejects with a `SandboxError`; none hangs past its time-out. */
export interface Sandbox {
  readonly id: string;
  readonly limits: SandboxLimits;
  readonly enforcement: Enforcement;
  /** Paths of its layer: what is imported leaves them as they are, and what is exported leaves them out. */
  readonly layered: readonly string[];
  /** Runs a command, and ends it when the signal aborts. */
  exec(request: ExecRequest, options?: { signal?: AbortSignal }): Promise<ExecResult>;
  /**
   * The same with output handed to `sink` as it comes, one chunk after the other. While a sink is busy the command
   * waits with its writing. It is ended when the signal aborts or the sink rejects.
   */
  execStreamed(
    request: StreamedRequest,
    sink: (chunk: OutputChunk) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<ExecEnd>;
  /**
   * Answers calls of the command `delivered` in here, so many at once, with the exit code that `answer` gives; others
   * wait. The function that comes back ends it, and every call under way.
   */
  answerCalls(atOnce: number, answer: (call: OutsideCall) => Promise<number>): () => void;
  readonly processes: BackgroundProcesses;
  usage(): Promise<SandboxUsage>;
  /**
   * CPU time in ms of the whole sandbox, also after its end, without asking a process inside. The host counts it. If
   * the host cannot, it is the last figure from the sandbox. For a sandbox that died before it gave one, it is the time
   * that its commands took.
   */
  cpuMs(): number;
  /** Stops all commands where they stand; new ones are refused as PAUSED. Files can still be had. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops all commands while `work` runs; new ones wait for its end. Those of a paused sandbox stay stopped after it. */
  still<R>(work: () => Promise<R>): Promise<R>;
  /** Whether a command or a background process runs; none does in a paused one. */
  readonly isBusy: boolean;
  /** At most `count` entries, those behind a page's `next`. As `read`, also of `/input`. */
  list(path: string, page?: { count: number; after: string }): Promise<SandboxListing>;
  read(path: string): Promise<SandboxFileContent>;
  write(file: SandboxFile): Promise<void>;
  /** The whole workspace, for the gate's new sandbox. Refused above `maxBytes`, and after 120 s or `timeoutMs`. */
  exportWorkspace(maxBytes: number, timeoutMs?: number): Promise<Buffer>;
  /**
   * The workspace for inspection: content only of files up to `maxFileBytes`, and up to `maxBytes` in all. Other files,
   * and those that cannot be read, are listed and marked. Changes nothing in the workspace.
   */
  snapshot(bounds: { maxFileBytes: number; maxBytes: number; timeoutMs?: number }): Promise<Buffer>;
  /** Writes an exported workspace into this sandbox. */
  importWorkspace(archive: Buffer): Promise<void>;
  /**
   * Unpacks an archive at `/input` and replaces what is there. Nothing in the sandbox can change it: the mount is
   * read-only, and no user inside owns its files.
   */
  writeInput(archive: Buffer): Promise<void>;
  /** Resolves when no process of the sandbox is left. Idempotent. */
  destroy(): Promise<void>;
  /**
   * Aborts where others end it and its end is known before: a Pod whose node is drained may still answer for some seconds. Its
   * owner then takes out what it wants to have and destroys it.
   */
  readonly ending: AbortSignal;
  /** Resolves once the sandbox has ended, whoever ended it. Never rejects: `destroy` says when it could not be ended. */
  readonly closed: Promise<void>;
}

export type SandboxProbe =
  /** `node` is the version that programs in a sandbox get, null if there is none. */
  { available: true; enforcement: Enforcement; node: string | null } | { available: false; reason: string };

export interface SandboxDriver {
  readonly name: 'bwrap' | 'docker' | 'kubernetes';
  /** Starts a sandbox to see whether this machine can. `reason` says what is missing and what to do. */
  probe(): Promise<SandboxProbe>;
  create(id: string, limits: SandboxLimits, start?: SandboxStart): Promise<Sandbox>;
  /** Ends what an earlier, crashed process of this installation left (processes, cgroups). */
  reclaim(): Promise<void>;
  /**
   * Removes the driver's files of this installation from the host; only for an installation that will not come back.
   */
  forget?(): void;
}

export type SandboxErrorCode =
  | 'SANDBOX_UNAVAILABLE'
  | 'SANDBOX_GONE'
  | 'FILE_NOT_FOUND'
  | 'NOT_A_FILE'
  | 'NOT_A_DIRECTORY'
  | 'PATH_ESCAPES'
  | 'NO_SPACE'
  | 'TOO_LARGE'
  /** The sandbox's own system refused: permission, a name too long, a malformed argument. */
  | 'REFUSED'
  /** The sandbox has used up its processes, memory or time; the same call can succeed when it has some again. */
  | 'EXHAUSTED'
  /** It was not done in its time. */
  | 'TIMED_OUT'
  /** The sandbox is paused; nothing runs in it until it is resumed. */
  | 'PAUSED'
  /** As many background processes run as may. */
  | 'TOO_MANY';

/** A refusal that callers can act on; `message` is fit for the public reply. */
export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  constructor(code: SandboxErrorCode, message: string) {
    super(message);
    this.name = 'SandboxError';
    this.code = code;
  }
}

/** As many live here as may; another server may have room. */
export class NoRoom extends SandboxError {
  constructor(message: string) {
    super('SANDBOX_UNAVAILABLE', message);
  }
}
