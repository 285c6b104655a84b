import { type Task, TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { goodOutput, makePair } from '../api/scene.ts';
import { a2aClient, a2aServer, lineOf, part, send, stateIn, taskIn, wordsIn } from './scene.ts';

const server = a2aServer();

const listing = {
  ...{ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
  ...{ statusTimestampAfter: undefined },
};
const nothing = { tenant: '', metadata: undefined };

/** A buyer as a client of the agent and of the platform, by HTTP+JSON. */
async function scene() {
  const pair = await makePair(server);
  const at = (path: string, token = pair.buyer.token) => a2aClient(server, path, token, 'HTTP+JSON');
  const client = await at(`/a2a/agents/${pair.agent.id}`);
  const hire = async () => taskIn(await client.sendMessage(send('Do it', { maxBudget: 1000 })));
  return { ...pair, at, client, hire };
}

describe('the tasks of a client', () => {
  test('are listed newest first, page by page, by state and by context', async () => {
    const { agent, client, hire } = await scene();
    const made = [await hire(), await hire(), await hire()].map(({ id }) => id);
    await client.cancelTask({ ...nothing, id: made[1] as string });
    await agent.agora.tasks.start(made[0] as string, { sandboxId: 'mine' });
    await agent.agora.tasks.complete(made[0] as string, { output: goodOutput });

    const seen: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await client.listTasks({ ...listing, pageSize: 2, pageToken });
      expect(page.pageSize).toBe(2);
      seen.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(seen).toEqual(made.toReversed());

    const of = async (more: object) => (await client.listTasks({ ...listing, ...more })).tasks;
    const ids = (tasks: Task[]) => tasks.map(({ id }) => id);
    expect(ids(await of({ status: TaskState.TASK_STATE_CANCELED }))).toEqual([made[1]]);
    expect(ids(await of({ status: TaskState.TASK_STATE_SUBMITTED }))).toEqual([made[2]]);
    expect(ids(await of({ contextId: made[0] }))).toEqual([made[0]]);
    expect(ids(await of({ contextId: 'another' }))).toEqual([]);
    expect(ids(await of({ statusTimestampAfter: '2100-01-01T00:00:00Z' }))).toEqual([]);
    const [completed] = await of({ status: TaskState.TASK_STATE_COMPLETED, includeArtifacts: true, historyLength: 1 });
    expect([completed?.artifacts[0]?.artifactId, completed?.history.map(wordsIn)]).toEqual(['output', ['Do it']]);
    await expect(client.listTasks({ ...listing, pageSize: 101 })).rejects.toThrow(/pageSize/);
    await expect(client.listTasks({ ...listing, pageToken: 'nonsense' })).rejects.toThrow(/pageToken/);
    const unclear = client.listTasks({ ...listing, statusTimestampAfter: 'yesterday' });
    await expect(unclear).rejects.toThrow(/statusTimestampAfter/);
  });

  test('take a message once for each task; its id stands for no other message', async () => {
    const { buyer, agent, client, hire } = await scene();
    const ids = [(await hire()).id, (await hire()).id];
    const say = (taskId: string, words: string) =>
      client.sendMessage(send(words, undefined, { taskId, messageId: '1' }));
    const said = async (id: string) =>
      (await buyer.agora.tasks.listMessages(id)).data.map(({ kind, text }) => `${kind}: ${text}`);
    for (const id of ids) {
      await agent.agora.tasks.start(id, { sandboxId: 'mine' });
      await agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which colour?', blocking: true });
      await say(id, 'Red');
      await say(id, 'Red');
      expect(await said(id)).toEqual(['question: Which colour?', 'answer: Red']);
    }
    await expect(say(ids[0] as string, 'Blue')).rejects.toThrow(/messageId was used/);
  });

  test('of which an agent says that its buyer cancelled them have failed all the same', async () => {
    const { agent, client, hire } = await scene();
    const { id } = await hire();
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    await agent.agora.tasks.fail(id, { reason: 'x', errorMessage: 'The submitter cancelled the task.' });
    expect(stateIn(await client.getTask({ tenant: '', id }))).toBe('TASK_STATE_FAILED');
  });

  test('are those of its address: another agent knows nothing of them, and the platform all', async () => {
    const { at, hire } = await scene();
    const { agent: other } = await makePair(server);
    const { id } = await hire();
    const elsewhere = await at(`/a2a/agents/${other.id}`);
    await expect(elsewhere.getTask({ tenant: '', id })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    expect((await elsewhere.listTasks(listing)).tasks).toEqual([]);
    const platform = await at('/a2a');
    expect((await platform.listTasks(listing)).tasks.map((task) => task.id)).toEqual([id]);
  });

  test('are nobody else’s: to another owner, and to the agent that does them, there are none', async () => {
    const { agent, at, hire } = await scene();
    const { buyer: stranger } = await makePair(server);
    const { id } = await hire();
    for (const token of [stranger.token, agent.key]) {
      const client = await at('/a2a', token);
      const unknown = { name: 'TaskNotFoundError' };
      await expect(client.getTask({ tenant: '', id })).rejects.toMatchObject(unknown);
      await expect(client.cancelTask({ ...nothing, id })).rejects.toMatchObject(unknown);
      await expect(client.sendMessage(send('Hello', undefined, { taskId: id }))).rejects.toMatchObject(unknown);
      await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toMatchObject(unknown);
      expect((await client.listTasks(listing)).tasks).toEqual([]);
    }
    const client = await at('/a2a');
    await expect(client.getTask({ tenant: '', id: 'nonsense' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  });

  test('take notes while they are open, in their own context', async () => {
    const { agent, client, hire } = await scene();
    const task = await hire();
    const attached = part({ $case: 'raw', value: Buffer.from('look') }, 'hint.txt');
    const said = send('A hint', undefined, { taskId: task.id, contextId: task.contextId });
    said.message?.parts.push(part({ $case: 'data', value: { size: 3 } }), attached);
    for (let sent = 0; sent < 2; sent++) expect(stateIn(taskIn(await client.sendMessage(said)))).toBe(stateIn(task));
    const { data } = await agent.agora.tasks.listMessages(task.id);
    expect(data).toMatchObject([
      { kind: 'note', text: 'A hint\n\n{"size":3}', attachments: [{ name: 'hint.txt', sizeBytes: 4 }] },
    ]);
    const lost = send('A hint', undefined, { taskId: task.id, contextId: 'another' });
    await expect(client.sendMessage(lost)).rejects.toThrow(/contextId/);
  });

  test('stay completed where they are refunded, and failed where they are paid all the same', async () => {
    const { buyer, agent, client, hire } = await scene();
    const { id } = await hire();
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    await agent.agora.tasks.complete(id, { output: goodOutput });
    await buyer.agora.tasks.feedback(id, { direction: 'down' });
    const refunded = await client.getTask({ tenant: '', id });
    expect([stateIn(refunded), refunded.metadata]).toMatchObject([
      'TASK_STATE_COMPLETED',
      { agora: { status: 'refunded' } },
    ]);
    const poor = await hire();
    await agent.agora.tasks.start(poor.id, { sandboxId: 'mine' });
    await agent.agora.tasks.complete(poor.id, { output: { result: '' } });
    const failed = await client.getTask({ tenant: '', id: poor.id });
    expect([stateIn(failed), failed.artifacts]).toEqual(['TASK_STATE_FAILED', []]);
    await buyer.agora.tasks.accept(poor.id);
    const paid = await client.getTask({ tenant: '', id: poor.id });
    expect([stateIn(paid), paid.artifacts.map(({ artifactId }) => artifactId)]).toEqual([
      'TASK_STATE_FAILED',
      ['output'],
    ]);
  });

  test('that have ended are not subscribed to', async () => {
    const { agent, client, hire } = await scene();
    const { id } = await hire();
    await agent.agora.tasks.decline(id);
    const subscription = client.resubscribeTask({ tenant: '', id }).next();
    await expect(subscription).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
  });

  test('are rejected where the agent declines, and say whose words tell why', async () => {
    const { agent, client, hire } = await scene();
    const declined = async (body?: { reason: string }) => {
      const { id } = await hire();
      await agent.agora.tasks.decline(id, body);
      const task = await client.getTask({ tenant: '', id });
      return [stateIn(task), wordsIn(task.status?.message), task.status?.message?.metadata];
    };
    expect(await declined({ reason: 'Too busy' })).toEqual([
      ...['TASK_STATE_REJECTED', 'The agent declined the task: Too busy', { agora: { author: 'agent' } }],
    ]);
    expect(await declined()).toEqual([
      ...['TASK_STATE_REJECTED', 'The agent declined the task.', { agora: { author: 'platform' } }],
    ]);
  });
});

describe('a message', () => {
  test('has its reply after 50 seconds also where the task goes on', async () => {
    const { client } = await scene();
    const before = server.app.waiting();
    const reply = client.sendMessage(send('Do it', { maxBudget: 1000 }, {}, false));
    await expect.poll(() => server.app.waiting()).toBe(before + 1);
    server.clock.advance(50_000);
    expect(stateIn(taskIn(await reply))).toBe('TASK_STATE_SUBMITTED');
    await expect.poll(() => server.app.waiting()).toBe(before);
  });
});

describe('the platform', () => {
  test('hires whom routing chooses, by what a submission may say', async () => {
    const { buyer, agent } = await makePair(server, { agent: { capabilities: [{ category: 'research', tags: [] }] } });
    const client = await a2aClient(server, '/a2a', buyer.token);
    const price = /from \$10\.00 to \$10\.00/;
    await expect(client.sendMessage(send('Find it', { taskType: 'research' }))).rejects.toThrow(price);
    await expect(client.sendMessage(send('Find it', { taskType: 'research', maxBudget: 5 }))).rejects.toThrow(price);
    const data = part({ $case: 'data', value: { depth: 2 } });
    const wish = { taskType: 'research', maxBudget: 2000, deadlineMinutes: 30, input: { tags: ['law'] } };
    const request = send('Find it', wish);
    request.message?.parts.push(data);
    const made = taskIn(await client.sendMessage(request));
    expect(await buyer.agora.tasks.get(made.id)).toMatchObject({
      ...{ taskType: 'research', agentId: agent.id, maxBudget: 2000, price: 1000 },
      input: { description: 'Find it', tags: ['law'], data: { depth: 2 } },
    });
  });
});

describe('an agent', () => {
  test('hires with its key, and waits for its owner where it must', async () => {
    const { buyer, agent } = await makePair(server);
    const hiring = await buyer.agent();
    const unlimited = { perTransactionMax: null, dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
    await buyer.agora.vault.setBudget(hiring.id, { ...unlimited, approvalThreshold: 1200 });
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, hiring.key);
    const small = taskIn(await client.sendMessage(send('Do it', { maxBudget: 1100 })));
    expect(stateIn(small)).toBe('TASK_STATE_SUBMITTED');
    expect(await buyer.agora.tasks.get(small.id)).toMatchObject({ submitterId: hiring.id });

    const lines: string[] = [];
    for await (const event of client.sendMessageStream(send('Do more', { maxBudget: 1500 }))) lines.push(lineOf(event));
    expect(lines).toEqual(['task TASK_STATE_AUTH_REQUIRED']);
    const [approval] = (await buyer.agora.embassy.listApprovals()).data;
    const id = approval?.id as string;
    const waiting = await client.getTask({ tenant: '', id });
    expect(wordsIn(waiting.status?.message)).toContain('has to approve');
    await expect(client.cancelTask({ ...nothing, id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    const { task } = await buyer.agora.embassy.approve(id);
    expect(await client.getTask({ tenant: '', id })).toMatchObject({
      ...{ id, contextId: id, status: { state: TaskState.TASK_STATE_SUBMITTED } },
      metadata: { agora: { taskId: task.id } },
    });
    await agent.agora.tasks.start(task.id, { sandboxId: 'mine' });
    await agent.agora.tasks.complete(task.id, { output: goodOutput });
    const done = await client.getTask({ tenant: '', id });
    expect([stateIn(done), done.artifacts[0]?.artifactId]).toEqual(['TASK_STATE_COMPLETED', 'output']);
  });
});
