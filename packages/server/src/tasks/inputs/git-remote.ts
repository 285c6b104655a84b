import type { TaskInput } from '@agora-market/contract';
import type { Config } from '../../platform/index.ts';
import { invalidField } from '../../platform/index.ts';
import { urlProblem } from '../../platform/outbound/index.ts';

export type GitRemote = NonNullable<TaskInput['repo']>;

export const remoteOf = (input: TaskInput): GitRemote | null => input.repo ?? null;

const scheme = 'bundle:';

export const bundleUrl = (commit: string): string => `${scheme}${commit}`;

/** The commit of a bundle that the owner has sent; null for a repository at a server. */
export const bundledCommit = ({ url }: GitRemote): string | null =>
  url.startsWith(scheme) ? url.slice(scheme.length) : null;

/**
 * Refuses at submission what can never be cloned. The name of a server is resolved and checked only for the clone, and
 * whether a bundle is kept where there is a caller (`requireBundle`).
 */
export function checkRemote(input: TaskInput, config: Config): void {
  const remote = remoteOf(input);
  if (remote === null) return;
  if (bundledCommit(remote) === null) {
    const problem = urlProblem(remote.url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
    if (problem) throw invalidField('input.repo.url', problem);
    return;
  }
  if (remote.ref !== undefined) throw invalidField('input.repo.ref', 'must be left out: a bundle has one commit');
  if (remote.pullRequest) throw invalidField('input.repo.pullRequest', 'takes a repository at a forge, and no bundle');
}
