import type { SendMessageRequest, TaskPushNotificationConfig } from '@a2a-js/sdk';
import { toUuid } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { goodOutput, makePair, minute } from '../api/scene.ts';
import { send as deliver, type Received, startReceiver, status } from '../webhooks/scene.ts';
import { a2aClient, a2aServer, type Binding, send, taskIn } from './scene.ts';

const server = a2aServer({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

const push = (url: string, more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  ...{ tenant: '', taskId: '', id: 'mine', url, token: 'a-token', authentication: undefined },
  ...more,
});

function withPush(request: SendMessageRequest, taskPushNotificationConfig: TaskPushNotificationConfig) {
  return { ...request, configuration: { ...request.configuration!, taskPushNotificationConfig } };
}

/** A buyer as a client of an agent, with an endpoint that hears of the buyer's tasks. */
async function scene(binding: Binding = 'JSONRPC', token?: string) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const pair = await makePair(server);
  const client = await a2aClient(server, `/a2a/agents/${pair.agent.id}`, token ?? pair.buyer.token, binding);
  const url = `${receiver.url}/push`;
  const hire = async (config: TaskPushNotificationConfig | undefined = push(url)) =>
    taskIn(await client.sendMessage(withPush(send('Do it', { maxBudget: 1000 }), config)));
  /** The last notification, once none waits. What is told twice is told alike. */
  const next = async (): Promise<Received> => {
    await deliver(server);
    const waiting = async () => {
      const { rows } = await server.pool.query('select sum(waiting)::int as sum from webhooks where url = $1', [url]);
      return rows[0].sum;
    };
    await expect.poll(waiting).toBe(0);
    return receiver.seen.at(-1) as Received;
  };
  const pushes = async (taskId: string) =>
    (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs;
  return { ...pair, receiver, client, url, hire, next, pushes };
}

/** The state in a notification, and the words with it. */
function told({ body }: Received): string {
  const { status } = JSON.parse(body).statusUpdate;
  return [status.state, ...(status.message?.parts ?? []).map(({ text }: { text: string }) => text)].join(': ');
}

describe.each<Binding>(['JSONRPC', 'HTTP+JSON'])('by %s a client', (binding) => {
  test('is told each state of what it hires, with its token and its credentials', async () => {
    const { agent, client, hire, next, pushes, url, receiver } = await scene(binding);
    const authentication = { scheme: 'Bearer', credentials: 'a-credential' };
    const { id } = await hire(push(url, { authentication }));
    const first = await next();
    expect(first.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      'x-a2a-notification-token': 'a-token',
      authorization: 'Bearer a-credential',
    });
    expect(JSON.parse(first.body)).toMatchObject({
      statusUpdate: {
        taskId: id,
        contextId: id,
        metadata: { agora: { taskId: id, status: 'submitted', price: 1000 } },
      },
    });
    expect(told(first)).toBe('TASK_STATE_SUBMITTED');
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    expect(told(await next())).toBe('TASK_STATE_WORKING');
    const question = { kind: 'question', text: 'Which colour?', blocking: true } as const;
    await agent.agora.tasks.postMessage(id, question);
    expect(told(await next())).toBe('TASK_STATE_INPUT_REQUIRED: Which colour?');
    const before = receiver.seen.length;
    await agent.agora.tasks.postMessage(id, { kind: 'note', text: 'I wait.' });
    await next();
    expect(receiver.seen.length).toBe(before);
    // Named again with an answer, it is the same one.
    await client.sendMessage(withPush(send('Green', undefined, { taskId: id }), push(url, { authentication })));
    expect(await pushes(id)).toHaveLength(1);
    expect(told(await next())).toBe('TASK_STATE_WORKING');
    await agent.agora.tasks.complete(id, { output: goodOutput });
    expect(told(await next())).toBe('TASK_STATE_COMPLETED');
  });

  test('registers for a task that it has, reads that without its secrets, and ends it', async () => {
    const { client, next, url, pushes } = await scene(binding);
    const { id: taskId } = taskIn(await client.sendMessage(send('Do it', { maxBudget: 1000 })));
    const given = push(url, { taskId, authentication: { scheme: 'Basic', credentials: 'a-credential' } });
    const shown = { ...given, token: '', authentication: { scheme: 'Basic', credentials: '' } };
    expect(await client.createTaskPushNotificationConfig(given)).toEqual(shown);
    expect(told(await next())).toBe('TASK_STATE_SUBMITTED');
    expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })).toEqual(shown);
    const other = await client.createTaskPushNotificationConfig(push(`${url}/2`, { taskId, id: '' }));
    expect(other.id).toBe(taskId);
    // The same id once more changes the first.
    await client.createTaskPushNotificationConfig(push(`${url}/3`, { taskId, authentication: undefined }));
    expect((await pushes(taskId)).map((each) => each.url).toSorted()).toEqual([`${url}/2`, `${url}/3`]);
    for (const id of [other.id, 'mine', 'mine']) {
      await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id });
    }
    expect(await pushes(taskId)).toEqual([]);
    const gone = client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' });
    await expect(gone).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });
});

test('a client of 0.3 is told in its own form, and need not name its configuration', async () => {
  const { agent, hire, next, client } = await scene('0.3');
  const { id } = await hire();
  const first = await next();
  expect(first.headers['content-type']).toBe('application/json');
  expect(JSON.parse(first.body)).toMatchObject({
    ...{ kind: 'task', id, contextId: id, status: { state: 'submitted' } },
  });
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  await agent.agora.tasks.complete(id, { output: goodOutput });
  expect(JSON.parse((await next()).body)).toMatchObject({ status: { state: 'completed' } });
  expect(await client.getTaskPushNotificationConfig({ tenant: '', taskId: id, id: '' })).toMatchObject({ id: 'mine' });
});

describe('a push notification', () => {
  test('about a hire that waits for an approval goes on with its task, or tells that there will be none', async () => {
    const { buyer, agent, url, next, receiver } = await scene();
    const hiring = await buyer.agent();
    const unlimited = { perTransactionMax: null, dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
    await buyer.agora.vault.setBudget(hiring.id, { ...unlimited, approvalThreshold: 1200 });
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, hiring.key);
    const hire = async () => {
      const { id } = taskIn(await client.sendMessage(withPush(send('Do more', { maxBudget: 1500 }), push(url))));
      expect(told(await next())).toMatch(/^TASK_STATE_AUTH_REQUIRED: The owner of the hiring agent has to approve/);
      return id;
    };
    const approved = await hire();
    const { task } = await buyer.agora.embassy.approve(approved);
    const letIn = await next();
    expect([told(letIn), JSON.parse(letIn.body).statusUpdate.taskId]).toEqual(['TASK_STATE_SUBMITTED', approved]);
    await agent.agora.tasks.start(task.id, { sandboxId: 'mine' });
    expect(told(await next())).toBe('TASK_STATE_WORKING');
    // The owner finds it by the task too, and ends it.
    const owner = await a2aClient(server, '/a2a', buyer.token);
    const about = { tenant: '', taskId: task.id, pageSize: 0, pageToken: '' };
    expect((await owner.listTaskPushNotificationConfig(about)).configs).toMatchObject([{ id: 'mine', url }]);
    await owner.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
    expect((await owner.listTaskPushNotificationConfig(about)).configs).toEqual([]);
    await agent.agora.tasks.fail(task.id, { reason: 'x', errorMessage: 'x' });
    const heard = receiver.seen.length;
    await deliver(server);

    const denied = await hire();
    await buyer.agora.embassy.deny(denied, { note: 'Too dear' });
    expect(told(await next())).toBe('TASK_STATE_REJECTED: The owner denied the hire: Too dear');
    expect(receiver.seen.slice(heard).filter(({ body }) => body.includes(approved))).toEqual([]);
  });

  test('that cannot be refuses the hire before anything is made', async () => {
    const { buyer, hire, url } = await scene();
    const wrong: [Partial<TaskPushNotificationConfig>, RegExp][] = [
      [{ url: 'nonsense' }, /url/],
      [{ url: 'ftp://example.com/x' }, /url/],
      [{ url: `${url}/${'x'.repeat(2_000)}` }, /url/],
      [{ id: 'a b' }, /id/],
      [{ token: 'one\r\nx-two: 2' }, /token/],
      [{ authentication: { scheme: 'Bearer x', credentials: 'y' } }, /scheme/],
      [{ authentication: { scheme: 'Bearer', credentials: 'y\nz' } }, /credentials/],
    ];
    for (const [more, problem] of wrong) await expect(hire(push(url, more))).rejects.toThrow(problem);
    expect((await buyer.agora.tasks.list()).data).toEqual([]);
  });

  test('is the client’s alone, three of a task, apart from webhooks, and in no table with its secrets', async () => {
    const { buyer, agent, hire, url, client, pushes } = await scene();
    const { id: taskId } = await hire();
    for (const id of ['2', '3', '4']) await client.createTaskPushNotificationConfig(push(url, { taskId, id }));
    expect((await pushes(taskId)).map(({ id }) => id)).toEqual(['2', '3', '4']);
    expect((await buyer.agora.ownerWebhooks.list()).data).toEqual([]);
    const { buyer: stranger } = await makePair(server);
    for (const token of [stranger.token, agent.key]) {
      const other = await a2aClient(server, '/a2a', token);
      const unknown = { name: 'TaskNotFoundError' };
      const asked = { tenant: '', taskId, id: '2' };
      await expect(other.createTaskPushNotificationConfig(push(url, { taskId }))).rejects.toMatchObject(unknown);
      await expect(other.getTaskPushNotificationConfig(asked)).rejects.toMatchObject(unknown);
      await expect(other.deleteTaskPushNotificationConfig(asked)).rejects.toMatchObject(unknown);
    }
    expect(await pushes(taskId)).toHaveLength(3);
    const { rows } = await server.pool.query(
      `select encode(secret, 'escape') || push::text as kept from webhooks where about = $1`,
      [toUuid('task', taskId)],
    );
    expect(rows.filter(({ kept }) => kept.includes('a-token'))).toEqual([]);
  });

  test('ends where its endpoint says that it is gone, and a day after its task', async () => {
    const { agent, hire, next, receiver, pushes } = await scene();
    receiver.answer(status(410));
    const lost = await hire();
    await deliver(server);
    await expect.poll(() => pushes(lost.id)).toEqual([]);
    receiver.answer(status(200));
    const { id } = await hire();
    await agent.agora.tasks.decline(id, { reason: 'Too busy' });
    const rejected = await next();
    expect(told(rejected)).toMatch(/^TASK_STATE_REJECTED: .*Too busy/s);
    const { status: why, metadata } = JSON.parse(rejected.body).statusUpdate;
    // The words are the agent's, and what was not looked up is not told.
    expect(why.message.metadata.agora.author).toBe('agent');
    expect(metadata.agora).not.toHaveProperty('pullRequest');
    const left = async () => {
      await server.app.run('webhooks.forget');
      const { rows } = await server.pool.query('select id from webhooks where about = $1', [toUuid('task', id)]);
      return rows.length;
    };
    expect(await left()).toBe(1);
    server.clock.advance(25 * 60 * minute);
    expect(await left()).toBe(0);
  });
});
