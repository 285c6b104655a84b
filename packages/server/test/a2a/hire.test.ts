import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { makePair } from '../api/scene.ts';
import { a2aClient, a2aServer, type Binding, lineOf, part, send, stateIn, taskIn, wordsIn } from './scene.ts';

const server = a2aServer();

describe.each<Binding>(['JSONRPC', 'HTTP+JSON', '0.3'])('by %s an A2A client', (binding) => {
  test('hires an agent, is asked, answers, and gets the change', async () => {
    const { buyer, agent } = await makePair(server);
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, buyer.token, binding);
    const made = taskIn(
      await client.sendMessage(
        send(
          [
            ...send('Make state.txt say the colour').message!.parts,
            part({ $case: 'raw', value: Buffer.from('none\n') }, 'state.txt'),
          ],
          {
            maxBudget: 1500,
          },
        ),
      ),
    );
    expect([stateIn(made), made.contextId]).toEqual(['TASK_STATE_SUBMITTED', made.id]);

    const started = await agent.agora.tasks.start(made.id, { sandboxId: 'mine' });
    expect(started.input.description).toBe('Make state.txt say the colour');
    await agent.agora.tasks.postMessage(made.id, { kind: 'question', text: 'Which colour?', blocking: true });
    const asked = await client.getTask({ tenant: '', id: made.id });
    expect([stateIn(asked), wordsIn(asked.status?.message)]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Which colour?']);
    expect(asked.status?.message?.metadata).toMatchObject({ agora: { author: 'agent' } });

    const answered = taskIn(await client.sendMessage(send('Green', undefined, { taskId: made.id })));
    expect(stateIn(answered)).toBe('TASK_STATE_WORKING');
    const [question, answer] = (await agent.agora.tasks.listMessages(made.id)).data;
    expect([question?.answeredBy, answer?.text]).toEqual([answer?.id, 'Green']);

    await agent.agora.sandbox.exec(made.id, {
      command: 'mkdir output; echo green > state.txt; echo done > output/report.txt',
      timeoutMs: 20_000,
    });
    const result = 'The file state.txt says green now, as the buyer answered.';
    const { status } = await agent.agora.tasks.complete(made.id, { output: { result, colours: ['green'] } });
    expect(status).toBe('completed');
    const done = await client.getTask({ tenant: '', id: made.id, historyLength: 10 });
    expect(stateIn(done)).toBe('TASK_STATE_COMPLETED');
    expect(done.metadata).toMatchObject({ agora: { price: 1000, creditsCharged: 1000, agentId: agent.id } });
    const [output, change, report] = done.artifacts;
    expect(output?.parts.map(({ content }) => content)).toEqual([
      { $case: 'text', value: result },
      { $case: 'data', value: { colours: ['green'] } },
    ]);
    expect([change?.artifactId, change?.parts[0]?.content?.value]).toEqual([
      'change',
      expect.stringContaining('-none\n+green\n'),
    ]);
    expect([report?.name, report?.parts[0]?.content]).toEqual([
      'report.txt',
      { $case: 'url', value: expect.stringMatching(/\/api\/v1\/tasks\/tsk_.*\/artifacts\/.*\/content$/) },
    ]);
    expect(done.history.map(wordsIn)).toEqual(['Make state.txt say the colour', 'Which colour?', 'Green']);
  });

  test('follows a task by a stream that ends when it is asked, and goes on with the answer', async () => {
    const { buyer, agent } = await makePair(server);
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, buyer.token, binding);
    const lines: string[] = [];
    const follow = async (events: ReturnType<typeof client.sendMessageStream>) => {
      for await (const event of events) lines.push(lineOf(event));
    };
    let id = '';
    const events = client.sendMessageStream(send('Write a haiku about ledgers', { maxBudget: 1000 }));
    const first = (await events.next()).value;
    if (first?.payload?.$case === 'task') id = first.payload.value.id;
    const asked = follow(events);
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    await expect.poll(() => lines).toContain('status TASK_STATE_WORKING');
    await agent.agora.tasks.progress(id, { percent: 10, message: 'counting' });
    await expect.poll(() => lines).toContain('status TASK_STATE_WORKING 10 %: counting');
    await agent.agora.tasks.postMessage(id, { kind: 'question', text: 'For whom?', blocking: true });
    await asked;
    expect(lines.at(-1)).toBe('status TASK_STATE_INPUT_REQUIRED For whom?');

    lines.length = 0;
    const told = follow(client.sendMessageStream(send('For clerks', undefined, { taskId: id })));
    await expect.poll(() => lines).toContain('task TASK_STATE_WORKING');
    const subscribed: string[] = [];
    const subscription = (async () => {
      for await (const event of client.resubscribeTask({ tenant: '', id })) subscribed.push(lineOf(event));
    })();
    await expect.poll(() => subscribed).toContain('task TASK_STATE_WORKING');
    await agent.agora.tasks.complete(id, {
      output: { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' },
    });
    await Promise.all([told, subscription]);
    for (const each of [lines, subscribed]) {
      expect(each.slice(-2)).toEqual(['artifact output', 'status TASK_STATE_COMPLETED']);
    }
  });

  test('is refused with the price where the budget is missing or too low', async () => {
    const { buyer, agent } = await makePair(server);
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, buyer.token, binding);
    const price = 'from $10.00 to $10.00';
    await expect(client.sendMessage(send('Do it'))).rejects.toThrow(price);
    await expect(client.sendMessage(send('Do it', { maxBudget: 999 }))).rejects.toThrow(price);
    expect((await buyer.agora.tasks.list()).data).toEqual([]);
  });

  test('cancels a task that nobody has started, and none that somebody works on', async () => {
    const { buyer, agent } = await makePair(server);
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, buyer.token, binding);
    const hire = async () => taskIn(await client.sendMessage(send('Do it', { maxBudget: 1000 }))).id;
    const id = await hire();
    expect(stateIn(await client.cancelTask({ tenant: '', id, metadata: undefined }))).toBe('TASK_STATE_CANCELED');
    expect(stateIn(await client.getTask({ tenant: '', id }))).toBe('TASK_STATE_CANCELED');
    const started = await hire();
    await agent.agora.tasks.start(started, { sandboxId: 'mine' });
    await expect(client.cancelTask({ tenant: '', id: started, metadata: undefined })).rejects.toThrow(/executing/);
    await expect(client.sendMessage(send('More', undefined, { taskId: id }))).rejects.toThrow(/takes no messages/);
  });

  test('waits for the end of a task with one message, which counts once', async () => {
    const { buyer, agent } = await makePair(server);
    const client = await a2aClient(server, `/a2a/agents/${agent.id}`, buyer.token, binding);
    const request = send('Do it', { maxBudget: 1000 }, {}, false);
    const ends = Promise.all([client.sendMessage(request), client.sendMessage(request)]);
    await expect.poll(async () => (await buyer.agora.tasks.list()).data.length).toBe(1);
    const id = (await buyer.agora.tasks.list()).data[0]?.id as string;
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    await agent.agora.tasks.fail(id, { reason: 'It cannot be done' });
    for (const end of await ends) {
      expect([taskIn(end).id, stateIn(taskIn(end))]).toEqual([id, TaskState[TaskState.TASK_STATE_FAILED]]);
      expect(wordsIn(taskIn(end).status?.message)).toContain('It cannot be done');
    }
    expect((await buyer.agora.tasks.list()).data).toHaveLength(1);
  });
});
