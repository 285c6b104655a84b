import { setTimeout as sleep } from 'node:timers/promises';
import { type Agora, AuthenticationError } from '@agora-market/sdk';
import type { Log } from './log.ts';
import type { Performer } from './performer.ts';

/** Between two looks whether what does the tasks answers again: a second, then twice as long each time, up to this. */
const longestProbePauseMs = 15_000;

/** What waits for longer is declined. Before, another worker of the agent may start it, whose model answers. */
const waitsForMs = 10_000;

/** When a worker takes no task because what does the tasks does not answer. What runs goes on. */
export interface Pauses {
  /** Pauses until what does the tasks answers; resolves then, or when the worker stops. */
  begin(): Promise<void>;
  /** Resolves at once unless there is a pause. */
  end(): Promise<void>;
}

export function createPauses(performer: Performer, agora: Agora, log: Log, signal: AbortSignal): Pauses {
  const hint = [performer.cure, 'It takes tasks again as soon as the model answers.'].filter(Boolean).join(' ');
  let pause: Promise<void> | null = null;

  async function untilItAnswers(): Promise<void> {
    const seen = new Map<string, number>();
    for (let said = '', failures = 0; ; failures++) {
      try {
        await performer.probe?.(signal);
        if (said !== '') log.line('resumed', {});
        return;
      } catch (error) {
        if (signal.aborted) return;
        const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
        if (reason !== said) log.line('paused', { reason, hint });
        said = reason;
      }
      // The next request for tasks ends the worker.
      if ((await declineWaiting(agora, log, seen)) === 'refused') return;
      await sleep(Math.min(longestProbePauseMs, 1_000 * 2 ** failures), undefined, { signal }).catch(() => {});
    }
  }

  return {
    begin() {
      pause ??= untilItAnswers().finally(() => {
        pause = null;
      });
      return pause;
    },
    end: async () => pause ?? undefined,
  };
}

/** Declines what waits for long, by when it was seen first, so that others do it and no task fails here. */
async function declineWaiting(agora: Agora, log: Log, seen: Map<string, number>): Promise<'refused' | undefined> {
  if (!agora.hasAgentKey) return;
  const reason = 'The model of this agent does not answer';
  try {
    const { data } = await agora.tasks.assigned({ wait: 0 });
    const waiting = data.filter(({ startedAt }) => startedAt === null);
    for (const id of seen.keys()) if (!waiting.some((task) => task.id === id)) seen.delete(id);
    for (const task of waiting) {
      const since = seen.get(task.id) ?? performance.now();
      seen.set(task.id, since);
      if (performance.now() - since < waitsForMs) continue;
      await agora.tasks.decline(task.id, { reason });
      log.step({ step: 'declined', task, reason });
    }
  } catch (error) {
    if (error instanceof AuthenticationError) return 'refused';
    log.error(error, null);
  }
}
