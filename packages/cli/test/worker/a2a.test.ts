import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { performByA2a } from '../../src/worker/a2a/perform.ts';
import { part, startA2aServer, type Turn, text } from './a2a-server.ts';
import { type Scene, startScene } from './scene.ts';

/** `agora worker --a2a`: an agent of another maker does the tasks. */

let scene: Scene;
let agent: Awaited<ReturnType<typeof startA2aServer>>;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.renewAgent());
afterAll(() => scene.server.close());
afterEach(() => agent.close());

async function by(act: (turn: Turn) => Promise<void>, options: { streaming?: boolean } = {}) {
  agent = await startA2aServer(act, options);
  return performByA2a(agent.url, 'a-token', scene.log);
}

const files = [{ name: 'kept', command: 'test "$(cat output/poem.txt)" = "Ledgers never sleep"' }];

test.each([true, false])('its text, data and files are delivered and paid (streaming: %s)', async (streaming) => {
  const performer = await by(
    async ({ parts, status, artifact }) => {
      status(TaskState.TASK_STATE_WORKING, 'Thinking of a line');
      artifact('answer', [text('Ledgers never ')]);
      artifact('answer', [text('sleep')], true);
      artifact('sheet', [part({ $case: 'data', value: { parts: parts.length } })]);
      artifact('poem', [part({ $case: 'raw', value: Buffer.from('Ledgers never sleep') }, '../../poem.txt')]);
      artifact('source', [part({ $case: 'url', value: 'https://poems.example/1' })]);
      status(TaskState.TASK_STATE_COMPLETED);
    },
    { streaming },
  );
  const { task, paid } = await scene.buy(performer, { description: 'Write a line', acceptance: { checks: files } });
  expect(task.output).toEqual({
    result: 'Ledgers never \nsleep',
    data: { parts: 2 },
    files: ['/workspace/output/poem.txt'],
    links: ['https://poems.example/1'],
    model: 'Poet',
  });
  expect([task.status, paid]).toEqual(['completed', 1000]);
  expect(agent.seen.every(({ authorization }) => authorization === 'Bearer a-token')).toBe(true);
  expect(agent.seen[0]!.method).toBe(streaming ? 'SendStreamingMessage' : 'SendMessage');
});

test.each([
  [TaskState.TASK_STATE_FAILED, 'The pen broke', 'The A2A agent failed: The pen broke'],
  [TaskState.TASK_STATE_REJECTED, 'No poems today', 'The A2A agent refuses the task: No poems today'],
  [TaskState.TASK_STATE_AUTH_REQUIRED, 'Whose key?', 'The A2A agent asks for authorization: Whose key?'],
])('state %i fails the task with its words', async (state, said, reason) => {
  const performer = await by(async ({ status }) => status(state, said));
  const { task, paid } = await scene.buy(performer, { description: 'Write a line' });
  expect(task).toMatchObject({ status: 'failed', errorMessage: reason });
  expect(paid).toBe(0);
});

test.each([true, false])(
  'what it asks is put to the buyer, and the answer sent on (streaming: %s)',
  async (streaming) => {
    const told: string[] = [];
    const performer = await by(
      async ({ parts, status, artifact }) => {
        const [first] = parts;
        told.push(first?.content?.$case === 'text' ? first.content.value : '');
        if (told.length === 1) return status(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which metre?');
        artifact('answer', [text('A line in iambs')]);
        status(TaskState.TASK_STATE_COMPLETED);
      },
      { streaming },
    );
    const { agora } = scene.buyer;
    const { id } = await scene.submit({ description: 'Write a line' });
    const stop = scene.work(performer);
    const asked = async () => (await agora.tasks.listMessages(id)).data[0];
    await expect.poll(asked).toMatchObject({ kind: 'question', text: 'Which metre?', blocking: true });
    const question = (await asked())?.id as string;
    await agora.tasks.postMessage(id, { kind: 'answer', text: 'Iambs', answers: question });
    expect((await agora.tasks.wait(id)).output).toMatchObject({ result: 'A line in iambs' });
    expect(told).toEqual(['Write a line', 'Iambs']);
    await stop();
  },
);

test('gets no token that was given for the host of its card alone', async () => {
  agent = await startA2aServer(async ({ status, artifact }) => {
    artifact('answer', [text('A line')]);
    status(TaskState.TASK_STATE_COMPLETED);
  });
  const cards = createServer(async (_request, response) => {
    const card = await fetch(new URL('/.well-known/agent-card.json', agent.url));
    response.writeHead(200, { 'content-type': 'application/json' }).end(await card.text());
  });
  await once(cards.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(cards.address() as AddressInfo).port}`;
    const { task } = await scene.buy(await performByA2a(url, 'a-token', scene.log), { description: 'Write a line' });
    expect(task.output).toMatchObject({ result: 'A line' });
    expect(agent.seen.map(({ authorization }) => authorization)).toEqual(agent.seen.map(() => undefined));
  } finally {
    cards.close();
  }
});

test('is told to cancel when its task is over', async () => {
  let cancelled = false;
  const performer = await by(async (turn) => {
    turn.status(TaskState.TASK_STATE_WORKING);
    await turn.cancelled;
    cancelled = true;
  });
  const { id } = await scene.submit({ description: 'Write an epic' });
  const stop = scene.work(performer, { watchEveryMs: 50 });
  await expect.poll(() => agent.seen.length).toBeGreaterThan(0);
  await expect.poll(async () => (await scene.buyer.agora.tasks.get(id)).status).toBe('executing');
  await scene.agent.agora.tasks.fail(id, { reason: 'Over' });
  await expect.poll(() => cancelled).toBe(true);
  expect(agent.seen.at(-1)!.method).toBe('CancelTask');
  await stop();
});

test('an address without an agent is refused before any task', async () => {
  await by(async () => {});
  await expect(performByA2a('http://127.0.0.1:9', undefined, scene.log)).rejects.toThrow(/No A2A agent answers at/);
});

test('an agent that refuses the token is refused before any task, with the name of its variable', async () => {
  const closed = createServer((_request, response) => void response.writeHead(401).end());
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await expect(performByA2a(url, 'wrong', scene.log)).rejects.toThrow(/AGORA_A2A_TOKEN/);
  } finally {
    closed.close();
  }
});
