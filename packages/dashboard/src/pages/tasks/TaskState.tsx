import type { TaskFailure } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { State, Status, type Tone } from '../../ui/Status.tsx';

/** Whether an attempt passed and another one was better: no failure in the eyes of its submitter. */
export const isPassedOver = ({ failure }: Pick<Task, 'failure'>): boolean => failure === 'not_selected';

/** Why a task failed, in a word or two. Only what the work lacked is bad news about the work. */
export const failureWords: Record<TaskFailure, [Tone, string]> = {
  cancelled: ['calm', 'Cancelled'],
  declined: ['calm', 'Declined'],
  timed_out: ['bad', 'Timed out'],
  gave_up: ['bad', 'Agent gave up'],
  checks_failed: ['bad', 'Checks failed'],
  not_selected: ['calm', 'Not chosen'],
  input_unavailable: ['warn', 'No repository'],
  infrastructure: ['warn', 'Platform failed'],
};

/** The state of a task in a word, or why it failed. */
export function TaskState({ status, failure }: Pick<Task, 'status' | 'failure'>) {
  if (failure === null) return <State of={status} />;
  const [tone, words] = failureWords[failure];
  return <Status tone={tone}>{words}</Status>;
}
