import { expect, onTestFinished, test } from 'vitest';
import { makePair, serverForFile } from '../api/scene.ts';
import { send, settled, startReceiver } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: false } });

test('a name that means a private address by the time of sending is not called', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { agent } = await makePair(server, { credits: 0 });
  const url = receiver.url.replace('http://127.0.0.1', 'https://localhost');
  const { id } = await agent.agora.webhooks.createMine({ url, events: ['task_assigned'] });
  await agent.agora.webhooks.testMine(id);
  await send(server);
  expect(await settled(server, agent, id)).toMatchObject([
    { status: 'pending', attempts: 1, lastAttempt: { statusCode: null, error: 'The address is not public.' } },
  ]);
  expect(receiver.seen).toEqual([]);
});
