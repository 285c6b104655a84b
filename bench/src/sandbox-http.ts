import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agora } from '@agora-market/sdk';
import { startServer } from './measure/process.ts';

const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

export interface Sizes {
  /** Commands in a live sandbox. */
  rounds: number;
  /** Sandboxes started one after the other. */
  starts: number;
}

/** Those that stand ready are replaced in this time, as they would be between tasks that do not come in a crowd. */
const refillMs = 300;

/** Milliseconds of each `provision`, and of each `exec` of `true`, through the API of the shipped server, one by one. */
export async function timesThroughHttp({ rounds, starts }: Sizes): Promise<{ provision: number[]; exec: number[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
  const limits = Object.fromEntries(['SIGN_UP', 'AGENT', 'OWNER', 'OWNER_TASKS'].map((s) => [`RATE_LIMIT_${s}`, '0']));
  const server = await startServer([cli, 'serve'], {
    AGORA_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    ...limits,
  });
  try {
    const { agent, taskId, provision } = await startedTask(`http://127.0.0.1:${server.port}`, starts);
    const times: number[] = [];
    for (let round = -20; round < rounds; round++) {
      const started = performance.now();
      const { data } = await agent.sandbox.exec(taskId, { command: 'true' });
      if (data.exitCode !== 0) throw new Error(`true ended with ${data.exitCode}`);
      if (round >= 0) times.push(performance.now() - started);
    }
    return { provision, exec: times };
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function provisionTimes(agent: Agora, taskId: string, starts: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = -3; round < starts; round++) {
    await new Promise((resolve) => setTimeout(resolve, refillMs));
    const started = performance.now();
    await agent.sandbox.provision(taskId);
    if (round >= 0) times.push(performance.now() - started);
    await agent.sandbox.destroy(taskId);
  }
  return times;
}

/** A buyer, a seller and a task that the seller's agent has begun, after it provisioned a sandbox again and again. */
async function startedTask(
  baseUrl: string,
  starts: number,
): Promise<{ agent: Agora; taskId: string; provision: number[] }> {
  // Keys would be stored with every reply, which is not measured here.
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
  const provision = await provisionTimes(asAgent, id, starts);
  const { data } = await asAgent.sandbox.provision(id);
  await asAgent.tasks.start(id, { sandboxId: data.sandboxId });
  return { agent: asAgent, taskId: id, provision };
}
