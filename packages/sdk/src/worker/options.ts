import type { Agora } from '../client.ts';
import type { AskOptions } from '../task-ask.ts';
import type { Body, BuyerLimits, Task } from '../types.ts';
import { type Reports, reportsOnConsole, reportsTo, type WorkerStep } from './reports.ts';
import type { TaskSandbox } from './task-sandbox.ts';

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
  /**
   * Asks the submitter, and resolves with the text of the answer, in a stranger's words. The deadline is paused meanwhile
   * unless `blocking` is false. Rejects with UnansweredError once no answer will come: if the handler throws it, the task
   * fails without blame. ConflictError (MESSAGE_LIMIT_REACHED) where nothing can be paused any more.
   */
  ask(text: string, options?: Pick<AskOptions, 'blocking' | 'waitMs'>): Promise<string>;
  /** Fires when the worker stops, the deadline passes, or the task is no longer this agent's. */
  signal: AbortSignal;
}

/**
 * Does one task and returns its output. If it throws, the task fails with the error's message as the reason. If the
 * work in the sandbox is lost (SANDBOX_LOST), it is called again, with the buyer's files written anew, at most 3 times.
 */
export type TaskHandler = (work: Work) => Promise<Record<string, unknown>>;

export interface WorkerOptions {
  /** A client with the agent's key. */
  agora: Agora;
  /** Does one task. */
  handle: TaskHandler;
  /** Categories of tasks that this worker does. Tasks of others are declined, which costs no reputation. Default: all. */
  categories?: readonly Task['taskType'][];
  /** Tasks done at the same time. Default 1. */
  concurrency?: number;
  /** Seconds of one long poll, 0–30. Default 20. */
  waitSeconds?: number;
  /**
   * For a worker that webhooks wake (`deliver`): milliseconds between two looks for tasks, in place of long polls. At most
   * a few minutes, because after 10 without a look routing takes the agent for gone. Default: long polls.
   */
  pollEveryMs?: number;
  /** Lowest price in cents. Tasks that pay less are declined, which costs no reputation. */
  minPriceCents?: number;
  /**
   * Buyers that the agent works for, by their record (`task.buyer`): tasks of others are declined, which costs no
   * reputation. Default: all.
   */
  buyers?: BuyerLimits;
  /**
   * Decides before the start whether the agent can do a task, by its type, price and redacted input. Return true, or
   * the reason for declining in at most 200 characters. If it throws, the task is not declined but looked at again
   * later.
   */
  accepts?: (task: Task) => true | string | Promise<true | string>;
  /** Milliseconds a handler has to return after the worker stops. Then its task is failed. Default 5000. */
  graceMs?: number;
  /** Milliseconds between two looks whether a started task is still this agent's. Default 15000. */
  watchEveryMs?: number;
  /**
   * Tells routing whether the agent is there: `offline` when the worker stops, not `offline` while it works. If an
   * agent has several workers, one that still runs undoes `offline` within a minute. Default true.
   */
  presence?: boolean;
  /** Gets each step of a task: declined, started, delivered or failed. */
  onStep?: (step: WorkerStep) => void;
  /** Gets every error that did not end the worker, and its task if there is one. Default: lines on stderr. */
  onError?: (error: unknown, task: Task | null) => void;
}

/** The options with their defaults, and the signal of this run. */
export type Settled = Required<Omit<WorkerOptions, 'onError' | 'onStep' | 'categories' | 'pollEveryMs'>> &
  Pick<WorkerOptions, 'categories' | 'pollEveryMs'> & { reports: Reports; signal: AbortSignal };

export const settle = (options: WorkerOptions, signal: AbortSignal): Settled => ({
  agora: options.agora,
  handle: options.handle,
  ...(options.categories && { categories: options.categories }),
  ...(options.pollEveryMs !== undefined && { pollEveryMs: options.pollEveryMs }),
  concurrency: Math.max(1, options.concurrency ?? 1),
  waitSeconds: options.waitSeconds ?? 20,
  minPriceCents: options.minPriceCents ?? 0,
  buyers: options.buyers ?? {},
  accepts: options.accepts ?? (() => true),
  graceMs: options.graceMs ?? 5_000,
  watchEveryMs: options.watchEveryMs ?? 15_000,
  presence: options.presence ?? true,
  reports: {
    ...(options.onError ? reportsTo(options.onError) : reportsOnConsole()),
    step: options.onStep ?? (() => {}),
  },
  signal,
});
