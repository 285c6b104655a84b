import { isCreateTaskResultV2, isDetailedTaskV2, withTaskCapabilityV2 } from '@modelcontextprotocol/ext-tasks/core/v2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, type Pair } from '../../server/test/api/scene.ts';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';

// The Tasks extension of the protocol. The official client needs a transport of its own for it, so messages are sent as
// they are, and checked with the official schemas.

const protocol = '2026-07-28';

let server: TestServer;
let pair: Pair;
beforeAll(async () => {
  server = await startTestServer();
  pair = await makePair(server);
});
afterAll(() => server?.close());

async function send(token: string, method: string, params: Record<string, unknown>, offersTasks = true) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': protocol,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const bare = { ...params, _meta: meta };
  const reply = await fetch(new URL('/mcp', server.url), {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ authorization: `Bearer ${token}`, 'mcp-protocol-version': protocol, 'mcp-method': method },
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: offersTasks ? withTaskCapabilityV2(bare) : bare }),
  });
  const text = await reply.text();
  const messages = text.startsWith('{')
    ? [text]
    : [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string);
  return JSON.parse(messages.at(-1) as string);
}

const tool = (name: string, args: object) => ({ name, arguments: args });

async function taskOf(token: string, name: string, args: object): Promise<string> {
  const { result } = await send(token, 'tools/call', tool(name, args));
  expect([result, isCreateTaskResultV2(result)]).toEqual([expect.objectContaining({ status: 'working' }), true]);
  return result.taskId;
}

async function look(token: string, taskId: string) {
  const { result } = await send(token, 'tasks/get', { taskId });
  expect([result, isDetailedTaskV2(result)]).toEqual([result, true]);
  return result;
}

const run = (command: string, taskId: string) => ({ taskId, command, background: true });

test('a wait is a task until the work has ended, and then has its result', async () => {
  const { id } = await hireAndStart(pair);
  const { token } = pair.buyer;
  const taskId = await taskOf(token, 'wait_for_task', { taskId: id });
  expect(await look(token, taskId)).toMatchObject({ status: 'working', statusMessage: 'executing' });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  const ended = { id, status: 'completed', output: goodOutput };
  expect(await look(token, taskId)).toMatchObject({ status: 'completed', result: { structuredContent: ended } });
  const { result } = await send(token, 'tools/call', tool('wait_for_task', { taskId: id }));
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: ended });
});

test('a wait has its result also when the agent asks', async () => {
  const { id } = await hireAndStart(pair);
  const { token } = pair.buyer;
  const taskId = await taskOf(token, 'wait_for_task', { taskId: id });
  const asked = { kind: 'question', text: 'Which colour?', blocking: true } as const;
  const { id: question } = await pair.agent.agora.tasks.postMessage(id, asked);
  const messages = [{ id: question, text: asked.text }];
  expect(await look(token, taskId)).toMatchObject({ status: 'completed', result: { structuredContent: { messages } } });
  const own = await taskOf(pair.agent.key, 'wait_for_task', { taskId: id });
  expect(await look(pair.agent.key, own)).toMatchObject({ status: 'working', statusMessage: 'waits for an answer' });
});

test('a command in the background is a task, which can be cancelled', async () => {
  const { id } = await hireAndStart(pair);
  const { agora, key } = pair.agent;
  const first = await taskOf(key, 'run_in_sandbox', run('until [ -e go ]; do sleep 0.1; done; echo gone', id));
  expect(await look(key, first)).toMatchObject({ status: 'working' });
  await agora.sandbox.write(id, { path: 'go', content: '' });
  await expect
    .poll(() => look(key, first))
    .toMatchObject({ status: 'completed', result: { structuredContent: { exitCode: 0, stdout: 'gone\n' } } });
  const second = await taskOf(key, 'run_in_sandbox', run('sleep 600', id));
  expect(await send(key, 'tasks/cancel', { taskId: second })).toMatchObject({ result: {} });
  expect(await look(key, second)).toMatchObject({ status: 'cancelled' });
});

test('nobody sees the task of another, and who offers no tasks gets none', async () => {
  const { id } = await hireAndStart(pair);
  const taskId = await taskOf(pair.buyer.token, 'wait_for_task', { taskId: id });
  const stranger = await makePair(server);
  for (const wrong of [taskId, 'wait_for_task', 'wait_for_task:nothing', 'get_task:1', 'run_in_sandbox:a:b', ''])
    expect(await send(stranger.agent.key, 'tasks/get', { taskId: wrong })).toMatchObject({ error: { code: -32_602 } });
  const args = tool('run_in_sandbox', run('true', id));
  const { result } = await send(pair.agent.key, 'tools/call', args, false);
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { processId: expect.any(String) } });
});
