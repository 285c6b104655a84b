import type { Config } from '../../platform/index.ts';
import { invalidField } from '../../platform/index.ts';
import { urlProblem } from '../../platform/outbound/index.ts';

export interface RepositoryInput {
  url: string;
  ref?: string;
}

export const repositoryOf = (input: Record<string, unknown>): RepositoryInput | null =>
  (input.repo as RepositoryInput | undefined) ?? null;

/** Refuses at submission what no clone could come of; the name is resolved, and judged, only when it is cloned. */
export function checkRepository(input: Record<string, unknown>, config: Config): void {
  const repository = repositoryOf(input);
  const problem = repository && urlProblem(repository.url, { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK });
  if (problem) throw invalidField('input.repo.url', problem);
}
