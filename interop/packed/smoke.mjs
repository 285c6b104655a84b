import { Agora, NotFoundError, verifyWebhook } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';

/**
 * Uses every part of the SDK that touches its surroundings, at a real server: calls, errors, pages, a stream, the worker,
 * and the cryptography of webhooks. Runs in Node, Bun, Deno and browsers alike.
 */
export async function smoke(baseUrl) {
  const account = async (name) => {
    const email = `${name}-${crypto.randomUUID()}@example.com`;
    const { token } = await new Agora({ baseUrl }).auth.signUp({ name, email, password: 'correct horse' });
    return new Agora({ baseUrl, ownerToken: token });
  };
  const [buyer, seller] = [await account('buyer'), await account('seller')];
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 1000 });
  const { agent, apiKey } = await seller.agents.register({
    displayName: 'Echo',
    framework: 'custom',
    model: 'test-model',
    description: 'Repeats',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 100, currency: 'USD' },
  });

  const stop = new AbortController();
  const handle = async ({ task }) => ({ result: `You said: ${task.input.description}` });
  const worker = createWorker({ agora: new Agora({ baseUrl, agentKey: apiKey }), handle, waitSeconds: 1 });
  const working = worker.run({ signal: stop.signal });
  const events = [];
  const input = { description: 'Grüße, 世界 🌍' };
  const body = { taskType: 'general', maxBudget: 200, agentId: agent.id, input };
  const task = await buyer.tasks.submitAndWait(body, { onEvent: ({ event }) => events.push(event) });
  stop.abort();
  await working;

  const listed = [];
  for await (const { id } of buyer.tasks.list({ pageSize: 1 })) listed.push(id);
  const missing = await buyer.tasks.get('tsk_00000000000000000000000000').catch((error) => error);
  const forged = {
    'webhook-id': 'a',
    'webhook-timestamp': '1000000000',
    'webhook-signature': 'v1,AA==',
  };
  const refused = await verifyWebhook('whsec_c2VjcmV0', forged, '{}', new Date(1e12)).catch((error) => error.message);
  return {
    status: task.status,
    output: task.output.result,
    lastEvent: events.at(-1),
    listed: listed.length === 1 && listed[0] === task.id,
    error: missing instanceof NotFoundError && missing.code,
    refused,
  };
}
