import type { Agora } from '../client.ts';
import type { ExecEvent } from '../exec-stream.ts';
import type { Body, ExecResult, Query, Reply, SandboxEntry, SandboxFile } from '../types.ts';

/** The sandbox of the handler's task. Paths are absolute or relative to `/workspace`. */
export interface TaskSandbox {
  /**
   * Runs a shell command. A command that fails is a result with its `exitCode`, not an error. `timeoutMs` is at most
   * `limits.maxExecMs` of the sandbox.
   */
  exec(command: string, options?: Omit<Body<'sandbox.exec'>, 'command'>): Promise<ExecResult>;
  /**
   * Runs a command and yields its output as it is written, then the `exit` event. Leaving the loop ends the command.
   */
  execStream(
    command: string,
    options?: Omit<Body<'sandbox.exec'>, 'command'>,
  ): AsyncGenerator<ExecEvent, void, undefined>;
  /** Background commands, for example servers. */
  readonly processes: TaskProcesses;
  /** Changes in /workspace since the inputs were written: `files`, each with `unified` as `diff -u` writes it. */
  diff(): Promise<Reply<'sandbox.diff'>['data']>;
  /** Entries of a directory, `/workspace` by default; at most 10,000. */
  list(path?: string): Promise<SandboxEntry[]>;
  /** Content of a file: text, or base64 if `encoding` says so. */
  read(path: string): Promise<SandboxFile>;
  /** Writes a file and creates its directories. */
  write(path: string, content: string, options?: Pick<Body<'sandbox.write'>, 'encoding' | 'executable'>): Promise<void>;
}

/** Background processes of the task's sandbox. They end with it. */
export interface TaskProcesses {
  /** Starts a command; returns its `processId`. */
  start(
    command: string,
    options?: Omit<Body<'sandbox.startProcess'>, 'command'>,
  ): Promise<Reply<'sandbox.startProcess'>['data']>;
  /** Running processes and those that ended last, oldest first. */
  list(): Promise<Reply<'sandbox.listProcesses'>['data']['processes']>;
  /** Output from byte `after` (default 0) on. Pass `next` as `after` to get only newer output. */
  output(processId: string, query?: Query<'sandbox.processOutput'>): Promise<Reply<'sandbox.processOutput'>['data']>;
  /** Ends a process and all it started. */
  kill(processId: string): Promise<Reply<'sandbox.killProcess'>['data']>;
}

/** Every call ends with the signal. `onError` gets the error of each call that rejects. */
export function taskSandbox(
  agora: Agora,
  taskId: string,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): TaskSandbox {
  const { sandbox } = agora;
  const options = { signal };
  const call = async <T>(reply: Promise<{ data: T }>): Promise<T> => {
    try {
      return (await reply).data;
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  return {
    exec: (command, settings = {}) => call(sandbox.exec(taskId, { ...settings, command }, options)),
    async *execStream(command, settings = {}) {
      try {
        yield* sandbox.execStream(taskId, { ...settings, command }, options);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
    processes: {
      start: (command, settings = {}) => call(sandbox.startProcess(taskId, { ...settings, command }, options)),
      list: async () => (await call(sandbox.listProcesses(taskId, options))).processes,
      output: (processId, query = {}) => call(sandbox.processOutput(taskId, processId, query, options)),
      kill: (processId) => call(sandbox.killProcess(taskId, processId, options)),
    },
    diff: () => call(sandbox.diff(taskId, options)),
    async list(path) {
      const all: SandboxEntry[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { ...(path !== undefined && { path }), ...(cursor !== undefined && { cursor }) };
        const { entries, pagination } = await call(sandbox.list(taskId, query, options));
        all.push(...entries);
        cursor = pagination.nextCursor;
      }
      return all;
    },
    read: (path) => call(sandbox.read(taskId, { path }, options)),
    write: async (path, content, settings = {}) => {
      await call(sandbox.write(taskId, { ...settings, path, content }, options));
    },
  };
}
