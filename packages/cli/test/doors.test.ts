import { Agora, type Task } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, call, mcpClient } from '../../mcp/test/clients.ts';
import { a2aClient, send, stateIn, taskIn, wordsIn } from '../../server/test/a2a/scene.ts';
import { goodOutput, hire, hireAndStart, makePair, type Pair } from '../../server/test/api/scene.ts';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { agora } from './command.ts';

/** A question of an agent reaches its buyer whatever door each of them uses. */

let server: TestServer;
let pair: Pair;
beforeAll(async () => {
  server = await startTestServer();
  pair = await makePair(server, { credits: 1_000_000 });
});
afterAll(() => server?.close());

const question = 'Which colour?';

const post = async (headers: Record<string, string>, id: string, body: object): Promise<void> => {
  const response = await fetch(`${server.url}/api/v1/tasks/${id}/messages`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
};

/** How an agent asks about a started task, and gives the answer that it got. */
const askers: Record<string, (id: string) => Promise<string>> = {
  async http(id) {
    await post({ 'x-api-key': pair.agent.key }, id, { kind: 'question', text: question, blocking: true });
    return answerTo(pair.agent.agora, id);
  },
  sdk: (id) => pair.agent.agora.tasks.ask(id, question, { blocking: true }),
  async cli(id) {
    const env = { AGORA_URL: server.url, AGORA_AGENT_KEY: pair.agent.key };
    const { stdout } = await agora(['tasks', 'ask', id, question, '--blocking', '--wait'], { env });
    return stdout.trim();
  },
  async mcp(taskId) {
    const client = await mcpClient(server, bearer(pair.agent.key));
    await call(client, 'give_feedback', { taskId, kind: 'question', text: question, blocking: true });
    const { data } = await call(client, 'wait_for_task', { taskId });
    return data.messages[0].text;
  },
};

/** How a buyer sees that it is asked, and answers. */
const answerers: Record<string, (id: string, words: string) => Promise<void>> = {
  async http(id, text) {
    const asked = await openQuestion(id);
    await post({ authorization: `Bearer ${pair.buyer.token}` }, id, { kind: 'answer', text, answers: asked?.id });
  },
  async sdk(id, text) {
    const asked = await openQuestion(id);
    await pair.buyer.agora.tasks.postMessage(id, { kind: 'answer', text, answers: asked?.id as string });
  },
  async cli(id, text) {
    const env = { AGORA_URL: server.url, AGORA_TOKEN: pair.buyer.token };
    expect((await agora(['tasks', 'messages', id], { env })).stdout).toContain(question);
    expect((await agora(['tasks', 'answer', id, text], { env })).exitCode).toBe(0);
  },
  async mcp(taskId, text) {
    const client = await mcpClient(server, bearer(pair.buyer.token));
    const { data } = await call(client, 'wait_for_task', { taskId });
    expect(data.messages[0].text).toBe(question);
    await call(client, 'give_feedback', { taskId, kind: 'answer', text, answers: data.messages[0].id });
  },
  async a2a(id, text) {
    const client = await a2aClient(server, '/a2a', pair.buyer.token);
    const task = await client.getTask({ tenant: '', id, historyLength: undefined });
    expect(stateIn(task)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(wordsIn(task.status?.message)).toBe(question);
    const answered = taskIn(await client.sendMessage(send(text, undefined, { taskId: id })));
    // A worker may have delivered by now.
    expect(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']).toContain(stateIn(answered));
  },
};

const openQuestion = async (id: string) =>
  (await pair.buyer.agora.tasks.listMessages(id)).data.find(({ isOpen }) => isOpen);

const answerTo = async (party: Agora, id: string): Promise<string> => {
  const answer = async () => (await party.tasks.listMessages(id)).data.find(({ kind }) => kind === 'answer')?.text;
  await expect.poll(answer).toBeDefined();
  return (await answer()) as string;
};

const isAsked = (id: string) =>
  expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).waitingFor).toBe('submitter');

const ways = Object.keys(askers).flatMap((asker) =>
  Object.keys(answerers).map((answerer) => [asker, answerer] as const),
);

test.each(ways)('asked by %s and answered by %s', async (asker, answerer) => {
  const { id } = await hireAndStart(pair);
  const answer = askers[asker]?.(id);
  await isAsked(id);
  await answerers[answerer]?.(id, `Red, by ${answerer}`);
  expect(await answer).toBe(`Red, by ${answerer}`);
  expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({
    status: 'executing',
    waitingFor: null,
  } satisfies Partial<Task>);
});

test.each(Object.keys(answerers))('asked by a worker and answered by %s', async (answerer) => {
  const { id } = await hire(pair);
  const stop = new AbortController();
  const worker = createWorker({
    agora: new Agora({ baseUrl: server.url, agentKey: pair.agent.key }),
    handle: async ({ ask }) => ({ ...goodOutput, colour: await ask(question) }),
    ...{ waitSeconds: 1, graceMs: 0 },
  });
  const running = worker.run({ signal: stop.signal });
  await isAsked(id);
  await answerers[answerer]?.(id, 'Red');
  const task = await pair.buyer.agora.tasks.wait(id);
  expect(task).toMatchObject({ status: 'completed', output: { colour: 'Red' } });
  stop.abort();
  await running;
});

test.each(Object.keys(answerers))('%s answers the agent that has the task, not one that lost it', async (answerer) => {
  const able = { capabilities: [{ category: 'design' as const, tags: [`doors-${answerer}`] }] };
  const agents = [await (await server.owner()).agent(able), await (await server.owner()).agent(able)];
  const { id, agentId } = await pair.buyer.agora.tasks.submit({
    ...{ taskType: 'design', maxBudget: 1000, input: { description: 'Draw it', tags: [`doors-${answerer}`] } },
  });
  const [lost, has] = agentId === agents[0]?.id ? agents : agents.toReversed();
  await lost?.agora.tasks.postMessage(id, { kind: 'question', text: 'Which size?' });
  await lost?.agora.tasks.decline(id);
  await has?.agora.tasks.start(id, { sandboxId: 'mine' });
  await has?.agora.tasks.postMessage(id, { kind: 'question', text: question, blocking: true });
  await answerers[answerer]?.(id, 'Red');
  const { data } = await pair.buyer.agora.tasks.listMessages(id);
  const [size, colour, answer] = data;
  expect([size?.answeredBy, size?.isOpen]).toEqual([null, false]);
  expect([colour?.answeredBy, answer?.text]).toEqual([answer?.id, 'Red']);
});
