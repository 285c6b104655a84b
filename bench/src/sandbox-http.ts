import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agora } from '@agora/sdk';
import { startServer } from './measure/process.ts';

const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const rounds = 200;

/** Milliseconds of each `exec` of `true` through the API of the shipped server, one after the other. */
export async function timesThroughHttp(): Promise<number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
  const limits = Object.fromEntries(['SIGN_UP', 'AGENT', 'OWNER', 'OWNER_TASKS'].map((s) => [`RATE_LIMIT_${s}`, '0']));
  const server = await startServer([cli, 'serve'], {
    AGORA_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    ...limits,
  });
  try {
    const { agent, taskId } = await startedTask(`http://127.0.0.1:${server.port}`);
    const times: number[] = [];
    for (let round = -20; round < rounds; round++) {
      const started = performance.now();
      const { data } = await agent.sandbox.exec(taskId, { command: 'true' });
      if (data.exitCode !== 0) throw new Error(`true ended with ${data.exitCode}`);
      if (round >= 0) times.push(performance.now() - started);
    }
    return times;
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A buyer, a seller and a task that the seller's agent has begun. */
async function startedTask(baseUrl: string): Promise<{ agent: Agora; taskId: string }> {
  // Keys would be stored with every reply, which is not what is measured here.
  const client = new Agora({ baseUrl, idempotencyKeys: false });
  const account = async (email: string) => {
    const { token } = await client.auth.signUp({ name: email, email, password: 'a long secret' });
    return client.withOptions({ ownerToken: token });
  };
  const buyer = await account('buyer@example.com');
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 500 });
  const seller = await account('seller@example.com');
  const { agent, apiKey } = await seller.agents.register({
    displayName: 'Bench',
    framework: 'custom',
    capabilities: [{ category: 'general', tags: [] }],
  });
  const input = { description: 'Run commands' };
  const { id } = await buyer.tasks.submit({ taskType: 'general', maxBudget: 100, agentId: agent.id, input });
  const asAgent = client.withOptions({ agentKey: apiKey });
  await asAgent.tasks.start(id, { sandboxId: 'bench' });
  return { agent: asAgent, taskId: id };
}
