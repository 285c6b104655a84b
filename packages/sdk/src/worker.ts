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
import { stoppedReason, withinGrace } from './grace.ts';
import { Presence } from './presence.ts';
import { backoffMs, isTransient, sleep } from './retry.ts';
import { type TaskSandbox, taskSandbox } from './task-sandbox.ts';
import type { Body, Task } from './types.ts';
import { messageOf, type Reports, reportsOnConsole, reportsTo } from './worker-reports.ts';

/** What a handler gets. */
export interface Work {
  /** The started task with its whole input. */
  task: Task;
  sandbox: TaskSandbox;
  /**
   * Reports progress to both parties. It never rejects and need not be awaited. If the server refuses a note, for
   * example above 30 a minute, `onError` gets the error.
   */
  progress(note: Body<'tasks.progress'>): Promise<void>;
  /** Fires when the worker stops or the task is no longer this agent's. */
  signal: AbortSignal;
}

/**
 * Does one task and returns its output. If it throws, the task fails with the error's message as the reason. If the
 * work in the sandbox is lost (SANDBOX_LOST), it is called again, with the buyer's files written anew, at most 3 times.
 */
export type TaskHandler = (work: Work) => Promise<Record<string, unknown>>;

export interface WorkerOptions {
  /** Stops the worker: it takes no new task, handlers get the signal, and every started task is ended. */
  signal?: AbortSignal;
  /** Tasks done at the same time. Default 1. */
  concurrency?: number;
  /** Seconds of one long poll, 0–30. Default 20. */
  waitSeconds?: number;
  /** Lowest price in cents. Tasks that pay less are declined, which costs no reputation. */
  minPriceCents?: number;
  /**
   * Decides before the start whether the agent can do a task, by its type, price and redacted input. Return true, or
   * the reason for declining in at most 200 characters. If it throws, the task is not declined but looked at again
   * later.
   */
  accepts?: (task: Task) => true | string | Promise<true | string>;
  /** Milliseconds a handler has to return after the worker stops. Then its task is failed. Default 5000. */
  graceMs?: number;
  /**
   * Tells routing whether the agent is there: `offline` when the worker stops, not `offline` while it works. If an
   * agent has several workers, one that still runs undoes `offline` within a minute. Default true.
   */
  presence?: boolean;
  /** Gets every error that did not end the worker, and its task if there is one. Default: lines on stderr. */
  onError?: (error: unknown, task: Task | null) => void;
}

/** A task that could not be started is left alone for this long; meanwhile the platform may move it on. */
const postponeMs = 5_000;

/**
 * The end of a task is retried more often than other calls, because an unreported end blocks both parties. A server that
 * was killed asks for a second's patience each time, and may take half a minute to come back.
 */
const endRetries = 40;

/** How often a handler begins again whose work was lost: its server may be killed in each round of a hasty update. */
const maxRestarts = 3;

type Settled = Required<Omit<WorkerOptions, 'onError' | 'presence'>> & { reports: Reports };

/**
 * Takes tasks assigned to the agent, starts each in its sandbox, calls `handler` and delivers what it returns, until
 * the signal fires. Then it resolves once every started task is ended. Rejects if the client has no agent key, or if
 * the server refuses the key (AuthenticationError, for example after a rotation), also after every started task is
 * ended. If the end of a task cannot be reported, for example because the process was killed, the task ends by its
 * deadline.
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

/** Waits for new tasks. With known tasks the server answers at once, so without new ones there is a pause. */
async function poll(agora: Agora, options: Settled, isKnown: (taskId: string) => boolean): Promise<Task[]> {
  const page = await agora.tasks.assigned({ wait: options.waitSeconds }, { signal: options.signal });
  const tasks = page.data.filter((task) => !isKnown(task.id));
  if (tasks.length === 0 && (page.data.length > 0 || options.waitSeconds === 0)) await sleep(500, options.signal);
  return tasks;
}

/** Resolves when a running task ends or the signal fires. */
async function untilAny(running: Map<string, Promise<void>>, signal: AbortSignal): Promise<void> {
  let wake = () => {};
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const forget = onAbort(signal, wake);
  await Promise.race([...running.values(), stopped]);
  forget();
}

/** Declines a task that pays too little or is not accepted, and does any other. Never rejects. False: try it again later. */
async function takeTask(agora: Agora, handler: TaskHandler, task: Task, options: Settled): Promise<boolean> {
  try {
    const refusal = await refusalOf(task, options);
    if (refusal === null) return await doTask(agora, handler, task, options);
    await agora.tasks.decline(task.id, { reason: tidy(refusal, 200) || 'The agent declines the task' });
  } catch (error) {
    // The task has moved on, as declining would have made it do.
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
  // Two signals, so that a stopping handler can use its sandbox until its grace time is over.
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
    const attempts = async (restarts: number): Promise<void> => {
      try {
        await attempt();
      } catch (error) {
        if (!isLost(error) || restarts === maxRestarts || options.signal.aborted) throw error;
        options.reports.error(error, task);
        // Start again, so that nothing refers to work in the lost sandbox.
        await agora.sandbox.destroy(task.id);
        await agora.sandbox.provision(task.id);
        await attempts(restarts + 1);
      }
    };
    await attempts(0);
  } catch (error) {
    await endAfter(agora, task, error, options);
  } finally {
    over.abort();
  }
  return true;
}

/**
 * The started task, or null. The stop signal does not interrupt it: a start cut short would leave the task executing.
 */
async function start(agora: Agora, task: Task, options: Settled): Promise<Task | null> {
  try {
    const { data } = await agora.sandbox.provision(task.id);
    if (options.signal.aborted) return null;
    return await agora.tasks.start(task.id, { sandboxId: data.sandboxId });
  } catch (error) {
    if (isMovedOn(error) || isNoParty(error)) return null;
    options.reports.error(error, task);
    // The server may have started the task although no reply came; then it must be ended.
    if (isTransient(error)) await fail(agora, task, 'The agent could not start the task', error, options);
    return null;
  }
}

/**
 * Ends a task whose handler threw or whose delivery was refused. A conflict does not prove that the task has ended: it
 * may concern another task that the handler uses. So the end is always reported, even if the task has ended already.
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

/** Removes NUL and half characters, which JSON can carry but the database cannot. */
function tidy(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength).replaceAll('\0', '');
  return cut.replace(/\p{Surrogate}/gu, '\u{fffd}').trim();
}

/** Progress notes of one task. If the task is gone, they fire `over`, as sandbox calls do. */
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
