import type { TaskInput } from '@agora/contract';
import { ApiError } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';

/** Keys of an input that reach the agent, or measure its work, only in a sandbox. */
function sandboxed({ code, files, repo, acceptance }: TaskInput): string[] {
  const held = acceptance as { checks?: unknown[]; files?: object } | undefined;
  const parts = {
    'input.code': code !== undefined,
    'input.files': Object.keys(files ?? {}).length > 0,
    'input.repo': repo !== undefined,
    'input.acceptance.checks': (held?.checks ?? []).length > 0,
    'input.acceptance.files': Object.keys(held?.files ?? {}).length > 0,
  };
  return Object.entries(parts).flatMap(([path, isGiven]) => (isGiven ? path : []));
}

/** Refuses a task that nobody could work on or measure here, before anything is held. Other tasks are accepted. */
export async function refuseWithoutSandbox({ sandboxState }: Pick<TaskDeps, 'sandboxState'>, input: TaskInput) {
  const needs = sandboxed(input);
  if (needs.length === 0) return;
  const { available, detail } = await sandboxState();
  if (available) return;
  throw new ApiError(
    'SANDBOX_UNAVAILABLE',
    `${needs.join(', ')} ${needs.length === 1 ? 'needs' : 'need'} a sandbox. This server cannot start one: ${detail}`,
    { needs, reason: detail },
  );
}
