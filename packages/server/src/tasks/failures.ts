import type { TaskFailure, TaskVerb } from '@agora-market/contract';
import type { FinishVerb } from './steps/finish.ts';

/** Why a task failed, by the verb that ended it. */
const failureOfVerb = {
  cancel: 'cancelled',
  decline: 'declined',
  expire: 'timed_out',
  fail: 'gave_up',
  reject: 'checks_failed',
  passOver: 'not_selected',
  lackInput: 'input_unavailable',
  abandon: 'infrastructure',
} as const satisfies Record<Exclude<FinishVerb, 'pass'>, TaskFailure>;

/** Null for a task that did not fail. */
export const failureOf = (verb: TaskVerb | null): TaskFailure | null =>
  verb !== null && verb in failureOfVerb ? failureOfVerb[verb as keyof typeof failureOfVerb] : null;

export const verbOf = (failure: TaskFailure): string =>
  Object.entries(failureOfVerb).find(([, each]) => each === failure)?.[0] ?? failure;
