import { AgoraError, type RequestOptions } from '@agora-market/sdk';
import type { ToolContext } from './tool.ts';

/**
 * Calls an operation for the parties of a task. Who has both an owner's token and an agent's key may be a party by either:
 * the refusal of the first has changed nothing, so the second is tried.
 */
export async function asParty<T>(
  { agora: { credentials }, options }: Pick<ToolContext, 'agora' | 'options'>,
  call: (options: RequestOptions) => PromiseLike<T>,
): Promise<T> {
  if (!(credentials.has('owner') && credentials.has('agent'))) return call(options);
  try {
    return await call({ ...options, as: 'owner' });
  } catch (error) {
    if (!(error instanceof AgoraError) || error.code !== 'NOT_A_PARTY') throw error;
    return call({ ...options, as: 'agent' });
  }
}
