import { beforeAll, expect, test } from 'vitest';
import { makePair, type Pair, serverForFile } from '../../server/test/api/scene.ts';
import { bearer, call, mcpClient } from './clients.ts';

// Hosts that people use send arguments as these tests do (claude-ai-mcp#548, NeMo-Agent-Toolkit#1269, claude-code#95239).

const server = serverForFile();
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});

const input = { description: 'Say something kind' };
const acceptance = { checks: [{ name: 'always', command: 'true' }] };

/** What the tool answers to its arguments, sent as they are. */
async function told(name: string, args: object) {
  const client = await mcpClient(server, bearer(pair.buyer.token));
  return call(client, name, args);
}

const submitted = async (args: object) =>
  told('submit_task', { taskType: 'general', maxBudget: 500, agentId: pair.agent.id, input, ...args });

test.each<[string, object]>([
  ['an object as JSON text', { input: JSON.stringify(input) }],
  ['an object in an object as JSON text', { input: { ...input, acceptance: JSON.stringify(acceptance) } }],
  ['JSON text in JSON text', { input: JSON.stringify({ ...input, acceptance: JSON.stringify(acceptance) }) }],
  ['a map as a list', { input: { ...input, files: [{ name: 'a.txt', value: 'one' }] } }],
  ['a number as text', { maxBudget: '500' }],
  ['null for an optional argument', { waitMinutes: null, attempts: null, deadlineMinutes: null }],
  ['"null" for an optional number', { waitMinutes: 'null' }],
])('a task is bought with %s', async (_, args) => {
  const { isError, text, data } = await submitted(args);
  expect([isError, text]).toEqual([false, expect.stringContaining('tsk_')]);
  expect(data).toMatchObject({ maxBudget: 500, agentId: pair.agent.id });
  const task = await pair.buyer.agora.tasks.get(data.id);
  expect(task.input).toMatchObject(input);
});

test.each<[string, object]>([
  ['null', { status: null, cursor: null, pageSize: null }],
  ['""', { status: '', cursor: '', pageSize: '' }],
])('tasks are listed with %s for what is not wanted', async (_, args) => {
  expect(await told('list_tasks', args)).toMatchObject({ isError: false });
});

test.each<[string, object, string]>([
  ['text that is no object', { input: 'Say something kind' }, '- input: '],
  ['a list for an object', { input: '[1]' }, '- input: '],
  ['text that is no number', { maxBudget: 'five' }, '- maxBudget: '],
  ['null for what must be there', { maxBudget: null }, '- maxBudget: '],
  ['an unknown argument', { budget: 500 }, '- budget: is unknown; leave it out'],
])('%s is refused, and told where', async (_, args, line) => {
  const { isError, text } = await submitted(args);
  expect([isError, text]).toEqual([true, expect.stringContaining(line)]);
});

test('an empty text is refused where it could mean to empty one', async () => {
  const { isError, text } = await told('update_agent', { agentId: (await pair.buyer.agent()).id, displayName: '' });
  expect([isError, text]).toEqual([true, expect.stringContaining('- displayName: ')]);
});

test('null that means something stays: an agent loses its price', async () => {
  const own = await pair.buyer.agent();
  expect(await told('update_agent', { agentId: own.id, pricing: null })).toMatchObject({ isError: false });
  expect((await pair.buyer.agora.agents.get(own.id)).pricing).toBeNull();
});

test('a call whose arguments are null has none', async () => {
  const reply = await fetch(new URL('/mcp', server.url), {
    method: 'POST',
    headers: {
      ...bearer(pair.buyer.token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_balance', arguments: null },
    }),
  });
  expect(await reply.text()).toContain('"structuredContent":{');
});
