import { isTransient } from '../retry.ts';
import type { Task } from '../types.ts';
import { complete, endAfter, fail, isLost, isMovedOn, isNoParty } from './ending.ts';
import { withinGrace } from './grace.ts';
import type { Settled, Work } from './options.ts';
import { taskSandbox } from './task-sandbox.ts';
import { watchTask } from './watch.ts';

/** How often a handler begins again whose work was lost: its server may be killed in each round of a hasty update. */
const maxRestarts = 3;

/** A task that is being done; aborting `over` tells its handler that it is no longer this agent's. */
export interface DoneTask {
  over: AbortController;
}

/** Starts, does and ends one task; never rejects. False: it could not be started and may be tried again. */
export async function doTask(assigned: Task, options: Settled, over: AbortController): Promise<boolean> {
  const task = await start(assigned, options);
  if (task === null) return false;
  // Two signals, so that a stopping handler can use its sandbox until its grace time is over.
  const stopping = new AbortController();
  over.signal.addEventListener('abort', () => stopping.abort(over.signal.reason), { once: true });
  if (over.signal.aborted) stopping.abort(over.signal.reason);
  let unwatch = () => {};
  try {
    // What is called here may be the caller's own and throw; the task must be ended all the same.
    options.reports.step({ step: 'started', task });
    unwatch = watchTask(task, options, over);
    await attempts(task, options, over, stopping);
  } catch (error) {
    await endAfter(task, error, options);
  } finally {
    unwatch();
    over.abort();
  }
  return true;
}

/** Calls the handler and delivers its output, again where the work in the sandbox was lost. */
async function attempts(task: Task, options: Settled, over: AbortController, stopping: AbortController): Promise<void> {
  const { agora, reports } = options;
  const startedAt = performance.now();
  const sandbox = taskSandbox(agora, task.id, over.signal, (error) => {
    if (isMovedOn(error)) over.abort(error);
  });
  const progress = progressOf(task, over, options);
  const attempt = async () => {
    const { signal } = stopping;
    const ask: Work['ask'] = (text, how) => agora.tasks.ask(task.id, text, { ...how, signal });
    const work = options.handle({ task, sandbox, progress: progress.tell, ask, signal });
    const output = await withinGrace(work, stopping, options).finally(progress.told);
    const executionTimeMs = Math.round(performance.now() - startedAt);
    await complete(agora, task, { output, executionTimeMs });
    reports.step({ step: 'delivered', task, executionTimeMs });
  };
  for (let restarts = 0; ; restarts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLost(error) || restarts === maxRestarts || options.signal.aborted) throw error;
      reports.error(error, task);
      // Start again, so that nothing refers to work in the lost sandbox.
      await agora.sandbox.destroy(task.id);
      await agora.sandbox.provision(task.id);
      reports.step({ step: 'restarted', task });
    }
  }
}

/**
 * The started task, or null. The stop signal does not interrupt it: a start cut short would leave the task executing.
 */
async function start(task: Task, options: Settled): Promise<Task | null> {
  const { agora } = options;
  try {
    const { data } = await agora.sandbox.provision(task.id);
    if (options.signal.aborted) return null;
    return await agora.tasks.start(task.id, { sandboxId: data.sandboxId });
  } catch (error) {
    if (isMovedOn(error) || isNoParty(error)) return null;
    options.reports.error(error, task);
    // The server may have started the task although no reply came; then it must be ended.
    if (isTransient(error)) await fail(task, 'The agent could not start the task', error, options);
    return null;
  }
}

/** The longest that a note may take. The task's end waits for notes on their way: after it they would be refused. */
const noteMs = 5_000;

/** Progress notes of one task. If the task is gone, they fire `over`, as sandbox calls do. */
function progressOf(task: Task, over: AbortController, { agora, reports, signal }: Settled) {
  let last: Promise<unknown> = Promise.resolve();
  const send = async (note: Parameters<Work['progress']>[0]) => {
    try {
      await agora.tasks.progress(task.id, note, { signal: over.signal, maxRetries: 0, timeoutMs: noteMs });
    } catch (error) {
      if (over.signal.aborted) return;
      if (isMovedOn(error)) over.abort(error);
      reports.error(error, task);
    }
  };
  const tell: Work['progress'] = (note) => {
    const sent = send(note);
    last = Promise.all([last, sent]);
    return sent;
  };
  // A worker that stops has no time left for notes. What a report of a refused one throws is no failure of the task.
  return { tell, told: async () => (signal.aborted ? undefined : last.catch(() => {})) };
}
