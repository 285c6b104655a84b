import { uncountedStatuses, waitingStatuses, workingStatuses } from '@agora-market/contract';
import { defineStep, sqlFile, sqlList, together } from '../../platform/index.ts';
import { missingWork } from '../workspace/sql.ts';
import { type MissingWork, sqlTo, sqlTransitions } from './states.ts';

/** The part of the time to accept `t` that its agent let pass; null where it never started. */
const waited = `round(extract(epoch from t.started_at - t.assigned_at)
  / nullif(extract(epoch from t.accept_by - t.assigned_at), 0), 3)`;

/**
 * How a task ends: the gate passes or rejects it, the agent reports failure or declines it, the submitter cancels it, its
 * time runs out, its repository cannot be had, no gate can run, or another attempt at the task is paid.
 */
const finishVerbs = [
  'pass',
  'reject',
  'fail',
  'expire',
  'decline',
  'cancel',
  'abandon',
  'lackInput',
  'passOver',
] as const;
export type FinishVerb = (typeof finishVerbs)[number];

export interface FinishItem {
  taskId: string;
  verb: FinishVerb;
  /** Set where the caller must be the assigned agent; a task that waits for one has none. */
  agentId: string | null;
  at: string;
  /** Cents of the price; counts for `pass` alone. */
  fee: number;
  payout: number;
  /**
   * Whose matter a failure is. Default: nobody's where the agent gives up because it was not answered in time, else the
   * agent's. What is the platform's, or nobody's, says nothing of the agent.
   */
  answerable?: 'buyer' | 'platform';
  /** When the earnings are released; counts for `pass` alone. */
  releaseAt: string | null;
  /** The agent's, where it reports a failure. */
  reason?: string;
  errorMessage: string | null;
  /** For `pass` and `reject`, unless it is stored already (see `shortlist.ts`). `criteria` and `judge` as the contract's assessment has them. */
  assessment: { id: string; score: number; isMeasured: boolean; criteria: unknown; judge: unknown } | null;
  /** A delivery without a workspace, judged before it was stored: this step logs both transitions, `complete` and its end. */
  delivery?: Delivery;
}

export interface Delivery {
  /** The process that took it. */
  host: string;
  output: unknown;
  declaredScore: number | null;
  executionTimeMs: number | null;
}

export interface FinishOutcome {
  outcome: 'ok' | 'not_party' | 'wrong_state' | MissingWork;
  status: string;
}

/** Ends tasks: settles or releases the hold, stores the assessment, counts the outcome for the agent. */
export const finishStep = defineStep<FinishItem, FinishOutcome>({
  name: 'tasks_finish',
  key: (item) => item.taskId,
  locks: ({ taskId }) => ({ tasks: [taskId], isPaid: true }),
  topics: (item, { outcome }) => (outcome === 'ok' ? [`task:${item.taskId}`] : []),
  sql: sqlFile(import.meta.url, 'finish.sql', {
    working: sqlList(workingStatuses),
    waiting: sqlList(waitingStatuses),
    waited,
    uncounted: sqlList(uncountedStatuses),
    transitions: sqlTransitions(['complete', ...finishVerbs]),
    delivered: sqlTo('complete'),
    missingWork: missingWork('f."taskId"', 'f."agentId"', "(f.delivery ->> 'host')::uuid"),
  }),
});

/** Decides a group: one attempt at the task passes, the others are passed over. */
export const settleStep = together(finishStep);
