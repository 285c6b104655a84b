import { type Agora, runWorker, type WorkerOptions } from '@agora/sdk';
import { agentMain } from './agent-main.ts';

/** Serves tasks until the signal fires and does none of them: it claims success without a look at the workspace. */
export function startCarelessAgent(agora: Agora, options: WorkerOptions = {}): Promise<void> {
  return runWorker(agora, async () => ({ result: 'Looks good to me.', model: 'careless' }), options);
}

await agentMain(import.meta.url, (agora, signal) => startCarelessAgent(agora, { signal }));
