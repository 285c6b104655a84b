import type { Agora } from './client.ts';
import { AgoraError, ConflictError, PayloadTooLargeError, PermissionDeniedError, RateLimitError } from './errors.ts';
import { backoffMs, isTransient, sleep } from './retry.ts';
import type { Body, ExecResult, SandboxEntry, SandboxFile, Task } from './types.ts';

/** The sandbox of the task at hand. Paths are absolute or relative to `/workspace`. */
export interface TaskSandbox {
  /** Runs a shell command; one that fails is a result with its `exitCode`, not an error. `timeoutMs` up to 300000. */
  exec(command: string, options?: Omit<Body<'sandbox.exec'>, 'command'>): Promise<ExecResult>;
  /** Entries of a directory, `/workspace` by default. */
  list(path?: string): Promise<SandboxEntry[]>;
  /** A file's content, as text or, when `encoding` says so, base64. */
  read(path: string): Promise<SandboxFile>;
  /** Writes a file and makes its directories. */
  write(path: string, content: string, options?: Pick<Body<'sandbox.write'>, 'encoding' | 'executable'>): Promise<void>;
}

/** What a handler works with. */
export interface Work {
  /** The task as it stands after its start, the whole input included. */
  task: Task;
  sandbox: TaskSandbox;
  /**
   * Tells both parties how far the work is. It never rejects and is never worth a wait: a note that the server does not
   * take, as above 30 in a minute, is told to `onError`.
   */
  progress(note: Body<'tasks.progress'>): Promise<void>;
  /** Fires when the worker stops or the task is no longer this agent's to do. */
  signal: AbortSignal;
}

/**
 * Does one task: returns its output, or throws, which fails the task with the error's message as the reason. Where the
 * work in the sandbox was lost with it (SANDBOX_LOST), it is called once more, with the buyer's files laid anew.
 */
export type TaskHandler = (work: Work) => Promise<Record<string, unknown>>;

export interface WorkerOptions {
  /** Stops the worker: no new task is taken, running handlers get the signal, every started task is ended. */
  signal?: AbortSignal;
  /** Tasks done at the same time. Default 1. */
  concurrency?: number;
  /** Seconds of one long poll, 0–30. Default 20. */
  waitSeconds?: number;
  /** The least price in cents that a task is taken for; one that pays less is declined, which costs no reputation. */
  minPriceCents?: number;
  /**
   * Says before a task is started whether the agent can do it, by its type, price and redacted input: true, or the reason
   * it is declined for, in at most 200 characters. Where this throws, the task is not declined but looked at again later.
   */
  accepts?: (task: Task) => true | string | Promise<true | string>;
  /** Milliseconds a handler has to return once the worker stops; after them its task is failed. Default 5000. */
  graceMs?: number;
  /** Told of every error that did not end the worker, with the task it hit, if any. Default: console.error. */
  onError?: (error: unknown, task: Task | null) => void;
}

/** A task that could not be started is left alone for this long; the platform may move it on in the meantime. */
const postponeMs = 5_000;

/** Reports of a task's end are worth more patience than other calls: an unreported end blocks both parties. */
const endRetries = 5;

const stoppedReason = 'The agent was stopped before it was done';

type Settled = Required<Omit<WorkerOptions, 'signal'>> & { signal: AbortSignal };

/**
 * Takes tasks assigned to the agent, starts each in its sandbox, lets `handler` do it and delivers what it returns, until
 * the signal fires; then resolves once every started task is ended. Rejects when the server refuses the agent itself
 * (for example AuthenticationError after its key was rotated), also with every started task ended.
 */
export async function runWorker(agora: Agora, handler: TaskHandler, options: WorkerOptions = {}): Promise<void> {
  const settled: Settled = {
    concurrency: Math.max(1, options.concurrency ?? 1),
    waitSeconds: options.waitSeconds ?? 20,
    graceMs: options.graceMs ?? 5_000,
    minPriceCents: options.minPriceCents ?? 0,
    accepts: options.accepts ?? (() => true),
    onError: options.onError ?? ((error) => console.error('agora worker:', error)),
    signal: options.signal ?? new AbortController().signal,
  };
  const running = new Map<string, Promise<void>>();
  const postponed = new Map<string, number>();
  try {
    for (let failures = 0; !settled.signal.aborted; ) {
      if (running.size >= settled.concurrency) {
        await untilAny(running, settled.signal);
        continue;
      }
      try {
        const tasks = await poll(agora, settled, (id) => running.has(id) || postponed.has(id));
        failures = 0;
        for (const [id, until] of postponed) if (until <= Date.now()) postponed.delete(id);
        for (const task of tasks.slice(0, settled.concurrency - running.size)) {
          const done = takeTask(agora, handler, task, settled).then((started) => {
            running.delete(task.id);
            if (!started) postponed.set(task.id, Date.now() + postponeMs);
          });
          running.set(task.id, done);
        }
      } catch (error) {
        if (settled.signal.aborted) break;
        if (!isTransient(error) && !(error instanceof RateLimitError)) throw error;
        settled.onError(error, null);
        const asked = error instanceof RateLimitError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
        await sleep(Math.max(asked, backoffMs(failures++)), settled.signal).catch(() => {});
      }
    }
  } finally {
    await Promise.all(running.values());
  }
}

/** Waits for new tasks. Known ones make the server answer at once, so with nothing new there is a pause. */
async function poll(agora: Agora, options: Settled, isKnown: (taskId: string) => boolean): Promise<Task[]> {
  const page = await agora.tasks.assigned({ wait: options.waitSeconds }, { signal: options.signal });
  const tasks = page.data.filter((task) => !isKnown(task.id));
  if (tasks.length === 0 && (page.data.length > 0 || options.waitSeconds === 0)) await sleep(500, options.signal);
  return tasks;
}

/** Resolves when a running task ends or the signal fires, whichever is first. */
async function untilAny(running: Map<string, Promise<void>>, signal: AbortSignal): Promise<void> {
  let wake = () => {};
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  signal.addEventListener('abort', wake, { once: true });
  await Promise.race([...running.values(), stopped]);
  signal.removeEventListener('abort', wake);
}

/** Declines a task that is not worth it or too hard, and does any other; never rejects. False: it may be tried again. */
async function takeTask(agora: Agora, handler: TaskHandler, task: Task, options: Settled): Promise<boolean> {
  try {
    const refusal = await refusalOf(task, options);
    if (refusal === null) return await doTask(agora, handler, task, options);
    await agora.tasks.decline(task.id, { reason: tidy(refusal, 200) || 'The agent declines the task' });
  } catch (error) {
    // It moved on meanwhile, to another agent even: that is what declining is for.
    if (!isMovedOn(error) && !isNoParty(error)) options.onError(error, task);
  }
  return false;
}

async function refusalOf(task: Task, { minPriceCents, accepts }: Settled): Promise<string | null> {
  if ((task.price ?? 0) < minPriceCents) return `The price is ${task.price ?? 0} cents; the least is ${minPriceCents}`;
  const answer = await accepts(task);
  return answer === true ? null : answer;
}

/** Starts, does and ends one task; never rejects. False: it could not be started and may be tried again. */
async function doTask(agora: Agora, handler: TaskHandler, assigned: Task, options: Settled): Promise<boolean> {
  const task = await start(agora, assigned, options);
  if (task === null) return false;
  // Two steps, so that a handler told to stop can still use its sandbox until its grace is over.
  const stopping = new AbortController();
  const over = new AbortController();
  over.signal.addEventListener('abort', () => stopping.abort(over.signal.reason), { once: true });
  const startedAt = performance.now();
  try {
    const sandbox = sandboxOf(agora, task.id, over);
    const progress = progressOf(agora, task, over, options);
    const attempt = async () => {
      const work = handler({ task, sandbox, progress, signal: stopping.signal });
      const output = await withinGrace(work, stopping, options);
      const executionTimeMs = Math.round(performance.now() - startedAt);
      await agora.tasks.complete(task.id, { output, executionTimeMs }, { maxRetries: endRetries });
    };
    await attempt().catch(async (error) => {
      if (!isLost(error) || options.signal.aborted) throw error;
      options.onError(error, task);
      // Afresh, so that nothing is delivered which the lost sandbox alone had.
      await agora.sandbox.destroy(task.id);
      await agora.sandbox.provision(task.id);
      await attempt();
    });
  } catch (error) {
    await endAfter(agora, task, error, options);
  } finally {
    over.abort();
  }
  return true;
}

/** The started task, or null. Not bound to the stop signal: a start cut short would leave the task executing. */
async function start(agora: Agora, task: Task, options: Settled): Promise<Task | null> {
  try {
    const { data } = await agora.sandbox.provision(task.id);
    if (options.signal.aborted) return null;
    return await agora.tasks.start(task.id, { sandboxId: data.sandboxId });
  } catch (error) {
    if (isMovedOn(error) || isNoParty(error)) return null;
    options.onError(error, task);
    // The lost reply may have been a yes; then the task is executing and has to be ended.
    if (isTransient(error)) await fail(agora, task, 'The agent could not start the task', error, options);
    return null;
  }
}

/** The handler's output. Once the worker stops, the handler sees the signal and has the grace time left. */
function withinGrace(
  work: Promise<Record<string, unknown>>,
  stopping: AbortController,
  { signal, graceMs }: Settled,
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      stopping.abort(signal.reason);
      timer = setTimeout(() => reject(new Error(stoppedReason)), graceMs);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}

/**
 * Ends a task whose handler threw or whose delivery was refused. A conflict is no proof that the task is ended: it may
 * come from some other task that the handler works with. So the end is always reported, and may find it ended already.
 */
async function endAfter(agora: Agora, task: Task, error: unknown, options: Settled): Promise<void> {
  if (error instanceof AgoraError && !isMovedOn(error)) options.onError(error, task);
  const stopped = options.signal.aborted && error === options.signal.reason;
  const tooLarge = error instanceof PayloadTooLargeError ? 'The output is too large' : messageOf(error);
  await fail(agora, task, stopped ? stoppedReason : tooLarge, error, options);
}

async function fail(agora: Agora, task: Task, reason: string, error: unknown, options: Settled): Promise<void> {
  try {
    const body = { reason: tidy(reason, 200) || 'The agent failed', errorMessage: tidy(messageOf(error), 10_000) };
    await agora.tasks.fail(task.id, body, { maxRetries: endRetries });
  } catch (failure) {
    if (!isMovedOn(failure)) options.onError(failure, task);
  }
}

const isMovedOn = (error: unknown) => error instanceof ConflictError && error.code === 'TASK_WRONG_STATE';

const isLost = (error: unknown) => error instanceof ConflictError && error.code === 'SANDBOX_LOST';

const isNoParty = (error: unknown) => error instanceof PermissionDeniedError && error.code === 'NOT_A_PARTY';

const messageOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));

/** Text the server takes: without NUL and half characters, which JSON can carry and a database cannot. */
function tidy(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength).replaceAll('\0', '');
  return cut.replace(/\p{Surrogate}/gu, '\u{fffd}').trim();
}

/** Notes of one task. Like its sandbox's calls, they fire `over` when the task turns out to be gone. */
const progressOf =
  (agora: Agora, task: Task, over: AbortController, options: Settled): Work['progress'] =>
  async (note) => {
    try {
      await agora.tasks.progress(task.id, note, { signal: over.signal, maxRetries: 0 });
    } catch (error) {
      if (over.signal.aborted) return;
      if (isMovedOn(error)) over.abort(error);
      options.onError(error, task);
    }
  };

/** The calls of one task's sandbox. They end with `over`, which they fire when the task turns out to be gone. */
function sandboxOf(agora: Agora, taskId: string, over: AbortController): TaskSandbox {
  const options = { signal: over.signal };
  const call = async <T>(reply: Promise<{ data: T }>): Promise<T> => {
    try {
      return (await reply).data;
    } catch (error) {
      if (isMovedOn(error)) over.abort(error);
      throw error;
    }
  };
  return {
    exec: (command, settings = {}) => call(agora.sandbox.exec(taskId, { ...settings, command }, options)),
    list: async (path) => (await call(agora.sandbox.list(taskId, path === undefined ? {} : { path }, options))).entries,
    read: (path) => call(agora.sandbox.read(taskId, { path }, options)),
    write: async (path, content, settings = {}) => {
      await call(agora.sandbox.write(taskId, { ...settings, path, content }, options));
    },
  };
}
