import type { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import { agentMain } from './agent-main.ts';

/** Serves tasks until the signal fires and does none of them: it claims success without a look at the workspace. */
export function startCarelessAgent(agora: Agora, signal: AbortSignal): Promise<void> {
  const handle = async () => ({ result: 'Looks good to me.', model: 'careless' });
  return createWorker({ agora, handle }).run({ signal });
}

await agentMain(import.meta.url, (agora, signal) => startCarelessAgent(agora, signal));
