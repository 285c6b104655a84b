import { createHmac } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  day,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  refusalOf,
  serverForFile,
} from '../api/scene.ts';
import { never, type Receiver, read, register, send, settled, startReceiver, status } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

async function scene(fields?: Parameters<typeof register>[2]) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const pair = await makePair(server);
  return { ...pair, pair, receiver, webhook: await register(pair.agent, receiver, fields) };
}

const arrived = (receiver: Receiver, count: number) => expect.poll(() => receiver.seen.length).toBe(count);

describe('what is sent', () => {
  test('is the task as the agent may see it then, signed; nothing of code and files', async () => {
    const { pair, agent, receiver, webhook } = await scene();
    const input = { description: 'Fix it', code: 'THE-CODE', files: { 'a.txt': 'THE-FILE' }, note: 'THE-NOTE' };
    const { id } = await hire(pair, { input });
    await send(server);
    await arrived(receiver, 1);
    const assigned = await read(server, webhook.secret, receiver.seen[0]!);
    expect(assigned).toMatchObject({ type: 'task_assigned', sequence: 1, timestamp: expect.any(String) });
    expect(assigned.data).toEqual(await agent.agora.tasks.get(id));
    expect(receiver.seen[0]?.body).not.toMatch(/THE-/);
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    await agent.agora.tasks.complete(id, {
      output: { result: 'Debits and credits\nmeet at noon, and sum to\nnothing' },
    });
    await settled(server, agent, webhook.id);
    await send(server);
    await arrived(receiver, 2);
    const completed = await read(server, webhook.secret, receiver.seen[1]!);
    expect(completed).toMatchObject({ type: 'task_completed', sequence: 2 });
    expect(completed.data).toEqual(await agent.agora.tasks.get(id));
    expect(receiver.seen[1]?.body).toContain('THE-NOTE');
    expect(receiver.seen[1]?.body).not.toMatch(/THE-(CODE|FILE)/);
  });

  test('has the headers of Standard Webhooks', async () => {
    const { pair, receiver, webhook, agent } = await scene();
    await hire(pair);
    await send(server);
    await arrived(receiver, 1);
    const { headers, body, path } = receiver.seen[0]!;
    const [message] = await settled(server, agent, webhook.id);
    expect(path).toBe('/hook');
    expect(headers).toMatchObject({ 'webhook-id': message?.id, 'content-type': 'application/json' });
    expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(server.clock.now().getTime() / 1000));
    const key = Buffer.from(webhook.secret.slice(6), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(message).toMatchObject({ status: 'delivered', attempts: 1, nextAttemptAt: null });
    expect(message?.lastAttempt).toMatchObject({ statusCode: 200, error: null, excerpt: 'thanks' });
  });

  test('tells of every kind, to those who want to know', async () => {
    const { pair, buyer, receiver, webhook, agent } = await scene();
    const other = await register(agent, receiver, { url: `${receiver.url}/other`, events: ['feedback_received'] });
    const { id } = await hireAndPass(pair);
    await buyer.agora.tasks.feedback(id, { direction: 'up' });
    await hireAndReject(pair);
    const { id: asked } = await hireAndStart(pair);
    const question = await agent.agora.tasks.postMessage(asked, { kind: 'question', text: 'Which?' });
    await buyer.agora.tasks.postMessage(asked, { kind: 'answer', text: 'This', answers: question.id });
    await buyer.agora.tasks.postMessage(asked, { kind: 'note', text: 'And that' });
    await send(server);
    await settled(server, agent, webhook.id);
    await settled(server, agent, other.id);
    await arrived(receiver, 9);
    const told = async (path: string, secret: string) =>
      (await Promise.all(receiver.seen.filter((each) => each.path === path).map((each) => read(server, secret, each))))
        .sort((a, b) => a.sequence - b.sequence)
        .map(({ type }) => type);
    expect(await told('/other', other.secret)).toEqual(['feedback_received']);
    expect(await told('/hook', webhook.secret)).toEqual([
      'task_assigned',
      'task_completed',
      'feedback_received',
      'task_assigned',
      'task_failed',
      'task_assigned',
      'question_answered',
      'message_received',
    ]);
  });

  test('is only the id of a task that another agent has by now', async () => {
    const { buyer, agent, receiver, webhook } = await scene({ events: ['task_assigned'] });
    receiver.answer(status(500));
    const { id } = await hire({ buyer, agent }, { input: { description: 'THE-SECRET' } });
    await send(server);
    await settled(server, agent, webhook.id);
    // As a reassignment does.
    const other = await (await server.owner({ credits: 0 })).agent();
    await server.pool.query('update tasks set agent_id = $2 where id = $1', [
      toUuid('task', id),
      toUuid('agent', other.id),
    ]);
    server.clock.advance(5_000);
    await send(server);
    await arrived(receiver, 2);
    expect((await read(server, webhook.secret, receiver.seen[1]!)).data).toEqual({ id });
    await server.pool.query('update tasks set agent_id = $2 where id = $1', [
      toUuid('task', id),
      toUuid('agent', agent.id),
    ]);
  });

  test('is nothing of what happened before the webhook was there, and nothing to a suspended agent', async () => {
    const { pair, receiver, agent } = await scene();
    await send(server);
    await server.pool.query(`update agents set status = 'suspended' where id = $1`, [toUuid('agent', agent.id)]);
    await server.pool.query(
      `insert into events (type, district, at, task_id, agent_id, correlation_id, data)
       values ('task.completed', 'tasks', now(), gen_random_uuid(), $1, 'c', '{}')`,
      [toUuid('agent', agent.id)],
    );
    await send(server);
    await server.pool.query(`update agents set status = 'active' where id = $1`, [toUuid('agent', agent.id)]);
    await hire(pair);
    await send(server);
    await arrived(receiver, 1);
    expect(JSON.parse(receiver.seen[0]!.body)).toMatchObject({ type: 'task_assigned', sequence: 1 });
  });
});

test('a test message tells that the endpoint works; one waits at a time', async () => {
  const { agent, receiver, webhook } = await scene();
  const [first, second] = await Promise.all([1, 2].map(() => agent.agora.webhooks.testMine(webhook.id)));
  expect(second?.id).toBe(first?.id);
  await send(server);
  await arrived(receiver, 1);
  expect(await read(server, webhook.secret, receiver.seen[0]!)).toMatchObject({
    type: 'test',
    data: { webhookId: webhook.id },
  });
  expect(await settled(server, agent, webhook.id)).toMatchObject([{ status: 'delivered', taskId: null }]);
});

test('a redelivery that is asked for twice at once is sent once, with the same id', async () => {
  const { pair, agent, receiver, webhook } = await scene();
  await hire(pair);
  await send(server);
  const [message] = await settled(server, agent, webhook.id);
  const again = () => agent.agora.webhooks.redeliverMine(webhook.id, message!.id);
  for (const reply of await Promise.all([again(), again()])) {
    expect(reply).toMatchObject({ id: message?.id, status: 'pending', attempts: 0, sequence: 1 });
  }
  await Promise.all([send(server), send(server)]);
  expect(await settled(server, agent, webhook.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  expect(receiver.seen.map(({ headers }) => headers['webhook-id'])).toEqual([message?.id, message?.id]);
});

test('after a rotation both secrets sign for 24 hours, then the new one alone', async () => {
  const { agent, receiver, webhook } = await scene();
  const rotated = await agent.agora.webhooks.rotateMySecret(webhook.id);
  expect(rotated.secretRotatedAt).toBe(server.clock.now().toISOString());
  const received = async (nth: number) => {
    await agent.agora.webhooks.testMine(webhook.id);
    await send(server);
    await settled(server, agent, webhook.id);
    await arrived(receiver, nth);
    return receiver.seen[nth - 1]!;
  };
  const during = await received(1);
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
  for (const { secret } of [webhook, rotated]) {
    expect(await read(server, secret, during)).toMatchObject({ type: 'test' });
  }
  server.clock.advance(day);
  const after = await received(2);
  expect(await read(server, rotated.secret, after)).toMatchObject({ type: 'test' });
  await expect(read(server, webhook.secret, after)).rejects.toThrow('another secret');
});

test('a message that was changed, is old, or has no signature does not verify', async () => {
  const { agent, receiver, webhook } = await scene();
  await agent.agora.webhooks.testMine(webhook.id);
  await send(server);
  await arrived(receiver, 1);
  const given = receiver.seen[0]!;
  const changed = { ...given, body: given.body.replace('"test"', '"task_completed"') };
  await expect(read(server, webhook.secret, changed)).rejects.toThrow('another secret');
  await expect(read(server, webhook.secret, { ...given, headers: {} })).rejects.toThrow('no signature');
  server.clock.advance(5 * 60_000 + 1_000);
  await expect(read(server, webhook.secret, given)).rejects.toThrow('too old');
});

test('a deleted webhook is sent nothing, also while a message is under way', async () => {
  const { pair, agent, receiver, webhook } = await scene();
  receiver.answer(never);
  await hire(pair);
  await send(server);
  await arrived(receiver, 1);
  await agent.agora.webhooks.deleteMine(webhook.id);
  expect(await refusalOf(agent.agora.webhooks.listMyDeliveries(webhook.id))).toBe('404 WEBHOOK_NOT_FOUND');
  await hire(pair);
  await send(server);
  expect(receiver.seen).toHaveLength(1);
});
