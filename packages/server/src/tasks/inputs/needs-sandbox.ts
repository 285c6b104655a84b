import type { TaskInput } from '@agora-market/contract';
import { type AgentCaller, ApiError, type OwnerCaller } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { planOf } from '../groups/plan.ts';

/** Keys of an input that reach the agent, or measure its work, only in a sandbox. */
function sandboxed({ code, files, repo, acceptance, environment }: TaskInput): string[] {
  const held = acceptance as { checks?: unknown[]; files?: object } | undefined;
  const parts = {
    'input.code': code !== undefined,
    'input.files': Object.keys(files ?? {}).length > 0,
    'input.repo': repo !== undefined,
    'input.environment': environment !== undefined,
    'input.acceptance.checks': (held?.checks ?? []).length > 0,
    'input.acceptance.files': Object.keys(held?.files ?? {}).length > 0,
  };
  return Object.entries(parts).flatMap(([path, isGiven]) => (isGiven ? path : []));
}

/** Refuses a task that nobody could work on or measure here, before anything is held. Other tasks are accepted. */
export async function refuseWithoutSandbox(
  { sandboxState, environments, pool }: Pick<TaskDeps, 'sandboxState' | 'environments' | 'pool'>,
  caller: OwnerCaller | AgentCaller,
  input: TaskInput,
): Promise<void> {
  const needs = sandboxed(input);
  if (needs.length === 0) return;
  const { available, detail } = await sandboxState();
  if (available) return environments.require(input.environment, () => planOf(pool, caller));
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `${needs.join(', ')} ${needs.length === 1 ? 'needs' : 'need'} a sandbox. This server cannot start one: ${detail}`,
    { needs, reason: detail },
  );
}
