import { toUuid } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makePair, refusalOf, serverForFile } from '../api/scene.ts';
import { register, startReceiver } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
const url = 'https://agent.invalid/hook';

test('an agent registers, lists and deletes webhooks; the secret is in the first reply alone', async () => {
  const { agent } = await makePair(server, { credits: 0 });
  const { webhooks } = agent.agora;
  const made = await webhooks.createMine({ url, events: ['task_assigned'] });
  expect(made).toMatchObject({ url, events: ['task_assigned'], enabled: true, failingSince: null });
  expect(made.id).toMatch(/^whk_/);
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const second = await webhooks.createMine({ url, events: ['feedback_received', 'task_failed'] });
  const { data } = await webhooks.listMine();
  expect(data.map(({ id }) => id)).toEqual([second.id, made.id]);
  expect(JSON.stringify(data)).not.toContain('whsec_');
  const { rows } = await server.pool.query('select secret from webhooks where id = $1', [toUuid('webhook', made.id)]);
  expect(rows[0].secret.toString('utf8')).not.toContain(made.secret.slice(6));
  await webhooks.deleteMine(made.id);
  expect((await webhooks.listMine()).data).toHaveLength(1);
  expect(await refusalOf(webhooks.deleteMine(made.id))).toBe('404 WEBHOOK_NOT_FOUND');
});

test('its owner does the same about it; others see nothing of it', async () => {
  const { agent, seller, buyer } = await makePair(server, { credits: 0 });
  const { webhooks } = seller.agora;
  const { id } = await webhooks.create(agent.id, { url, events: ['task_assigned'] });
  const message = await webhooks.test(agent.id, id);
  expect(message).toMatchObject({ type: 'test', status: 'pending', sequence: 1, attempts: 0, lastAttempt: null });
  expect((await webhooks.list(agent.id)).data).toMatchObject([{ id }]);
  expect((await agent.agora.webhooks.listMine()).data).toMatchObject([{ id }]);
  expect((await webhooks.listDeliveries(agent.id, id, { status: 'pending' })).data).toMatchObject([{ id: message.id }]);
  expect((await webhooks.listDeliveries(agent.id, id, { status: 'failed' })).data).toEqual([]);
  expect((await webhooks.rotateSecret(agent.id, id)).secret).toMatch(/^whsec_/);
  expect(await webhooks.enable(agent.id, id)).toMatchObject({ id, enabled: true });
  expect(await refusalOf(buyer.agora.webhooks.list(agent.id))).toBe('403 NOT_AGENT_OWNER');
  const other = await seller.agent();
  expect(await refusalOf(other.agora.webhooks.rotateMySecret(id))).toBe('404 WEBHOOK_NOT_FOUND');
  expect(await refusalOf(webhooks.test(other.id, id))).toBe('404 WEBHOOK_NOT_FOUND');
  await webhooks.delete(agent.id, id);
  expect((await webhooks.list(agent.id)).data).toEqual([]);
});

test('who made, rotated and deleted one is logged, without its URL', async () => {
  const { agent } = await makePair(server, { credits: 0 });
  const { id } = await agent.agora.webhooks.createMine({ url: `${url}/with-a-token`, events: ['task_assigned'] });
  await agent.agora.webhooks.rotateMySecret(id);
  await agent.agora.webhooks.deleteMine(id);
  const { rows } = await server.pool.query(
    `select type, data::text as data from events where agent_id = $1 and type like 'webhook.%' order by seq`,
    [toUuid('agent', agent.id)],
  );
  expect(rows.map(({ type }) => type)).toEqual(['webhook.created', 'webhook.secret_rotated', 'webhook.deleted']);
  expect(JSON.stringify(rows)).not.toContain('token');
});

describe('a URL that the server must not call is refused by name', () => {
  test.each([
    ['not a URL', 'absolute'],
    ['ftp://agent.invalid/', 'https'],
    ['http://agent.invalid/', 'https'],
    ['https://user:secret@agent.invalid/', 'credentials'],
    ['https://agent.invalid/#part', 'fragment'],
    ['https://10.0.0.1/', 'public'],
    ['https://169.254.169.254/latest/meta-data', 'public'],
    ['https://[fd00::1]/', 'public'],
  ])('%s', async (bad, why) => {
    const { agent } = await makePair(server, { credits: 0 });
    const refused = await agent.agora.webhooks.createMine({ url: bad, events: ['task_assigned'] }).then(
      () => null,
      (error) => error,
    );
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(refused.details.fields).toMatchObject([{ path: 'url', message: expect.stringContaining(why) }]);
  });
});

test('unknown, repeated and missing kinds are refused', async () => {
  const { agent } = await makePair(server, { credits: 0 });
  for (const events of [[], ['test'], ['task_assigned', 'task_assigned'], ['task.assigned']]) {
    const made = agent.agora.webhooks.createMine({ url, events: events as 'task_assigned'[] });
    expect(await refusalOf(made)).toBe('400 VALIDATION_ERROR');
  }
});

test('ten registrations at once beside five leave an agent with ten', async () => {
  const { agent } = await makePair(server, { credits: 0 });
  const { webhooks } = agent.agora;
  const make = () => refusalOf(webhooks.createMine({ url, events: ['task_assigned'] }));
  for (let made = 0; made < 5; made++) await make();
  const outcomes = await Promise.all(Array.from({ length: 10 }, make));
  expect(outcomes.filter((outcome) => outcome === '403 WEBHOOK_LIMIT_REACHED')).toHaveLength(5);
  expect((await webhooks.listMine()).data).toHaveLength(10);
});

test('pages of messages continue where the last one ended', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { agent } = await makePair(server, { credits: 0 });
  const { id } = await register(agent, receiver);
  const uuid = toUuid('webhook', id);
  await server.pool.query(
    `insert into webhook_deliveries (id, webhook_id, sequence, type, created_at, status)
     select gen_random_uuid(), $1, n, 'test', now(), 'delivered' from generate_series(1, 5) n`,
    [uuid],
  );
  const first = await agent.agora.webhooks.listMyDeliveries(id, { pageSize: 3 });
  expect(first.data.map(({ sequence }) => sequence)).toEqual([5, 4, 3]);
  const rest = await agent.agora.webhooks.listMyDeliveries(id, { cursor: first.pagination.nextCursor as string });
  expect(rest.data.map(({ sequence }) => sequence)).toEqual([2, 1]);
  expect(rest.pagination.nextCursor).toBeNull();
});
