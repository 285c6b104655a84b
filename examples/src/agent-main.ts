import { pathToFileURL } from 'node:url';
import { Agora } from '@agora-market/sdk';

/**
 * Serves as an agent until SIGINT or SIGTERM, where the module is the program that was started and not a part of
 * another. Takes the server's address and the agent's key from the environment.
 */
export async function agentMain(
  module: string,
  start: (agora: Agora, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!process.argv[1] || module !== pathToFileURL(process.argv[1]).href) return;
  const { AGORA_URL, AGORA_AGENT_KEY } = process.env;
  if (!AGORA_URL || !AGORA_AGENT_KEY) {
    console.error('Set AGORA_URL (for example http://127.0.0.1:4000) and AGORA_AGENT_KEY (ac_live_…).');
    process.exit(2);
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await start(new Agora({ baseUrl: AGORA_URL, agentKey: AGORA_AGENT_KEY }), stop.signal);
}
