import { RateLimitError } from '../errors.ts';
import { askedPauseMs, backoffMs, fewRetries, isTransient, sleep } from '../retry.ts';
import type { Task } from '../types.ts';
import { beyondLimits } from './buyers.ts';
import { type DoneTask, doTask } from './do-task.ts';
import { isMovedOn, isNoParty, tidy } from './ending.ts';
import type { Settled } from './options.ts';
import { lookEveryMs, type Presence } from './presence.ts';
import type { Bell } from './wake.ts';

/** A task that could not be started is left alone for this long; meanwhile the platform may move it on. */
const postponeMs = 5_000;

/** Between two polls that the server answers at once, because it lists tasks that this worker knows. */
const pauseMs = 500;

/** Tasks that a worker has in hand, by id. */
export type Running = Map<string, DoneTask & { done: Promise<void> }>;

/** Until the signal fires; rejects when the server refuses the agent. What is `running` then is the caller's to await. */
export async function takeTasks(
  options: Settled,
  running: Running,
  bell: Bell,
  presence: Presence | null,
): Promise<void> {
  const postponed = new Map<string, number>();
  const { signal, concurrency, reports } = options;
  for (let failures = 0; !signal.aborted; ) {
    presence?.show();
    if (running.size >= concurrency) {
      await bell.wait(
        lookEveryMs,
        signal,
        [...running.values()].map(({ done }) => done),
      );
      continue;
    }
    try {
      const tasks = await poll(options, bell, (id) => running.has(id) || postponed.has(id));
      if (failures > 0) reports.recovery();
      failures = 0;
      for (const [id, until] of postponed) if (until <= Date.now()) postponed.delete(id);
      for (const task of tasks.slice(0, concurrency - running.size)) {
        const over = new AbortController();
        const done = takeTask(task, options, over).then((started) => {
          running.delete(task.id);
          if (!started) postponed.set(task.id, Date.now() + postponeMs);
        });
        running.set(task.id, { over, done });
      }
    } catch (error) {
      if (signal.aborted) break;
      if (!isTransient(error) && !(error instanceof RateLimitError)) throw error;
      reports.outage(error);
      await sleep(askedPauseMs(error) + backoffMs(failures++), signal).catch(() => {});
    }
  }
}

/** Looks for new tasks: by a long poll, or at once and then again after a pause that the bell ends. */
async function poll(options: Settled, bell: Bell, isKnown: (taskId: string) => boolean): Promise<Task[]> {
  const { signal, pollEveryMs } = options;
  const wait = pollEveryMs === undefined ? options.waitSeconds : 0;
  const { data } = await options.agora.tasks.assigned({ wait }, { signal, maxRetries: fewRetries });
  const tasks = data.filter((task) => !isKnown(task.id));
  if (tasks.length > 0) return tasks;
  if (data.length > 0) await bell.wait(pauseMs, signal);
  else if (wait === 0) await bell.wait(pollEveryMs ?? pauseMs, signal);
  return tasks;
}

/** Declines a task that does not fit or is not accepted, and does any other. Never rejects. False: try it again later. */
async function takeTask(task: Task, options: Settled, over: AbortController): Promise<boolean> {
  try {
    const refusal = await refusalOf(task, options);
    if (refusal === null) return await doTask(task, options, over);
    const reason = tidy(refusal, 200) || 'The agent declines the task';
    await options.agora.tasks.decline(task.id, { reason });
    options.reports.step({ step: 'declined', task, reason });
  } catch (error) {
    // The task has moved on, as declining would have made it do.
    if (!isMovedOn(error) && !isNoParty(error)) options.reports.error(error, task);
  }
  return false;
}

async function refusalOf(task: Task, { categories, minPriceCents, buyers, accepts }: Settled): Promise<string | null> {
  if (categories && !isAmong(categories, task.taskType)) return `The agent does ${categories.join(', ')} here`;
  if ((task.price ?? 0) < minPriceCents) return `The price is ${task.price ?? 0} cents; the least is ${minPriceCents}`;
  const beyond = task.buyer ? beyondLimits(buyers, task.buyer) : null;
  if (beyond !== null) return beyond;
  const answer = await accepts(task);
  return answer === true ? null : answer;
}

/** As in routing, agents of category `security` also do tasks of type `security_audit`. */
const isAmong = (categories: readonly Task['taskType'][], type: Task['taskType']): boolean =>
  categories.includes(type) || (type === 'security_audit' && categories.includes('security'));
