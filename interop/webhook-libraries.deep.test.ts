import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hire, makePair, serverForFile } from '../packages/server/test/api/scene.ts';
import { type Received, register, send, settled, startReceiver } from '../packages/server/test/webhooks/scene.ts';

/** Receivers that were built with the public libraries, which compare the time of a message with the real one. */

const server = serverForFile({ at: new Date().toISOString(), config: { OUTBOUND_ALLOW_LOOPBACK: true } });

interface Given {
  received: Received;
  secrets: string[];
  stranger: string;
}

/** A message of a webhook whose secret was rotated, and the secret of another webhook. */
async function given(): Promise<Given> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const pair = await makePair(server);
  const webhook = await register(pair.agent, receiver);
  const { secret: stranger } = await register(pair.agent, receiver);
  const rotated = await pair.agent.agora.webhooks.rotateMySecret(webhook.id);
  await hire(pair, { input: { description: 'Write a haiku about “ledgers”, 帳簿' } });
  await send(server);
  const [message] = await settled(server, pair.agent, webhook.id);
  const received = receiver.seen.find(({ headers }) => headers['webhook-id'] === message?.id) as Received;
  return { received, secrets: [webhook.secret, rotated.secret], stranger };
}

const message = expect.objectContaining({ type: 'task_assigned', sequence: 1 });

describe.each([
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret), message],
  // docs/webhooks.md says that nothing comes back.
  ['svix', (secret: string) => new SvixWebhook(secret), undefined],
])('a receiver built with %s', (_, verifier, returned) => {
  test('accepts a message with the secret from before a rotation and with the new one', async () => {
    const { received, secrets } = await given();
    for (const secret of secrets) {
      expect(verifier(secret).verify(received.body, received.headers as Record<string, string>)).toEqual(returned);
    }
    expect(JSON.parse(received.body)).toEqual(message);
  });

  test('refuses it with the secret of another webhook, or after a change', async () => {
    const { received, secrets, stranger } = await given();
    const headers = received.headers as Record<string, string>;
    expect(() => verifier(stranger).verify(received.body, headers)).toThrow('signature');
    expect(() => verifier(secrets[1] as string).verify(`${received.body} `, headers)).toThrow('signature');
  });
});
