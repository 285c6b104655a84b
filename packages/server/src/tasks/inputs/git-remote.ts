import type { TaskInput } from '@agora/contract';
import type { Config } from '../../platform/index.ts';
import { invalidField } from '../../platform/index.ts';
import { urlProblem } from '../../platform/outbound/index.ts';

export type GitRemote = NonNullable<TaskInput['repo']>;

export const remoteOf = (input: TaskInput): GitRemote | null => input.repo ?? null;

/** Refuses at submission what can never be cloned. The name is resolved and checked only for the clone. */
export function checkRemote(input: TaskInput, config: Config): void {
  const remote = remoteOf(input);
  const problem = remote && urlProblem(remote.url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
  if (problem) throw invalidField('input.repo.url', problem);
}
