import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hire, makePair } from '../api/scene.ts';
import { makeOwner, type TestServer } from '../support/harness.ts';
import { never, type Receiver, register, startReceiver } from '../webhooks/scene.ts';
import { createInstallation, type Installation } from './server-process.ts';

let server: Installation;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  server = await createInstallation({ OUTBOUND_ALLOW_LOOPBACK: 'true' });
  await server.start();
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await server.remove();
});

test('a server that is killed while it sends, and before it reads what was logged, loses no message', async () => {
  const client: TestServer['client'] = (credentials = {}) =>
    new Agora({ baseUrl: server.url()!, maxRetries: 0, ...credentials });
  const pair = await makePair({ owner: ({ credits = 100_000 } = {}) => makeOwner(client, credits) });
  const { id } = await register(pair.agent, receiver);
  receiver.answer(never);
  await hire(pair);
  await expect.poll(() => receiver.seen.length, { timeout: 20_000 }).toBe(1);
  const second = hire(pair);
  await second;
  await server.end('SIGKILL');
  receiver.answer((response) => response.end('thanks'));
  await server.start();
  const ids = () => new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size;
  // The first waits for the end of the dead server's lease.
  await expect.poll(ids, { timeout: 60_000 }).toBe(2);
  const agora = client({ agentKey: pair.agent.key });
  const delivered = async () => (await agora.webhooks.listMyDeliveries(id, { status: 'delivered' })).data.length;
  await expect.poll(delivered, { timeout: 60_000 }).toBe(2);
}, 180_000);
