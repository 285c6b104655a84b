import { failuresBeforeSuspension } from '@agora-market/contract';
import type { Agora } from '@agora-market/sdk';
import type { WorkerStep } from '@agora-market/sdk/worker';
import type { Log } from './log.ts';

/** A verdict that takes longer is not waited for. */
const verdictMs = 600_000;

/** What a failure does to the agent, by who answers for it. docs/reputation.md has the whole of it. */
const effects: Record<string, string> = {
  agent: `It counts against the agent; ${failuresBeforeSuspension} such failures in a row suspend it.`,
  buyer: 'Only what the buyer measures by failed it: it counts once for this buyer, by the weight of its word.',
  platform: 'The platform could not do its part: it does not count against the agent.',
};

/** Tells what became of tasks: of those that fail also why, in the platform's words, and what it does to the agent. */
export interface Fates {
  step(step: WorkerStep): void;
  /** Resolves when all is told that is known. */
  told(): Promise<unknown>;
}

export function createFates(agora: Agora, log: Log, signal: AbortSignal): Fates {
  const open = new Set<Promise<void>>();
  const follow = (work: Promise<void>) => {
    open.add(work);
    void work.finally(() => open.delete(work));
  };

  async function tellFailure(taskId: string, reason: string): Promise<void> {
    const told = await failureOf(taskId).catch(() => ({ reason }));
    log.line('failed', { task: taskId, ...told });
  }

  /** The gate may still reject what was delivered. A worker that stops leaves that to the server. */
  async function tellVerdict(taskId: string): Promise<void> {
    try {
      const { status } = await agora.tasks.wait(taskId, { waitMs: verdictMs, signal });
      if (status === 'failed') log.line('failed', { task: taskId, ...(await failureOf(taskId)) });
    } catch {
      // It is no matter of the work, which is delivered.
    }
  }

  async function failureOf(taskId: string) {
    const [task, { data: events }] = await Promise.all([agora.tasks.get(taskId), agora.tasks.events(taskId)]);
    const answerable = events.findLast(({ eventType }) => eventType === 'task.failed')?.data.answerable;
    return {
      reason: task.reason ?? undefined,
      message: task.errorMessage === task.reason ? undefined : (task.errorMessage ?? undefined),
      effect: effects[String(answerable)],
    };
  }

  return {
    step(step) {
      if (step.step === 'failed') return follow(tellFailure(step.task.id, step.reason));
      log.step(step);
      if (step.step === 'delivered') follow(tellVerdict(step.task.id));
    },
    told: () => Promise.all(open),
  };
}
