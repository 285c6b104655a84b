import { toUuid, webhookLimits } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { retryPauses } from '../../src/webhooks/schedule.ts';
import { day, hire, makePair, refusalOf, serverForFile } from '../api/scene.ts';
import { never, type Receiver, register, send, settled, startReceiver, status } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

async function scene() {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const pair = await makePair(server);
  return { ...pair, pair, receiver, webhook: await register(pair.agent, receiver) };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const arrived = (receiver: Receiver, count: number) => expect.poll(() => receiver.seen.length).toBe(count);
const messagesOf = ({ agent, webhook }: Scene) => settled(server, agent, webhook.id);
const webhookOf = async ({ agent, webhook }: Scene) =>
  (await agent.agora.webhooks.listMine()).data.find(({ id }) => id === webhook.id);

async function tested(at: Scene) {
  await at.agent.agora.webhooks.testMine(at.webhook.id);
  await send(server);
  return messagesOf(at);
}

describe('a message that fails', () => {
  test('is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h; then it has failed', async () => {
    const at = await scene();
    at.receiver.answer(status(500));
    await tested(at);
    expect(retryPauses.map((pause) => pause / 1000)).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
    for (const [nth, pause] of retryPauses.entries()) {
      const due = new Date(server.clock.now().getTime() + pause).toISOString();
      expect(await messagesOf(at)).toMatchObject([{ status: 'pending', attempts: nth + 1, nextAttemptAt: due }]);
      server.clock.advance(pause - 1);
      await send(server);
      expect(at.receiver.seen).toHaveLength(nth + 1);
      server.clock.advance(1);
      await send(server);
      await arrived(at.receiver, nth + 2);
      await messagesOf(at);
    }
    const [message] = await messagesOf(at);
    expect(message).toMatchObject({ status: 'failed', attempts: 8, nextAttemptAt: null });
    expect(message?.lastAttempt).toMatchObject({ statusCode: 500, excerpt: 'said 500' });
    expect(new Set(at.receiver.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test.each([
    ['a redirect', status(302), 302],
    ['a refusal', status(404), 404],
  ])('for %s has failed', async (_, answer, code) => {
    const at = await scene();
    at.receiver.answer((response) => {
      response.setHeader('location', `${at.receiver.url}/elsewhere`);
      answer(response);
    });
    const [message] = await tested(at);
    expect(message).toMatchObject({ status: 'pending', lastAttempt: { statusCode: code } });
    expect(at.receiver.seen.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('where nobody listens has failed, and says so', async () => {
    const at = await scene();
    await at.receiver.close();
    const [message] = await tested(at);
    expect(message?.lastAttempt).toMatchObject({ statusCode: null, error: expect.stringContaining('ECONNREFUSED') });
  });

  test('alone holds no other back, however often it fails', async () => {
    const at = await scene();
    at.receiver.answer((response, { body }) => status(body.includes('"test"') ? 500 : 200)(response));
    for (const pause of retryPauses.slice(0, 3)) {
      await tested(at);
      server.clock.advance(pause);
      await send(server);
    }
    await messagesOf(at);
    await hire(at.pair);
    await send(server);
    const [assigned, poison] = await messagesOf(at);
    expect(assigned).toMatchObject({ type: 'task_assigned', status: 'delivered' });
    expect(poison).toMatchObject({ type: 'test', status: 'pending' });
    expect(await webhookOf(at)).toMatchObject({ failingSince: null });
  });

  test.each([429, 503])('for %i waits as long as the reply asks', async (code) => {
    const at = await scene();
    at.receiver.answer((response) => {
      response.setHeader('retry-after', '90');
      status(code)(response);
    });
    const due = new Date(server.clock.now().getTime() + 90_000).toISOString();
    expect(await tested(at)).toMatchObject([{ status: 'pending', nextAttemptAt: due }]);
    at.receiver.answer((response) => {
      response.setHeader('retry-after', new Date(server.clock.now().getTime() + 30 * day).toUTCString());
      status(code)(response);
    });
    server.clock.advance(90_000);
    await send(server);
    const longest = new Date(server.clock.now().getTime() + Math.max(...retryPauses)).toISOString();
    expect(await messagesOf(at)).toMatchObject([{ attempts: 2, nextAttemptAt: longest }]);
  });

  test('is sent at once when it is asked for', async () => {
    const at = await scene();
    at.receiver.answer(status(500));
    const [message] = await tested(at);
    at.receiver.answer(status(200));
    await at.agent.agora.webhooks.redeliverMine(at.webhook.id, message!.id);
    await send(server);
    expect(await messagesOf(at)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });
});

describe('an endpoint to which three messages failed', () => {
  async function pausedScene() {
    const at = await scene();
    at.receiver.answer(status(500));
    for (let nth = 0; nth < 3; nth++) {
      await hire(at.pair);
      await send(server);
      await arrived(at.receiver, nth + 1);
      await messagesOf(at);
    }
    return at;
  }

  test('is paused for longer each time, all that failed waits with it, and new messages get their first try at once', async () => {
    const at = await pausedScene();
    const [first, second] = retryPauses;
    server.clock.advance(first - 1);
    await hire(at.pair);
    await send(server);
    await arrived(at.receiver, 4);
    await messagesOf(at);
    server.clock.advance(1);
    await send(server);
    // Two at a time; the second pause begins with the first failure.
    await messagesOf(at);
    const tried = at.receiver.seen.length;
    expect(tried).toBeGreaterThan(4);
    expect(tried).toBeLessThanOrEqual(6);
    const until = new Date(server.clock.now().getTime() + second).toISOString();
    for (const message of await messagesOf(at)) expect(message.nextAttemptAt).toBe(until);
    server.clock.advance(second - 1);
    await send(server);
    await messagesOf(at);
    expect(at.receiver.seen).toHaveLength(tried);
  });

  test('that takes a new message gets the others as soon as each is due', async () => {
    const at = await pausedScene();
    at.receiver.answer(status(204));
    await hire(at.pair);
    await send(server);
    expect((await messagesOf(at))[0]).toMatchObject({ status: 'delivered' });
    server.clock.advance(retryPauses[0]);
    await send(server);
    const states = (await messagesOf(at)).map((message) => message.status);
    expect(states).toEqual(['delivered', 'delivered', 'delivered', 'delivered']);
    expect(await webhookOf(at)).toMatchObject({ failingSince: null });
  });
});

test('an endpoint that says it is gone (410) is disabled at once, and its owner is told why', async () => {
  const at = await scene();
  at.receiver.answer(status(410));
  const [message] = await tested(at);
  expect(message).toMatchObject({ status: 'failed', attempts: 1, lastAttempt: { statusCode: 410 } });
  expect(await webhookOf(at)).toMatchObject({ enabled: false });
  await server.app.run('embassy.notify');
  const { data } = await at.seller.agora.embassy.listNotifications();
  expect(data.map(({ text }) => text)).toEqual([expect.stringContaining('says that it is gone (410)')]);
  expect(await at.agent.agora.webhooks.enableMine(at.webhook.id)).toMatchObject({ enabled: true });
});

test('what is read of a long reply is an excerpt, and the message counts as delivered', async () => {
  const at = await scene();
  at.receiver.answer((response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('0123456789'.repeat(1_000)));
      response.once('drain', more);
    };
    more();
  });
  const [message] = await tested(at);
  expect(message?.status).toBe('delivered');
  expect(message?.lastAttempt?.excerpt).toHaveLength(webhookLimits.excerptBytes);
});

test('an endpoint that only fails is disabled after five days, which is logged, and can be enabled again', async () => {
  const at = await scene();
  const { webhooks } = at.agent.agora;
  at.receiver.answer(status(500));
  const [first] = await tested(at);
  const failingSince = server.clock.now().toISOString();
  server.clock.advance(5 * day - 1);
  await tested(at);
  expect(await webhookOf(at)).toMatchObject({ enabled: true, failingSince });
  server.clock.advance(1);
  await tested(at);
  expect(await webhookOf(at)).toMatchObject({ enabled: false, failingSince });
  const { rows } = await server.pool.query(
    `select owner_id, data from events where type = 'webhook.disabled' and agent_id = $1`,
    [toUuid('agent', at.agent.id)],
  );
  expect(rows).toMatchObject([
    { owner_id: toUuid('owner', at.seller.id), data: { webhookId: at.webhook.id, agentId: at.agent.id, failingSince } },
  ]);
  const seen = at.receiver.seen.length;
  await hire(at.pair);
  server.clock.advance(day);
  await send(server);
  expect(at.receiver.seen).toHaveLength(seen);
  expect(await refusalOf(webhooks.redeliverMine(at.webhook.id, first!.id))).toBe('400 WRONG_STATE');
  at.receiver.answer(status(200));
  expect(await webhooks.enableMine(at.webhook.id)).toMatchObject({ enabled: true, failingSince: null });
  await send(server);
  // What happened while it was disabled is told to nobody.
  expect(await messagesOf(at)).toMatchObject([{ type: 'test', status: 'delivered' }]);
});

test('a clock that is set back stops neither retries, nor new messages, nor what a dead server had taken', async () => {
  const at = await scene();
  at.receiver.answer(status(500));
  await tested(at);
  at.receiver.answer(status(200));
  server.clock.advance(-3 * day);
  await server.app.run('webhooks.mendTimes');
  await send(server);
  expect(await messagesOf(at)).toMatchObject([{ status: 'delivered' }]);
  await hire(at.pair);
  await send(server);
  expect((await messagesOf(at))[0]).toMatchObject({ type: 'task_assigned', status: 'delivered' });
  // Taken by a server that then died.
  at.receiver.answer(never);
  await at.agent.agora.webhooks.testMine(at.webhook.id);
  await send(server);
  await arrived(at.receiver, 4);
  at.receiver.answer(status(200));
  server.clock.advance(-day);
  await server.app.run('webhooks.mendTimes');
  await send(server);
  await arrived(at.receiver, 5);
});

describe('what an agent that pays nothing can make the server keep is bounded', () => {
  test('messages that wait: further ones are dropped, and leave a gap', async () => {
    const at = await scene();
    const uuid = toUuid('webhook', at.webhook.id);
    await server.pool.query('update webhooks set waiting = $2::int, sequence = $2::int where id = $1', [
      uuid,
      webhookLimits.waitingPerWebhook,
    ]);
    await hire(at.pair);
    await send(server);
    await server.pool.query('update webhooks set waiting = 0 where id = $1', [uuid]);
    await hire(at.pair);
    await send(server);
    expect(await messagesOf(at)).toMatchObject([{ sequence: webhookLimits.waitingPerWebhook + 2 }]);
  });

  test('finished ones: the last thousand, for thirty days', async () => {
    const at = await scene();
    const uuid = toUuid('webhook', at.webhook.id);
    const total = webhookLimits.keptPerWebhook + 200;
    await server.pool.query(
      `with counted as (update webhooks set sequence = $2 where id = $1)
       insert into webhook_deliveries (id, webhook_id, sequence, type, created_at, status)
       select gen_random_uuid(), $1, n, 'test', $3, case when n = 5 then 'pending' else 'delivered' end
       from generate_series(1, $2::int) n`,
      [uuid, total, server.clock.now()],
    );
    await server.pool.query(
      `update webhook_deliveries set id = overlay(id::text placing $2 from 1 for 13)::uuid where webhook_id = $1`,
      [
        uuid,
        server.clock
          .now()
          .getTime()
          .toString(16)
          .padStart(12, '0')
          .replace(/^(.{8})/, '$1-'),
      ],
    );
    const left = async () =>
      (
        await server.pool.query(
          'select min(sequence)::int as first, count(*)::int as count from webhook_deliveries where webhook_id = $1',
          [uuid],
        )
      ).rows[0];
    await server.app.run('webhooks.forget');
    expect(await left()).toEqual({ first: 5, count: webhookLimits.keptPerWebhook + 1 });
    server.clock.advance(30 * day);
    await server.app.run('webhooks.forget');
    expect((await left()).count).toBe(webhookLimits.keptPerWebhook + 1);
    server.clock.advance(1);
    await server.app.run('webhooks.forget');
    expect((await left()).count).toBe(0);
  });
});
