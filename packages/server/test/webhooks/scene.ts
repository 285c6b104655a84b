import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentWebhookKinds, ownerWebhookKinds, toUuid } from '@agora-market/contract';
import { type Body, verifyWebhook, type WebhookMessage } from '@agora-market/sdk';
import { expect } from 'vitest';
import { makePair } from '../api/scene.ts';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  seen: Received[];
  /** How it answers from now on; it says 200 unless told otherwise. */
  answer(how: (response: ServerResponse, received: Received) => void): void;
  close(): Promise<void>;
}

/** An endpoint on this machine that notes what arrives. */
export async function startReceiver(): Promise<Receiver> {
  const seen: Received[] = [];
  let how: (response: ServerResponse, received: Received) => void = (response) => response.end('thanks');
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const received = { path: request.url ?? '', headers: request.headers, body };
    seen.push(received);
    how(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: (next) => {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end(`said ${code}`);
export const never = () => {};

/** A webhook of the agent at the receiver, for all kinds unless named. */
export const register = (
  { agora }: TestAgent,
  { url }: Pick<Receiver, 'url'>,
  fields: Partial<Body<'webhooks.createMine'>> = {},
) => agora.webhooks.createMine({ url: `${url}/hook`, events: [...agentWebhookKinds], ...fields });

/** A webhook of the owner itself at the receiver, for all kinds unless named. */
export const registerOwn = (
  { agora }: TestOwner,
  { url }: Pick<Receiver, 'url'>,
  fields: Partial<Body<'ownerWebhooks.create'>> = {},
) => agora.ownerWebhooks.create({ url: `${url}/hook`, events: [...ownerWebhookKinds], ...fields });

/** So many endpoints of one new owner at a receiver, each with a message that waits. */
export async function crowd(server: TestServer, receiver: Receiver, count: number): Promise<void> {
  const { agent } = await makePair(server, { credits: 0 });
  const model = await register(agent, receiver);
  await server.pool.query(
    `with copied as (
       insert into webhooks (id, agent_id, owner_id, url, events, secret, created_at, sequence, waiting, next_at, set_at)
       select gen_random_uuid(), agent_id, owner_id, url, events, secret, created_at, 1, 1, $3, $3
       from webhooks, generate_series(1, $2::int) where id = $1 returning id
     )
     insert into webhook_deliveries (id, webhook_id, sequence, type, created_at)
     select gen_random_uuid(), id, 1, 'test', $3 from copied`,
    [toUuid('webhook', model.id), count, server.clock.now()],
  );
}

/** Turns events into messages and begins to send what is due; does not wait for replies. */
export async function send({ app }: Pick<TestServer, 'app'>): Promise<void> {
  await app.run('webhooks.fanOut');
  await app.run('webhooks.send');
}

/** The messages of a webhook, newest first, once none is due and none is under way. */
export async function settled(server: TestServer, holder: TestAgent | TestOwner, webhookId: string) {
  const state = async () => {
    const { rows } = await server.pool.query(
      `select held, next_at <= $2 as due, is_prompt, rounds, failures, waiting from webhooks where id = $1`,
      [toUuid('webhook', webhookId), server.clock.now()],
    );
    return rows[0].held === 'round' || rows[0].due ? rows[0] : 'settled';
  };
  await expect.poll(state).toBe('settled');
  const list =
    'key' in holder
      ? holder.agora.webhooks.listMyDeliveries(webhookId)
      : holder.agora.ownerWebhooks.listDeliveries(webhookId);
  return (await list).data;
}

/** What was said, after its signature was verified. */
export const read = (
  server: Pick<TestServer, 'clock'>,
  secret: string,
  { headers, body }: Received,
): Promise<WebhookMessage> => verifyWebhook(secret, headers, body, server.clock.now());
