import { onAbort } from './abort.ts';
import type { Agora } from './client.ts';
import {
  AgoraError,
  AuthenticationError,
  ConflictError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitError,
} from './errors.ts';
import { Presence } from './presence.ts';
import { backoffMs, isTransient, sleep } from './retry.ts';
import { type TaskSandbox, taskSandbox } from './task-sandbox.ts';
import type { Body, Task } from './types.ts';
import { messageOf, type Reports, reportsOnConsole, reportsTo } from './worker-reports.ts';

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
  /**
   * Whether routing is told that the agent is not there: `offline` when the worker stops, and no longer `offline` while it
   * works. Where several workers serve an agent, those that go on take the word of one that stops back within a minute.
   * Default true.
   */
  presence?: boolean;
  /** Told of every error that did not end the worker, with the task it hit, if any. Default: lines on stderr. */
  onError?: (error: unknown, task: Task | null) => void;
}

/** A task that could not be started is left alone for this long; the platform may move it on in the meantime. */
const postponeMs = 5_000;

/** Reports of a task's end are worth more patience than other calls: an unreported end blocks both parties. */
const endRetries = 5;

const stoppedReason = 'The agent was stopped before it was done';

type Settled = Required<Omit<WorkerOptions, 'onError' | 'presence'>> & { reports: Reports };

/**
 * Takes tasks assigned to the agent, starts each in its sandbox, lets `handler` do it and delivers what it returns, until
 * the signal fires; then resolves once every started task is ended. Rejects when the client has no agent key, and when
 * the server refuses the agent itself (AuthenticationError after its key was rotated), also with every started task
 * ended. A task whose end the server cannot be told, as when the process is killed, ends by its deadline.
 */
export async function runWorker(agora: Agora, handler: TaskHandler, options: WorkerOptions = {}): Promise<void> {
  if (!agora.hasAgentKey) {
    const message = "The worker has no agent key: new Agora({ baseUrl, agentKey: 'ac_live_…' }).";
    throw new AuthenticationError({ status: null, code: 'MISSING_CREDENTIALS', message });
  }
  const settled: Settled = {
    concurrency: Math.max(1, options.concurrency ?? 1),
    waitSeconds: options.waitSeconds ?? 20,
    graceMs: options.graceMs ?? 5_000,
    minPriceCents: options.minPriceCents ?? 0,
    accepts: options.accepts ?? (() => true),
    reports: options.onError ? reportsTo(options.onError) : reportsOnConsole(),
    signal: options.signal ?? new AbortController().signal,
  };
  if (settled.signal.aborted) return;
  const presence = options.presence === false ? null : new Presence(agora);
  const running = new Map<string, Promise<void>>();
  try {
    await takeTasks(agora, handler, settled, running, presence);
  } finally {
    const left = presence?.leave().catch((error) => settled.reports.error(error, null));
    await Promise.all([left, ...running.values()]);
  }
}

/** Until the signal fires; rejects when the server refuses the agent. What is `running` then is the caller's to await. */
async function takeTasks(
  agora: Agora,
  handler: TaskHandler,
  settled: Settled,
  running: Map<string, Promise<void>>,
  presence: Presence | null,
): Promise<void> {
  const postponed = new Map<string, number>();
  for (let failures = 0; !settled.signal.aborted; ) {
    presence?.show();
    if (running.size >= settled.concurrency) {
      await untilAny(running, settled.signal);
      continue;
    }
    try {
      const tasks = await poll(agora, settled, (id) => running.has(id) || postponed.has(id));
      if (failures > 0) settled.reports.recovery();
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
      settled.reports.outage(error);
      const asked = error instanceof RateLimitError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      await sleep(Math.max(asked, backoffMs(failures++)), settled.signal).catch(() => {});
    }
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
  const forget = onAbort(signal, wake);
  await Promise.race([...running.values(), stopped]);
  forget();
}

/** Declines a task that is not worth it or too hard, and does any other; never rejects. False: it may be tried again. */
async function takeTask(agora: Agora, handler: TaskHandler, task: Task, options: Settled): Promise<boolean> {
  try {
    const refusal = await refusalOf(task, options);
    if (refusal === null) return await doTask(agora, handler, task, options);
    await agora.tasks.decline(task.id, { reason: tidy(refusal, 200) || 'The agent declines the task' });
  } catch (error) {
    // It moved on meanwhile, to another agent even: that is what declining is for.
    if (!isMovedOn(error) && !isNoParty(error)) options.reports.error(error, task);
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
    const sandbox = taskSandbox(agora, task.id, over.signal, (error) => {
      if (isMovedOn(error)) over.abort(error);
    });
    const progress = progressOf(agora, task, over, options);
    const attempt = async () => {
      const work = handler({ task, sandbox, progress, signal: stopping.signal });
      const output = await withinGrace(work, stopping, options);
      const executionTimeMs = Math.round(performance.now() - startedAt);
      await agora.tasks.complete(task.id, { output, executionTimeMs }, { maxRetries: endRetries });
    };
    await attempt().catch(async (error) => {
      if (!isLost(error) || options.signal.aborted) throw error;
      options.reports.error(error, task);
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
    options.reports.error(error, task);
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
    const forget = onAbort(signal, stop);
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      forget();
    });
  });
}

/**
 * Ends a task whose handler threw or whose delivery was refused. A conflict is no proof that the task is ended: it may
 * come from some other task that the handler works with. So the end is always reported, and may find it ended already.
 */
async function endAfter(agora: Agora, task: Task, error: unknown, options: Settled): Promise<void> {
  if (error instanceof AgoraError && !isMovedOn(error)) options.reports.error(error, task);
  const stopped = options.signal.aborted && error === options.signal.reason;
  const tooLarge = error instanceof PayloadTooLargeError ? 'The output is too large' : messageOf(error);
  await fail(agora, task, stopped ? stoppedReason : tooLarge, error, options);
}

async function fail(agora: Agora, task: Task, reason: string, error: unknown, options: Settled): Promise<void> {
  try {
    const body = { reason: tidy(reason, 200) || 'The agent failed', errorMessage: tidy(messageOf(error), 10_000) };
    await agora.tasks.fail(task.id, body, { maxRetries: endRetries });
  } catch (failure) {
    if (!isMovedOn(failure)) options.reports.error(failure, task);
  }
}

const isMovedOn = (error: unknown) => error instanceof ConflictError && error.code === 'TASK_WRONG_STATE';

const isLost = (error: unknown) => error instanceof ConflictError && error.code === 'SANDBOX_LOST';

const isNoParty = (error: unknown) => error instanceof PermissionDeniedError && error.code === 'NOT_A_PARTY';

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
      options.reports.error(error, task);
    }
  };
