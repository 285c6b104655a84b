import { Agora, type TaskStreamEvent } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from './server-process.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation();
  await installation.start();
});
afterAll(() => installation?.remove());

/** A client that finds the server wherever it listens after its last start. */
const client = (credentials: { ownerToken?: string; agentKey?: string } = {}) =>
  new Agora({
    baseUrl: 'http://agora.test',
    ...credentials,
    fetch: (input, init) =>
      fetch(String(input).replace('http://agora.test', installation.url() ?? 'http://127.0.0.1:1'), init),
  });

async function owner(name: string): Promise<Agora> {
  const { token } = await client().auth.signUp({ name, email: `${name}@example.com`, password: 'correct horse' });
  return client({ ownerToken: token });
}

test('a stream lives through kills of the server: every event once, in order, to the end', async () => {
  const [buyer, seller] = await Promise.all([owner('buyer'), owner('seller')]);
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 5_000 });
  const { agent, apiKey } = await seller.agents.register({
    displayName: 'Worker',
    framework: 'custom',
    model: 'any',
    description: 'Works on',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 1000, currency: 'USD' },
  });
  const worker = client({ agentKey: apiKey });
  const input = { description: 'Write a haiku about ledgers' };
  const { id } = await buyer.tasks.submit({ taskType: 'general', maxBudget: 1000, input, agentId: agent.id });
  await worker.tasks.start(id, { sandboxId: 'mine' });

  const seen: TaskStreamEvent[] = [];
  const following = (async () => {
    for await (const event of buyer.tasks.stream(id)) seen.push(event);
  })();
  for (const percent of [25, 50, 75]) {
    await worker.tasks.progress(id, { percent });
    await expect.poll(() => seen.at(-1)?.data).toMatchObject({ percent });
    await installation.end('SIGKILL');
    await installation.start();
    // Told before the stream is back.
    await worker.tasks.progress(id, { percent: percent + 1 });
  }
  await worker.tasks.complete(id, { output: { result: 'Debits and credits\nmeet at the end of the day' } });
  await following;
  expect(seen.map((event) => ('percent' in event.data ? event.data.percent : event.event))).toEqual([
    ...['status', 'status', 25, 26, 50, 51, 75, 76, 'status', 'status', 'complete'],
  ]);
  const replayed: TaskStreamEvent[] = [];
  for await (const event of buyer.tasks.stream(id)) replayed.push(event);
  expect(seen).toEqual(replayed);
});
