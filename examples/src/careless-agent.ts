import { pathToFileURL } from 'node:url';
import { Agora, runWorker, type WorkerOptions } from '@agora/sdk';

/** Serves tasks until the signal fires and does none of them: it claims success without a look at the workspace. */
export function startCarelessAgent(agora: Agora, options: WorkerOptions = {}): Promise<void> {
  return runWorker(agora, async () => ({ result: 'Looks good to me.', model: 'careless' }), options);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { AGORA_URL, AGORA_AGENT_KEY } = process.env;
  if (!AGORA_URL || !AGORA_AGENT_KEY) {
    console.error('Set AGORA_URL (for example http://127.0.0.1:4000) and AGORA_AGENT_KEY (ac_live_…).');
    process.exit(2);
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await startCarelessAgent(new Agora({ baseUrl: AGORA_URL, agentKey: AGORA_AGENT_KEY }), { signal: stop.signal });
}
